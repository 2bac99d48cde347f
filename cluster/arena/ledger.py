"""The ledger of a match: a file with the blocks that are finished, so that it can go on after an interruption.

    {"arena": 1, "match": {...}, "code": "..."}
    {"block": 0, "won": [...], "work": [...]}

The first line says what is played, with a fingerprint of the code that plays it; then comes a line a block, in any
order. A line that was cut off is no line.
"""

import fcntl
import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

import bots
import engine
from bots.duplicate import Block, Match
from bots.foreign import SEPARATOR, is_foreign

VERSION: Final = 1
_CODE: Final = "the code of the bots or of the engine"


class LedgerFault(Exception):
    """A ledger cannot be used; the message says why and what would be right."""


class Ledger:
    """The finished blocks of one match, held by this process alone from `open` to `close`; each is on disk at once."""

    def __init__(self, path: Path, match: Match) -> None:
        self._path = path
        self._match = match
        self._file = -1
        self.blocks: dict[int, Block] = {}

    def open(self) -> None:
        """Read what is there, or begin.

        Raises:
            LedgerFault: it is another match's, or no ledger; or it cannot be written; or another process writes it.
        """
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LedgerFault(
                f"{self._path} is written by another arena: wait for it, or name another file"
            ) from None
        except OSError as error:
            raise LedgerFault(f"{self._path} cannot be written: {error.strerror}") from None
        if not self._path.is_file():
            raise self._no_ledger()
        whole = self._read()
        if not whole:
            self._write({"arena": VERSION, **_head(self._match)})
            return
        lines = whole.splitlines()
        self._compare(self._parsed(lines[0]))
        for line in lines[1:]:
            block = self._block(line)
            self.blocks[block.number] = block
        self._cut(len(whole))

    def add(self, block: Block) -> None:
        """Write down a finished block."""
        self.blocks[block.number] = block
        self._write(block.to_plain())

    def close(self) -> None:
        """Hold it no longer."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> bytes:
        """The whole lines."""
        text = self._path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if text and not whole:
            raise self._no_ledger()
        return whole

    def _cut(self, size: int) -> None:
        """Cut off what comes after the whole lines, once it is known that the file is ours."""
        os.ftruncate(self._file, size)
        os.lseek(self._file, 0, os.SEEK_END)

    def _compare(self, head: dict[str, Any]) -> None:
        if head.get("arena") != VERSION or not isinstance(head.get("match"), dict):
            raise self._no_ledger()
        own = _head(self._match)
        differences = list(_differences(head["match"], own["match"]))
        if head.get("code") != own["code"]:
            differences.append(f"{_CODE} has changed since")
        if differences:
            raise LedgerFault(
                f"{self._path} is another match's: {'; '.join(differences)}. Name another file, or play that match"
            )

    def _block(self, line: bytes) -> Block:
        try:
            block = Block.from_plain(self._parsed(line))
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise self._no_ledger() from error
        shape = {len(deal) for deal in block.won} | {len(block.work)}
        known = 0 <= block.number < self._match.blocks
        if (
            not known
            or len(block.won) != len(self._match.deals_of(block.number))
            or shape != {len(self._match.bots)}
        ):
            raise self._no_ledger()
        return block

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            parsed = json.loads(line)
        except ValueError:
            raise self._no_ledger() from None
        if not isinstance(parsed, dict):
            raise self._no_ledger()
        return parsed

    def _no_ledger(self) -> LedgerFault:
        return LedgerFault(
            f"{self._path} is no file of finished blocks of `croupier arena`: name another one"
        )

    def _write(self, plain: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(plain, separators=(",", ":")).encode() + b"\n")


def _head(match: Match) -> dict[str, Any]:
    """What a match is, as far as its results depend on it."""
    played = {
        "game": match.game.value,
        "seats": ",".join(match.bots),
        "style": match.style.value,
        "stack": match.stack,
        "deals": match.deals,
        "seed": match.seed,
    }
    return {"match": played, "code": _fingerprint(match)}


def _differences(recorded: dict[str, Any], asked: dict[str, Any]) -> Iterator[str]:
    for name, value in asked.items():
        if recorded.get(name) != value:
            yield f"its {name} is {recorded.get(name)}, not {value}"


def _fingerprint(match: Match) -> str:
    """Of all files that our bots and the engine consist of, and of the modules of foreign bots."""
    roots = [Path(root) for package in (bots, engine) for root in package.__path__]
    files = [file for root in roots for file in sorted(root.rglob("*")) if _counts(file)]
    for name in dict.fromkeys(filter(is_foreign, match.bots)):
        found = importlib.util.find_spec(name.partition(SEPARATOR)[0])
        places = found.submodule_search_locations if found else None
        if places:
            files += [file for place in places for file in sorted(Path(place).rglob("*.py"))]
        elif found and found.origin:
            files.append(Path(found.origin))
    summed = hashlib.sha256()
    for file in files:
        summed.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return summed.hexdigest()[:16]


def _counts(file: Path) -> bool:
    """Compiled files differ from machine to machine; their sources count."""
    return file.is_file() and "__pycache__" not in file.parts and file.suffix not in (".so", ".pyd", ".pyc")
