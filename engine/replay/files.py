"""Reading files of recorded hands by what their names end in: `.phh`, `.phhs` or `.jsonl`."""

from collections.abc import Iterator
from pathlib import Path

from engine.replay.jsonl import read_jsonl
from engine.replay.phh import read_phh, read_phhs
from engine.replay.recorded import RecordedHand, Unreadable


def read_hands(file: str) -> Iterator[RecordedHand | Unreadable]:
    """The hands of a file, in its order, each of them with the file's name as it is given here.

    Raises:
        OSError: the file cannot be read.
    """
    path = Path(file)
    text = path.read_text(encoding="utf-8", errors="replace")
    match path.suffix:
        case ".phh":
            yield read_phh(file, path.stem, text)
        case ".phhs":
            yield from read_phhs(file, text)
        case ".jsonl":
            # Not splitlines: a name may hold a character that it takes for a line's end.
            yield from read_jsonl(file, text.split("\n"))
        case suffix:
            why = f"a file {suffix or 'without a suffix'} is not read; .phh, .phhs and .jsonl are"
            yield Unreadable(file, "", why)
