"""Ranges at draw: what an opponent's bets and the number of his cards drawn say, and dealing such a hand.

The shares follow equilibrium play heads-up: who draws three in a pot with a bet holds a pair five times in
six; who draws one, two pair as often as a draw to a straight or flush; who draws none, mostly a straight or
better, and sometimes nothing.
"""

import random
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Final, NamedTuple

from bots.protocol import Observation
from bots.strength import category_of
from bots.taking import take
from engine.ranking import Category

_TRIES: Final = 20
_LOOKS: Final = 6
"""How many hands are looked at for one that fits what was bet after the draw; then the last has to do."""

_Deal = Callable[[int, set[int], random.Random], list[int]]
"""Deals what is kept before the draw, given the stance and what is gone; less where too much is gone."""


class Line(NamedTuple):
    """What an opponent did in public."""

    drawn: int
    """Cards drawn; -1 before his draw."""
    stance: int
    """Before the draw: 0 put in no bet, 1 called, 2 bet or raised."""
    after: int
    """The same after the draw; 3 raised."""


def line_of(observation: Observation, seat: int) -> Line:
    """The public line of a seat in this hand."""
    drawn = next(seen.drawn for seen in observation.seats if seen.seat == seat)
    before = _most(observation, seat, "predraw", {"call": 1, "bet": 2, "raise": 2})
    return Line(drawn, before, _most(observation, seat, "postdraw", {"call": 1, "bet": 2, "raise": 3}))


def _most(observation: Observation, seat: int, street: str, worth: dict[str, int]) -> int:
    done = (a.kind for a in observation.history if a.seat == seat and a.street == street)
    return max((worth.get(kind, 0) for kind in done), default=0)


def draw_hand(line: Line, used: set[int], rng: random.Random) -> list[int]:
    """A final hand of five for that line, of cards not in `used`, which they are from then on."""
    hand = _final_hand(line, used, rng)
    if line.after:
        for _ in range(_LOOKS):
            if rng.random() < _goes_on(line, category_of(hand)):
                break
            hand = _final_hand(line, used, rng)
    used.update(hand)
    return hand


def _final_hand(line: Line, used: set[int], rng: random.Random) -> list[int]:
    """Five cards as they are after the draw, whatever was bet then; none of them is used yet."""
    holdings = _HOLDINGS[line.drawn] if line.drawn >= 0 else _NOT_YET[line.stance]
    at = bisect(holdings.sums, rng.random() * holdings.sums[-1])
    kept = holdings.deals[min(at, len(holdings.deals) - 1)](line.stance, used, rng)
    return kept + take(5 - len(kept), {*used, *kept}, rng)


def _goes_on(line: Line, made: Category) -> float:
    """How often a made hand does after the draw what the line did; bluffs come from who drew few."""
    if made >= Category.THREE_OF_A_KIND:
        return 1.0
    if made is Category.TWO_PAIR:
        return (1.0, 1.0, 0.9, 0.3)[line.after]
    if made is Category.PAIR:
        return (1.0, 0.6, 0.2, 0.05)[line.after]
    return (1.0, 0.05, 0.25 if line.drawn < 2 else 0.06, 0.03)[line.after]


def _of_a_rank(rank: int, count: int, used: set[int]) -> list[int]:
    """`count` cards of a rank that are not gone; none if there are too few."""
    there = [card for card in range(4 * rank, 4 * rank + 4) if card not in used]
    return there[:count] if len(there) >= count else []


def _group(count: int, stance: int, used: set[int], rng: random.Random) -> list[int]:
    """A pair or trips; where something was bet, rather a high one."""
    for _ in range(_TRIES):
        rank = max(int(rng.random() * 13) for _ in range(min(stance, 1) + 1))
        if cards := _of_a_rank(rank, count, used):
            return cards
    return []


def _pair(stance: int, used: set[int], rng: random.Random) -> list[int]:
    return _group(2, stance, used, rng)


def _pair_and_kicker(stance: int, used: set[int], rng: random.Random) -> list[int]:
    pair = _group(2, stance, used, rng)
    return pair + _of_a_rank(12 if not pair or pair[0] < 48 else 11, 1, used)


def _trips(stance: int, used: set[int], rng: random.Random) -> list[int]:
    return _group(3, stance, used, rng)


def _trips_and_kicker(stance: int, used: set[int], rng: random.Random) -> list[int]:
    trips = _group(3, stance, used, rng)
    return trips + take(1, {*used, *trips}, rng)


def _two_pair(stance: int, used: set[int], rng: random.Random) -> list[int]:
    first = _group(2, stance, used, rng)
    gone = used | {card for card in range(52) if first and card >> 2 == first[0] >> 2}
    return first + _group(2, 0, gone, rng)


def _full_house(stance: int, used: set[int], rng: random.Random) -> list[int]:
    trips = _group(3, stance, used, rng)
    gone = used | {card for card in range(52) if trips and card >> 2 == trips[0] >> 2}
    return trips + _group(2, 0, gone, rng)


def _suited(count: int) -> _Deal:
    def deal(_: int, used: set[int], rng: random.Random) -> list[int]:
        suit = int(rng.random() * 4)
        there = [card for card in range(suit, 52, 4) if card not in used]
        return rng.sample(there, count) if len(there) >= count else []

    return deal


def _connected(count: int) -> _Deal:
    """Cards of neighbouring ranks; four of them are open at both ends."""

    def deal(_: int, used: set[int], rng: random.Random) -> list[int]:
        low = 1 + int(rng.random() * 8) if count == 4 else int(rng.random() * 9)
        cards = [4 * rank + int(rng.random() * 4) for rank in range(low, low + count)]
        return cards if used.isdisjoint(cards) else []

    return deal


def _high_cards(_: int, used: set[int], rng: random.Random) -> list[int]:
    return [card for rank in rng.sample(range(7, 13), 2) for card in _of_a_rank(rank, 1, used)]


def _nothing(*_: object) -> list[int]:
    return []


class _Holdings(NamedTuple):
    """Ways to hold cards with their running shares."""

    deals: tuple[_Deal, ...]
    sums: tuple[int, ...]


def _holdings(*shares: tuple[int, _Deal]) -> _Holdings:
    return _Holdings(tuple(deal for _, deal in shares), tuple(accumulate(share for share, _ in shares)))


_four_flush: Final = _suited(4)
_flush: Final = _suited(5)
_open_straight: Final = _connected(4)
_straight: Final = _connected(5)
_HOLDINGS: Final = {
    0: _holdings(
        (38, _straight), (20, _flush), (9, _full_house), (11, _two_pair), (6, _trips), (16, _nothing)
    ),
    1: _holdings(
        (43, _two_pair), (21, _four_flush), (21, _open_straight), (12, _trips_and_kicker), (3, _nothing)
    ),
    2: _holdings((68, _pair_and_kicker), (24, _trips), (8, _high_cards)),
    3: _holdings((83, _pair), (17, _high_cards)),
}
"""By the number of cards drawn."""
_NOT_YET: Final = (
    _holdings((44, _high_cards), (42, _pair), (5, _two_pair), (2, _trips), (6, _four_flush), (1, _straight)),
    _holdings((66, _pair), (9, _two_pair), (4, _trips), (15, _four_flush), (6, _high_cards)),
    _holdings((74, _pair), (10, _two_pair), (5, _trips), (2, _straight), (5, _four_flush), (4, _high_cards)),
)
"""By stance, of who has not drawn yet."""
