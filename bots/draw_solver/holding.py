"""Holdings: the classes of five cards before the draw, and what each keeps for every number of cards drawn.

Law of this file: a class and what it keeps follow from the ranks and from which cards share a suit, so they are the
same when the suits change places. A table is made for these classes: whoever changes them raises `VERSION`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from bots.straights import STRAIGHTS, rank_mask

VERSION: Final = 1
"""Of the classes, here and after the draw; a table of another version is of no use."""
DRAWS: Final = 4
"""A player draws none to three cards."""

Cards = tuple[int, ...]

_RANKS: Final = 13
_ACE: Final = 12
_KING: Final = 11
_QUEEN: Final = 10
_JACK: Final = 9


class Holding(NamedTuple):
    """Five cards before the draw."""

    place: int
    """The class, 0 to `HOLDINGS` - 1."""
    keeps: tuple[Cards | None, ...]
    """The cards kept when none, one, two or three are drawn; None where that is never sensible."""


_SIZES: Final = {
    "nothing": 15,
    "gutshot": 4,
    "open_straight": 9,
    "four_flush": 5,
    "straight_flush_draw": 2,
    "pair": 3 * _RANKS,
    "pair_and_open_straight": _RANKS,
    "pair_and_four_flush": _RANKS,
    "two_pair": 78,
    "trips": _RANKS,
    "straight": 10,
    "flush": 8,
    "full_house": _RANKS,
    "quads": _RANKS,
    "straight_flush": 1,
}
_FIRST: Final = {name: sum(list(_SIZES.values())[:at]) for at, name in enumerate(_SIZES)}
KINDS: Final = {name: slice(first, first + _SIZES[name]) for name, first in _FIRST.items()}
"""The places of each kind's classes."""
HOLDINGS: Final = sum(_SIZES.values())


def read(cards: Sequence[int]) -> Holding:
    """The class of five cards, and what it keeps."""
    ranks = [card >> 2 for card in cards]
    ordered = tuple(sorted(cards, key=lambda card: (-ranks.count(card >> 2), -card)))
    first, second, third, fourth, _ = (card >> 2 for card in ordered)
    if first != second:
        return _unpaired(ordered)
    if third == fourth == first:
        return Holding(_FIRST["quads"] + first, (ordered, ordered[:4], None, None))
    if third == first and fourth == ordered[4] >> 2:
        return Holding(_FIRST["full_house"] + first, (ordered, None, None, None))
    if third == first:
        return Holding(_FIRST["trips"] + first, (ordered, ordered[:4], ordered[:3], None))
    if third == fourth:
        place = _FIRST["two_pair"] + first * (first - 1) // 2 + third
        return Holding(place, (ordered, ordered[:4], None, ordered[:2]))
    return _pair(ordered, first, third)


def _pair(ordered: Cards, rank: int, kicker: int) -> Holding:
    """A pair, by rank and kicker, or with four cards to a flush or an open straight."""
    keeps = (ordered, ordered[:4], ordered[:3], ordered[:2])
    if four := _four_flush(ordered):
        return Holding(_FIRST["pair_and_four_flush"] + rank, (keeps[0], four, *keeps[2:]))
    if _four_straight(rank_mask(ordered)).outs == 2:
        return Holding(_FIRST["pair_and_open_straight"] + rank, (keeps[0], ordered[1:], *keeps[2:]))
    better = [high for high in (_ACE, _KING, _QUEEN) if high != rank][:2]
    grade = better.index(kicker) if kicker in better else 2
    return Holding(_FIRST["pair"] + 3 * rank + grade, keeps)


def _unpaired(ordered: Cards) -> Holding:
    first, second = ordered[0] >> 2, ordered[1] >> 2
    mask = rank_mask(ordered)
    four = _four_flush(ordered)
    if len(four) == 5:
        place = _FIRST["straight_flush"] if mask in STRAIGHTS else _FIRST["flush"] + first - 5
        return Holding(place, (ordered, None, None, None))
    if mask in STRAIGHTS:
        return Holding(_FIRST["straight"] + STRAIGHTS.index(mask), (ordered, None, None, None))
    top = min(_ACE - first, 4)
    straight = _four_straight(mask)
    if four:
        outs = _four_straight(rank_mask(four)).outs
        place = _FIRST["straight_flush_draw"] + outs - 1 if outs else _FIRST["four_flush"] + top
        return _high(place, ordered, four)
    connected = tuple(card for card in ordered if straight.mask >> (card >> 2) & 1)
    if straight.outs == 2:
        return _high(_FIRST["open_straight"] + (connected[-1] >> 2), ordered, connected)
    if straight.outs == 1:
        return _high(_FIRST["gutshot"] + min(top, 3), ordered, connected)
    return _high(_FIRST["nothing"] + _nothing(first, second), ordered, ordered[:4])


def _high(place: int, ordered: Cards, four: Cards) -> Holding:
    return Holding(place, (ordered, four, ordered[:3], ordered[:2]))


def _nothing(first: int, second: int) -> int:
    """The 15 classes of cards without a draw: by the highest, and the next where that may decide."""
    start, least = {_ACE: (0, 8), _KING: (5, 8), _QUEEN: (9, 8)}.get(
        first, (12 + min(_JACK - first, 2), first)
    )
    return start + min(first - 1 - second, first - least)


def _four_flush(cards: Cards) -> Cards:
    """The cards of a suit that has at least four of the five."""
    suits = [card & 3 for card in cards]
    suit = suits[0] if suits.count(suits[0]) > 1 else suits[1]
    return tuple([card for card in cards if card & 3 == suit]) if suits.count(suit) > 3 else ()


class _FourStraight(NamedTuple):
    """Four ranks to a straight."""

    outs: int
    """Ranks that complete it: 2 is open, 1 a gutshot, 0 no draw."""
    mask: int


@cache
def _four_straight(mask: int) -> _FourStraight:
    """The best draw to a straight in a set of four or five ranks: with the most outs, then the highest."""
    fours = {mask & ~(1 << without) for without in range(_RANKS)}
    draws = [
        _FourStraight(sum(four & run == four for run in STRAIGHTS), four)
        for four in fours
        if four.bit_count() == 4
    ]
    return max(draws)
