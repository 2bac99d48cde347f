"""Mistakes in the text of a range: the error, and finding out what is wrong with a word that is no hand."""

import re
from typing import Final, NamedTuple

from engine.cards import SUITS

LATIN: Final = re.IGNORECASE | re.ASCII
"""Without ASCII the Kelvin sign would be a king, and a long s a suit."""
RANK: Final = "(10|[2-9TJQKA])"
KINDS: Final = "write a hand such as QQ+, AKs, A5s-A2s or AsKd"
NUMBER: Final = re.compile(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", LATIN)
_ONE_RANK: Final = re.compile(RANK, LATIN)
_RANKS_ARE: Final = "the ranks are 2-9, T, J, Q, K, A"
_SUITS_ARE: Final = "the suits are c, d, h, s"


class RangeError(ValueError):
    """A text that is no range; the message says what is wrong, where, and what would be right.

    Places in a message count from 1, `at` from 0; the message begins with the `length` characters meant.
    """

    def __init__(self, message: str, *, at: int, length: int) -> None:
        super().__init__(message)
        self.at = at
        self.length = length

    def __reduce__(self) -> tuple[object, ...]:
        return _range_error, (str(self), self.at, self.length)


class Part(NamedTuple):
    """A piece of the text, which knows its place."""

    text: str
    at: int

    def wrong(self, why: str) -> RangeError:
        """The error that this piece is; `why` goes on after the piece and its place."""
        place = f"{quoted(self.text)} (place {self.at + 1})"
        return RangeError(f"{place} {why}", at=self.at, length=len(self.text))


def diagnosis(text: str) -> str:
    """What is wrong with a word that names no hand, and what would be right."""
    if text.endswith("%"):
        return f"of percentages only 100% is a range; {KINDS}"
    if NUMBER.fullmatch(text) and "." in text:
        return "a weight stands behind its hand with a colon, AA:0.25"
    first = _ONE_RANK.match(text)
    if first is None:
        return f"{quoted(text[0])} is no rank, {_RANKS_ARE}; {KINDS}"
    rest = text[first.end() :]
    if not rest:
        return "it is half of one; write two ranks, such as AKs, or two cards, such as AsKd"
    second = _ONE_RANK.match(rest)
    if second:
        return _after_ranks(text[: first.end() + second.end()], rest[second.end() :])
    if rest[0].lower() in SUITS:
        return _after_card(rest[1:])
    if rest[0].lower() == "x":
        letter = rest[1:2].lower() if rest[1:2].lower() in ("s", "o") else ""
        return f"x is no rank; an ace with any lower card is A2{letter}+, a king K2{letter}+"
    return f"{quoted(rest[0])} is neither a rank nor a suit; {_RANKS_ARE}, {_SUITS_ARE}"


def _after_ranks(ranks: str, rest: str) -> str:
    if rest[0].lower() in SUITS and len(rest) == 1:
        return f"one suit for two cards; {ranks}s is suited, and two exact cards are written like AsKd"
    if _ONE_RANK.match(rest) or _ONE_RANK.match(rest[1:]):
        return "it goes on after two ranks; a comma stands between two hands"
    return f"{quoted(rest)} follows the ranks; s is suited, o offsuit, nothing both"


def _after_card(rest: str) -> str:
    second = _ONE_RANK.match(rest)
    if second is None:
        return f"{quoted(rest[0])} is no rank, {_RANKS_ARE}; two exact cards are written like AsKd"
    suit, more = rest[second.end() : second.end() + 1], rest[second.end() + 1 :]
    if not suit:
        return "its second card lacks a suit; write two, such as AsKd, or none, such as AKs"
    if suit.lower() not in SUITS:
        return f"{quoted(suit)} is no suit, {_SUITS_ARE}"
    return f"{quoted(more)} follows the two cards; a comma stands between two hands"


def quoted(text: str) -> str:
    """`text` in quotation marks."""
    return f'"{text}"'


def _range_error(message: str, at: int, length: int) -> RangeError:
    return RangeError(message, at=at, length=length)
