"""What `croupier equity` is asked, as a question of the protocol, and where in its arguments a mistake stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from bots.equity.spots import cards_drawn
from cluster.codec.equity import NoQuestion
from cluster.commands.terminal import Misused
from croupier.v1.equity_pb2 import (
    EXACTNESS_ALWAYS,
    Discard,
    DrawOpponent,
    DrawSpot,
    EquityBudget,
    EquityQuestion,
    HoldemPlayer,
    HoldemSpot,
)

NO_BOARD = "--board is for hold'em: at draw there is none"
NO_DISCARD = "--discard is for draw: add --game draw"
NO_GAME = "--game {game} is no game: write holdem or draw"
TOO_LARGE = "{option} {number} is too large by far"
EXACT_ALONE = "--exact counts all deals: leave out --samples and --stderr, or leave out --exact"
_CARD: Final = re.compile(r"(?:10|[^\s,])[^\s,]?")
_PAT: Final = ("pat", "none", "")
_WIDTH: Final = 72
"""Characters of an argument that are shown around a mistake."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of the command line: the option or hand, its text, and `length` characters from `at`, all if 0."""

    label: str
    text: str
    at: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The arguments as they were given."""

    hands: list[str]
    game: str = "holdem"
    board: str = ""
    dead: str = ""
    discard: str | None = None
    samples: int | None = None
    exact: bool = False
    stderr: float | None = None
    deadline: int | None = None
    seed: int | None = None


class Arguments:
    """The question that the arguments ask, and the place of each of its fields among them."""

    def __init__(self, wanted: Wanted) -> None:
        """Read the arguments as far as the question's own reader does not. Raises Misused."""
        self._places: dict[str, Place] = {}
        spot: dict[str, Any]
        match wanted.game:
            case "holdem":
                spot = {"holdem": self._holdem(wanted)}
            case "draw":
                spot = {"draw": self._draw(wanted)}
            case _:
                raise Misused(NO_GAME.format(game=wanted.game))
        self.question = EquityQuestion(**spot, budget=self._budget(wanted))
        if wanted.seed is not None:
            _set(self.question, "seed", "--seed", wanted.seed)

    def explained(self, wrong: NoQuestion) -> str:
        """What is wrong, after whose fault it is, with the piece of the argument that is meant below it."""
        place = self._places.get(wrong.field)
        if place is None:
            return str(wrong)
        at, length = (wrong.place - 1, wrong.length) if wrong.place else (place.at, place.length)
        said = f"{place.label}: {wrong}"
        return "\n".join([said, *_pointed(place.text, at, length)]) if length else said

    def _holdem(self, wanted: Wanted) -> HoldemSpot:
        if wanted.discard is not None:
            raise Misused(NO_DISCARD)
        for at, hand in enumerate(wanted.hands):
            self._places[f"holdem.players[{at}].range"] = Place(f"hand {at + 1}", hand)
        return HoldemSpot(
            players=[HoldemPlayer(range=hand) for hand in wanted.hands],
            board=self._cards("holdem.board", "--board", wanted.board),
            dead=self._cards("holdem.dead", "--dead", wanted.dead),
        )

    def _draw(self, wanted: Wanted) -> DrawSpot:
        if wanted.board:
            raise Misused(NO_BOARD)
        own, *others = wanted.hands or [""]
        spot = DrawSpot(
            cards=self._cards("draw.cards", "the hand", own),
            opponents=[self._opponent(number, text) for number, text in enumerate(others, 1)],
            dead=self._cards("draw.dead", "--dead", wanted.dead),
        )
        if wanted.discard is not None:
            given = "" if wanted.discard.strip().lower() in _PAT else wanted.discard
            cards = self._cards("draw.discard.cards", "--discard", given)
            spot.discard.CopyFrom(Discard(cards=cards))
        return spot

    def _opponent(self, number: int, text: str) -> DrawOpponent:
        self._places[f"draw.opponents[{number - 1}].drew"] = Place(f"opponent {number}", text)
        try:
            return DrawOpponent(drew=cards_drawn(text))
        except ValueError as error:
            raise Misused(f"opponent {number}: {error}") from None

    def _cards(self, field: str, label: str, text: str) -> list[str]:
        """The cards of a text, whatever they are; their places are noted."""
        self._places[field] = Place(label, text)
        found = list(_CARD.finditer(text))
        for number, card in enumerate(found):
            self._places[f"{field}[{number}]"] = Place(label, text, card.start(), len(card.group()))
        return [card.group() for card in found]

    def _budget(self, wanted: Wanted) -> EquityBudget:
        if wanted.exact and (wanted.samples is not None or wanted.stderr is not None):
            raise Misused(EXACT_ALONE)
        budget = EquityBudget(standard_error=wanted.stderr)
        if wanted.exact:
            budget.exactness = EXACTNESS_ALWAYS
        for field, option in (("samples", "--samples"), ("deadline_ms", "--deadline")):
            number = getattr(wanted, option.removeprefix("--"))
            if number is not None:
                _set(budget, field, option, number)
        for field, option in (
            ("samples", "--samples"),
            ("standard_error", "--stderr"),
            ("deadline_ms", "--deadline"),
        ):
            self._places[f"budget.{field}"] = Place(option, "")
        return budget


def _set(message: EquityBudget | EquityQuestion, field: str, option: str, number: int) -> None:
    try:
        setattr(message, field, number)
    except ValueError:
        raise Misused(TOO_LARGE.format(option=option, number=number)) from None


def _pointed(text: str, at: int, length: int) -> Iterator[str]:
    """The text around a place, and a line that points to it."""
    start = max(0, min(at - _WIDTH // 3, len(text) - _WIDTH))
    shown = text[start : start + _WIDTH]
    before, behind = "..." if start else "", "..." if start + _WIDTH < len(text) else ""
    clean = "".join(letter if letter.isprintable() else "?" for letter in shown)
    yield f"  {before}{clean}{behind}"
    marks = min(max(1, length), len(shown) - (at - start) or 1)
    yield " " * (2 + len(before) + at - start) + "^" * marks
