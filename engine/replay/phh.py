"""Reading recorded hands from PHH, the poker hand history standard: TOML, one hand a `.phh`, sections in a `.phhs`.

Read are NT and FT (no-limit and fixed-limit hold'em), and the variant of this project's own exports of
five-card draw, `_F5CD` (see `engine.history.phh`). p1 is the first player left of the button and the last one has
the button; heads-up the standard reverses antes and blinds, and p2 is button and small blind.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from engine.cards import Card, parse_card
from engine.events import AntePosted, Blind, BlindPosted
from engine.game import BOARD_CARDS, HOLDEM_STREETS, Game, HandRules, Street, Structure
from engine.replay.configuration import configuration
from engine.replay.recorded import (
    Act,
    BadRecord,
    Exchange,
    Known,
    Outcome,
    RecordedAction,
    RecordedHand,
    Unreadable,
)
from engine.units import NOBODY, Chips, Seat
from engine.value import value

DRAW_VARIANT: Final = "_F5CD"
"""Five-card draw, fixed limit: PHH has no code for it."""
_VARIANTS: Final = {
    "NT": (Game.HOLDEM, Structure.NO_LIMIT),
    "FT": (Game.HOLDEM, Structure.FIXED_LIMIT),
    DRAW_VARIANT: (Game.DRAW, Structure.FIXED_LIMIT),
}
_SECTION: Final = re.compile(r"^\[([^\[\]\n]+)\][ \t]*$", re.MULTILINE)
_UNKNOWN: Final = "??"


def read_phh(file: str, name: str, text: str) -> RecordedHand | Unreadable:
    """The one hand of a `.phh` file, called `name`."""
    try:
        return _readable(file, name, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        return Unreadable(file, name, f"this is no TOML: {error}")


def read_phhs(file: str, text: str) -> Iterator[RecordedHand | Unreadable]:
    """The hands of a `.phhs` file, a section a hand; one that cannot be read is told and passed over."""
    starts = list(_SECTION.finditer(text))
    if not starts:
        yield Unreadable(file, "", "this .phhs has no section; a hand begins with a line such as [1]")
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        section = text[start.end() : after.start() if after else len(text)]
        yield read_phh(file, start[1].strip().strip("\"'"), section)


def _readable(file: str, name: str, fields: Mapping[str, Any]) -> RecordedHand | Unreadable:
    try:
        return _hand(file, name, fields)
    except BadRecord as error:
        return Unreadable(file, name, str(error))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        return Unreadable(file, name, f"this is no hand in PHH: {type(error).__name__}: {error}")


def _hand(file: str, name: str, fields: Mapping[str, Any]) -> RecordedHand:
    stacks = _chips(fields["starting_stacks"])
    story = _Story(fields, draw=fields.get("variant") == DRAW_VARIANT)
    forced = _forced(fields, len(stacks), p1_first=story.first_is(Seat(1)))
    order = tuple(Seat(place) for place in range(1, len(stacks) + 1))
    # Heads-up with p1 on the button, the other one is the first left of it.
    if len(stacks) == 2 and forced.big == 2:
        order = order[::-1]
    return RecordedHand(
        file=file,
        id=name,
        rules=_rules(fields, forced),
        button=order[-1],
        small_blind=forced.small,
        big_blind=forced.big,
        order=order,
        stacks={Seat(place): chips for place, chips in enumerate(stacks, 1)},
        posts=tuple(_posts(forced, stacks)),
        hole_cards=story.hole_cards,
        board=tuple(story.board),
        exchanges=story.exchanges(),
        final_cards=story.final_cards,
        mucked=frozenset(story.mucked),
        actions=tuple(story.actions),
        outcome=_outcome(fields),
    )


def _chips(amounts: list[Any]) -> list[Chips]:
    if any(Fraction(amount).denominator != 1 or amount < 0 for amount in amounts):
        raise BadRecord("chips are whole numbers here")
    return [Chips(int(amount)) for amount in amounts]


@value
class _Forced:
    """The forced bets in full, by place, and whose the blinds are."""

    antes: list[Chips]
    blinds: list[Chips]
    dead: list[Chips]
    small: Seat
    big: Seat


def _forced(fields: Mapping[str, Any], count: int, *, p1_first: bool) -> _Forced:
    """The forced bets. Heads-up the lists are in reverse, unless p1 acts first: then he has the button himself."""
    antes, blinds = _chips(fields["antes"]), _chips(fields["blinds_or_straddles"])
    dead = _chips(fields.get("_dead_blinds", [0] * count))
    if not len(antes) == len(blinds) == len(dead) == count:
        raise BadRecord(f"there are {count} stacks, and another number of antes or blinds")
    if count == 2 and not p1_first:
        antes, blinds = antes[::-1], blinds[::-1]
    big = Seat(fields.get("_big_blind", _big_blind(blinds, p1_first=p1_first)))
    smalls = [place for place, amount in enumerate(blinds, 1) if amount and place != big]
    return _Forced(antes, blinds, dead, Seat(smalls[0]) if big and smalls else NOBODY, big)


def _big_blind(blinds: list[Chips], *, p1_first: bool) -> Seat:
    """After whom the first round starts: the first to post the most, be it a straddle; p1 only if no other does."""
    if not any(blinds):
        return NOBODY
    if len(blinds) == 2:
        return Seat(2 if p1_first else 1)
    most = [place for place, amount in enumerate(blinds, 1) if amount == max(blinds)]
    return Seat(most[1] if len(most) > 1 and most[0] == 1 else most[0])


def _rules(fields: Mapping[str, Any], forced: _Forced) -> HandRules:
    variant = fields["variant"]
    if variant not in _VARIANTS:
        raise BadRecord(f"the variant {variant} is not played here; {', '.join(_VARIANTS)} are")
    game, structure = _VARIANTS[variant]
    if structure is Structure.FIXED_LIMIT:
        small, large = _chips([fields["small_bet"], fields["big_bet"]])
    else:
        (small,) = (large,) = _chips([fields["min_bet"]])
    # A file that does not say so trims antes that all players post alike (A3), and no others.
    trimmed = fields.get("ante_trimming_status", len(set(forced.antes)) == 1)
    return configuration(
        game,
        structure,
        bets=(small, large),
        blinds=(
            forced.blinds[forced.small - 1] if forced.small else Chips(0),
            forced.blinds[forced.big - 1] if forced.big else Chips(0),
        ),
        ante=max(forced.antes),
        ante_for_all=not trimmed,
    )


def _posts(forced: _Forced, stacks: list[Chips]) -> Iterator[AntePosted | BlindPosted]:
    """The forced bets as far as each stack goes: the ante, then a live blind, then a dead one (A2, B4)."""
    left = list(stacks)

    def paid(place: int, amount: Chips) -> Chips:
        chips = Chips(min(amount, left[place]))
        left[place] = Chips(left[place] - chips)
        return chips

    for place, amount in enumerate(forced.antes):
        if chips := paid(place, amount):
            yield AntePosted(Seat(place + 1), chips)
    for place, amount in enumerate(forced.blinds):
        if chips := paid(place, amount):
            yield BlindPosted(Seat(place + 1), Blind.SMALL if place + 1 == forced.small else Blind.BIG, chips)
    for place, amount in enumerate(forced.dead):
        if chips := paid(place, amount):
            yield BlindPosted(Seat(place + 1), Blind.DEAD, chips)


def _outcome(fields: Mapping[str, Any]) -> Outcome | None:
    stacks = fields.get("finishing_stacks")
    if stacks is None:
        return None
    return Outcome(finish={Seat(place): Fraction(chips) for place, chips in enumerate(stacks, 1)})


class _Story:
    """What the field `actions` tells, in the order of its lines."""

    def __init__(self, fields: Mapping[str, Any], *, draw: bool) -> None:
        self.hole_cards: dict[Seat, tuple[Known, ...]] = {}
        self.board: list[Known] = []
        self.final_cards: dict[Seat, tuple[Card, ...]] = {}
        self.mucked: set[Seat] = set()
        self.actions: list[RecordedAction] = []
        self._discards: dict[Seat, tuple[Known, ...]] = {}
        self._new: dict[Seat, tuple[Known, ...]] = {}
        self._draw = draw
        for line in fields["actions"]:
            words = line.partition("#")[0].split()
            if words:
                self._tell(line, words)

    def first_is(self, seat: Seat) -> bool:
        """Whether `seat` acts first."""
        return bool(self.actions) and self.actions[0].seat == seat

    def exchanges(self) -> dict[Seat, Exchange]:
        """What is known of each draw."""
        return {seat: Exchange(cards, self._new.get(seat, ())) for seat, cards in self._discards.items()}

    def _tell(self, line: str, words: list[str]) -> None:
        match words:
            case ["d", "dh", player, cards]:
                self._deal(_seat(player), _known(cards))
            case ["d", "db", cards]:
                self.board += _known(cards)
            case [player, "f"]:
                self._act(player, Act.FOLD)
            case [player, "cc"]:
                self._act(player, Act.CHECK_OR_CALL)
            case [player, "cbr", amount]:
                self._act(player, Act.RAISE_TO, _chips([Fraction(amount)])[0])
            case [player, "sd", *cards]:
                self._throw(player, _known("".join(cards)))
            case [player, "sm"]:
                self.mucked.add(_seat(player))
            case [player, "sm", "-"]:
                _seat(player)
            case [player, "sm", cards]:
                self._show(_seat(player), _known(cards))
            case _:
                raise BadRecord(f"the action {line!r} is not known")

    def _deal(self, seat: Seat, cards: tuple[Known, ...]) -> None:
        into = self._new if seat in self._discards else self.hole_cards
        into[seat] = into.get(seat, ()) + cards

    def _act(self, player: str, act: Act, amount: int = -1) -> None:
        self.actions.append(RecordedAction(_seat(player), act, amount, self._street()))

    def _throw(self, player: str, cards: tuple[Known, ...]) -> None:
        seat = _seat(player)
        self._discards[seat] = cards
        self.actions.append(RecordedAction(seat, Act.DRAW, len(cards), Street.DRAW))

    def _show(self, seat: Seat, cards: tuple[Known, ...]) -> None:
        shown = tuple(card for card in cards if card is not None)
        if len(shown) == len(cards):
            self.final_cards[seat] = shown

    def _street(self) -> Street:
        if self._draw:
            return Street.POSTDRAW if self._discards else Street.PREDRAW
        dealt = 0
        for street in HOLDEM_STREETS:
            dealt += BOARD_CARDS.get(street, 0)
            if dealt >= len(self.board):
                return street
        raise BadRecord("more than five cards are dealt to the board")


def _seat(player: str) -> Seat:
    if not re.fullmatch(r"p[1-9]\d?", player):
        raise BadRecord(f"{player!r} is no player; p1 is the first")
    return Seat(int(player[1:]))


def _known(text: str) -> tuple[Known, ...]:
    """The cards of a text such as AsKd or Ah??."""
    words = [text[place : place + 2] for place in range(0, len(text), 2)]
    return tuple(None if word == _UNKNOWN else parse_card(word) for word in words)
