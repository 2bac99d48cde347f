"""Reading files of recorded hands by what their names end in: `.phh`, `.phhs` or `.jsonl`."""

from collections.abc import Iterator
from pathlib import Path

from engine.replay.jsonl import read_jsonl
from engine.replay.phh import read_phh, read_phhs
from engine.replay.recorded import RecordedHand, Unreadable


def read_hands(path: Path) -> Iterator[RecordedHand | Unreadable]:
    """The hands of a file, in its order.

    Raises:
        OSError: the file cannot be read.
    """
    file = str(path)
    match path.suffix:
        case ".phh":
            yield read_phh(file, path.stem, _text(path))
        case ".phhs":
            yield from read_phhs(file, _text(path))
        case ".jsonl":
            yield from read_jsonl(file, _text(path).splitlines())
        case suffix:
            yield Unreadable(
                file, "", f"a file {suffix or 'without a suffix'} is not read; .phh, .phhs and .jsonl are"
            )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
