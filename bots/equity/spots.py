"""Spots: the questions of equity, hold'em or draw, checked so that every one of them has an answer.

A spot is made by `make_holdem_spot` or `make_draw_spot`, from values or from texts; what cannot be dealt
is a `SpotError`, which says what is wrong and what would be right. Players count from 1 in messages.
"""

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import comb
from typing import Final

from bots.equity.combos import COMBOS
from bots.equity.conflicts import conflict, mask_of
from bots.equity.holdings import ANY, Holdings, drew
from bots.equity.kernels import DrawOpponent, HoldemPlayer
from bots.equity.mistakes import RangeError, quoted
from bots.equity.ranges import Range, parse_range
from engine.cards import Card, parse_card, text_of

MOST_PLAYERS: Final = 9
MOST_OPPONENTS: Final = 5
"""At draw."""
MOST_DISCARDS: Final = 3
_DECK: Final = 52
_LONGEST: Final = 40
"""Characters of a range that a message quotes."""
_MASKS: Final = tuple(map(mask_of, COMBOS))
_DREW: Final = re.compile(r"(?:(?:drew|draws?)\s*)?(\d{1,4})", re.ASCII)

Cards = Sequence[int] | str
"""Card numbers, or a text such as "Qs7d2s" or "Qs 7d 2s"."""


class SpotError(ValueError):
    """A spot that cannot be dealt, or a text that is none."""


@dataclass(frozen=True, slots=True)
class HoldemSpot:
    """Two to nine players with their ranges, and the cards that are known."""

    players: tuple[Range, ...]
    """As they were given: combos with known cards may be in them."""
    board: tuple[int, ...]
    dead: tuple[int, ...]

    def kernel_players(self) -> tuple[HoldemPlayer, ...]:
        """The players as the kernel takes them, without the combos that the known cards rule out."""
        return tuple(self._kernel_player(held) for held in self.players)

    def _kernel_player(self, held: Range) -> HoldemPlayer:
        live = held.without((*self.board, *self.dead))
        even = len(set(live.weights)) == 1
        if even and len(live.combos) == comb(_DECK - len(self.board) - len(self.dead), 2):
            return None
        cards = bytes(chain.from_iterable(COMBOS[number] for number in live.combos))
        most = max(live.weights)  # proportions alone count, and several players' weights are multiplied
        return cards, None if even else array("d", (weight / most for weight in live.weights)).tobytes()


@dataclass(frozen=True, slots=True)
class DrawSpot:
    """An own hand of five with what is discarded of it, against one to five opponents who have drawn."""

    cards: tuple[int, ...]
    discard: tuple[int, ...]
    opponents: tuple[Holdings, ...]
    """As they were given: entries with known cards may be in them."""
    dead: tuple[int, ...]
    """Other cards known to be out of the deck, without the own discards."""

    @property
    def kept(self) -> tuple[int, ...]:
        """The own cards that are not discarded."""
        return tuple(card for card in self.cards if card not in self.discard)

    @property
    def gone(self) -> tuple[int, ...]:
        """What the kernel takes as dead: the dead cards and the own discards."""
        return (*self.dead, *self.discard)

    def kernel_opponents(self) -> tuple[DrawOpponent, ...]:
        """The opponents as the kernel takes them; it leaves out the entries that known cards rule out."""
        return tuple(held.kernel_bytes() for held in self.opponents)

    def discarding(self, discard: Sequence[int]) -> "DrawSpot":
        """The spot with another discard.

        Raises:
            SpotError: it is no discard of the hand, or leaves too few cards.
        """
        _check_discard(self.cards, discard)
        _enough_for_hands(1 + len(self.opponents), len(discard) + len(self.dead))
        return replace(self, discard=tuple(discard))


Spot = HoldemSpot | DrawSpot


def make_holdem_spot(players: Sequence[Range | str], *, board: Cards = (), dead: Cards = ()) -> HoldemSpot:
    """A spot of hold'em; a player is a range, or the text of one: a hand such as "AhKh", a range, "random".

    Raises:
        SpotError: a text is wrong, or nothing can be dealt.
    """
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise SpotError(
            f"{_count(len(players), 'player')}: 2 to {MOST_PLAYERS} are right, each a hand, a range or random"
        )
    ranges = tuple(_range(player, number) for number, player in enumerate(players, 1))
    spot = HoldemSpot(ranges, _cards(board, "the board"), _cards(dead, "the dead cards"))
    if len(spot.board) not in (0, 3, 4, 5):
        raise SpotError(
            f"a board of {_count(len(spot.board), 'card')}: none, 3 (the flop), 4 (the turn) or 5 (the river) are right"
        )
    hands = [(f"in player {number}'s hand", held.hole_cards or ()) for number, held in enumerate(ranges, 1)]
    _no_card_twice([*hands, ("on the board", spot.board), ("among the dead cards", spot.dead)])
    _enough_cards(2 * len(ranges) + 5, len(spot.dead), f"{len(ranges)} hands and a board")
    known = (*spot.board, *spot.dead)
    ways = [_live([_MASKS[combo] for combo in held.combos], known) for held in ranges]
    for number, (held, live) in enumerate(zip(ranges, ways, strict=True), 1):
        if not live:
            raise SpotError(
                f"nothing is left of player {number}'s {_short(held)}: every combo holds a card that is on the "
                f"board or dead, {_texts(known)}; widen it"
            )
    if group := conflict(ways):
        texts = _listed([_short(ranges[index]) for index in group])
        raise SpotError(
            f"players {_listed([index + 1 for index in group])} cannot hold cards of {texts} at once: "
            "whatever they hold, a card is there twice; widen one of them"
        )
    return spot


def make_draw_spot(
    cards: Cards, *, opponents: Sequence[Holdings | int | str], discard: Cards = (), dead: Cards = ()
) -> DrawSpot:
    """A spot of five-card draw, at the own draw.

    An opponent is holdings, the number of cards that he drew, or a text: "2" or "drew 2", "pat", "random".

    Raises:
        SpotError: a text is wrong, or nothing can be dealt.
    """
    own, gone, known_dead = (
        _cards(cards, "the hand"),
        _cards(discard, "the discards"),
        _cards(dead, "the dead cards"),
    )
    if len(own) != 5:
        raise SpotError(
            f"a hand of {_count(len(own), 'card')}: at draw it has 5, with what will be discarded"
        )
    _no_card_twice([("in the own hand", own), ("among the dead cards", known_dead)])
    _check_discard(own, gone)
    if not 1 <= len(opponents) <= MOST_OPPONENTS:
        raise SpotError(f"{_count(len(opponents), 'opponent')}: 1 to {MOST_OPPONENTS} are right")
    held = tuple(_holdings(opponent, number) for number, opponent in enumerate(opponents, 1))
    _enough_for_hands(1 + len(held), len(gone) + len(known_dead))
    known = (*own, *known_dead)
    ways = [_live(item.masks, known) for item in held]
    if not all(ways):
        raise SpotError(
            f"nothing is left of what opponent {ways.index([]) + 1} kept: every entry holds a card that is the own "
            f"or dead, {_texts(known)}"
        )
    if group := conflict(ways):
        raise SpotError(
            f"opponents {_listed([index + 1 for index in group])} cannot have kept their cards at once: "
            "whatever they kept, a card is there twice"
        )
    return DrawSpot(own, gone, held, known_dead)


def cards_drawn(text: str) -> int | None:
    """How many cards an opponent drew, as players say it: "2" or "drew 2", "pat"; None for "random".

    Raises:
        ValueError: the text says nothing of it. Whether so many can be drawn is not looked at.
    """
    words = text.strip().lower()
    if words in ("random", "any"):
        return None
    found = _DREW.fullmatch("0" if words in ("pat", "stood pat") else words)
    if found is None:
        raise ValueError(
            f"{quoted(text)} says nothing: write how many cards he drew, such as 2; pat; or random"
        )
    return int(found[1])


def _range(player: Range | str, number: int) -> Range:
    if isinstance(player, Range):
        return player
    try:
        return parse_range(player)
    except RangeError as error:
        raise SpotError(f"player {number}: {error}") from error


def _holdings(opponent: Holdings | int | str, number: int) -> Holdings:
    if isinstance(opponent, Holdings):
        return opponent
    if isinstance(opponent, str):
        try:
            drawn = cards_drawn(opponent)
        except ValueError as error:
            raise SpotError(f"opponent {number}: {error}") from None
        if drawn is None:
            return ANY
        opponent = drawn
    try:
        return drew(opponent)
    except ValueError:
        raise SpotError(
            f"opponent {number} drew {_count(opponent, 'card')}: 0 (pat) to {MOST_DISCARDS} are right"
        ) from None


def _cards(cards: Cards, place: str) -> tuple[int, ...]:
    if not isinstance(cards, str):
        for card in cards:
            if not 0 <= card < _DECK:
                raise SpotError(f"{place}: {card} is no card: a number from 0 to {_DECK - 1} is right")
        return tuple(cards)
    words = cards.replace(",", " ").replace("10", "T").split()
    try:
        return tuple(parse_card(word[at : at + 2]) for word in words for at in range(0, len(word), 2))
    except ValueError as error:
        raise SpotError(f"{place}: {error}") from error


def _no_card_twice(places: Iterable[tuple[str, Sequence[int]]]) -> None:
    seen: dict[int, str] = {}
    for place, cards in places:
        for card in cards:
            first = seen.get(card)
            if first == place:
                raise SpotError(f"{_text(card)} is {place} twice: there is one of each card")
            if first is not None:
                raise SpotError(f"{_text(card)} is {first} and {place}: there is one of each card")
            seen[card] = place


def _check_discard(own: Sequence[int], discard: Sequence[int]) -> None:
    _no_card_twice([("among the discards", discard)])
    for card in discard:
        if card not in own:
            raise SpotError(
                f"{_text(card)} is discarded and not in the hand {_texts(own)}: discard cards of it"
            )
    if len(discard) > MOST_DISCARDS:
        raise SpotError(f"{_count(len(discard), 'discard')}: at most {MOST_DISCARDS} are right")


def _enough_for_hands(hands: int, gone: int) -> None:
    _enough_cards(5 * hands, gone, f"{hands} hands")


def _enough_cards(needed: int, gone: int, what: str) -> None:
    if needed + gone > _DECK:
        raise SpotError(
            f"{what} take {needed} cards and {gone} are out of the deck: together {_DECK} at the most are right"
        )


def _live(masks: Iterable[int], known: Sequence[int]) -> list[int]:
    """The masks that hold none of the known cards."""
    gone = mask_of(known)
    return [mask for mask in masks if not mask & gone]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listed(items: Sequence[object]) -> str:
    *most, last = map(str, items)
    return f"{', '.join(most)} and {last}"


def _short(held: Range) -> str:
    text = str(held)
    return quoted(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def _text(card: int) -> str:
    return text_of(Card(card))


def _texts(cards: Iterable[int]) -> str:
    return " ".join(map(_text, cards))
