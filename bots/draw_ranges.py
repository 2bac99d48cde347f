"""Ranges at draw: what an opponent may have kept, by what he did in public, as weighted sets of cards.

A set weighs the deals that lead to it, times how often such a hand does before the draw what he did, times how often
it draws as many cards as he drew. Who has not drawn yet is the mixture over all numbers. The shares follow equilibrium
play heads-up, where they were counted: who draws three in a pot with a bet holds a pair five times in six; who draws
one, two pair as often as a draw to a straight or flush; who draws none, mostly a straight or better.

Law of this file: a range follows from the line alone, so each is made once and kept.
"""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, combinations, islice
from math import comb
from typing import Final, NamedTuple

from bots.draw_lines import After, Before, Line
from bots.equity import holdings
from bots.equity.holdings import Holdings, Kept

_ACE: Final = 12
_KING: Final = 11


class Range(NamedTuple):
    """What he may hold."""

    holdings: Holdings
    text: str
    """The heaviest classes before the draw with their shares, for people."""
    finals: int
    """How many hands of five may come of it, or some more: what an exact result has to count."""
    size: float
    """How many cards he kept, at the mean."""
    goes_on: float
    """How often, about, he does after the draw what he did."""


@cache
def range_of(line: Line) -> Range:
    """The range of a line."""
    entries: list[tuple[int, ...]] = []
    weights: list[float] = []
    shares = dict.fromkeys(_HANDS, 0.0)
    stays = 0.0
    going_on = _going_on(line) if line.after else (1.0,) * holdings.CATEGORIES
    for name, hand in _HANDS.items():
        for way in hand.ways if line.drawn < 0 else hand.ways[line.drawn : line.drawn + 1]:
            found = list(hand.kept(way, line.before))
            entries += [cards for cards, _ in found]
            weights += [weight for _, weight in found]
            total = sum(weight for _, weight in found)
            shares[name] += total
            stays += total * sum(map(float.__mul__, way.becomes, going_on))
    whole = sum(weights)
    held = Holdings(tuple(entries), tuple(weights), going_on if line.after else None)
    return Range(
        holdings=held,
        text=_text(line, {name: share / whole for name, share in shares.items()}),
        finals=sum(comb(52 - len(cards), 5 - len(cards)) for cards in entries),
        size=sum(len(cards) * weight for cards, weight in zip(entries, weights, strict=True)) / whole,
        goes_on=stays / whole,
    )


def _text(line: Line, shares: dict[str, float]) -> str:
    heaviest = sorted(shares.items(), key=lambda each: -each[1])[:3]
    return f"{line.text}: {', '.join(f'{name} {share:.0%}' for name, share in heaviest)}"


def _going_on(line: Line) -> tuple[float, ...]:
    """How often each category does after the draw what the line did, the likeliest always; bluffs come from who drew few."""
    nothing, *made = _GOES_ON[line.after]
    if line.drawn in (0, 1):
        nothing *= _FEW_DRAWN
    often = (nothing, *made, *[made[-1]] * (holdings.CATEGORIES - 1 - len(made)))
    return tuple(min(1.0, each / max(often)) for each in often)


_GOES_ON: Final = {
    After.CHECKED: (1.0, 0.95, 0.55, 0.3, 0.25),
    After.CALLED: (0.05, 0.6, 1.0, 0.7, 0.4),
    After.BET: (0.06, 0.2, 0.9, 1.0, 1.0),
    After.RAISED: (0.02, 0.04, 0.3, 0.9, 1.0),
    After.CALLED_A_RAISE: (0.005, 0.1, 0.85, 1.0, 1.0),
}
"""By category of the final hand: nothing, a pair, two pair, three of a kind, a straight and better."""
_FEW_DRAWN: Final = 3.5
"""How much oftener who drew one card or none goes on with nothing."""


class _Way(NamedTuple):
    """A way to draw."""

    share: float
    """How often a hand of the class draws so."""
    deals: Callable[[], Iterable[Kept]]
    """What it keeps."""
    becomes: tuple[float, float, float, float, float]
    """About how often it ends as nothing, a pair, two pair, three of a kind, and better."""


class _Hand(NamedTuple):
    """A class of five cards before the draw."""

    does: tuple[float, float, float, float, float]
    """How often it does each of `Before`."""
    ways: tuple[_Way, _Way, _Way, _Way]
    """To draw none, one, two and three cards."""
    high: float = 0.0
    """How much oftener aces call, bet or raise than deuces: 0 not at all, 1 as the square of their place."""

    def kept(self, way: _Way, before: Before) -> Iterable[tuple[tuple[int, ...], float]]:
        """The sets kept and what they weigh, of those who draw so."""
        if way.share:
            for cards, count in way.deals():
                yield cards, count * way.share * self.does[before] * self._leaning(cards, before)

    def _leaning(self, cards: tuple[int, ...], before: Before) -> float:
        """How much oftener a set of high cards does it."""
        if before < Before.CALLED or not cards or not self.high:
            return 1.0
        place = _paired(cards) / _ACE
        steep = self.high * (before - 1)
        floor = 0.25 / steep
        return floor + (1 - floor) * float(place**steep)


def _paired(cards: tuple[int, ...]) -> int:
    """The highest rank that is there twice, or the highest."""
    ranks = [card >> 2 for card in cards]
    return max((rank for rank in ranks if ranks.count(rank) > 1), default=max(ranks))


def _some(deals: Callable[[], Iterable[Kept]], step: int) -> Callable[[], Iterable[Kept]]:
    """Every so many of the sets, made once: all ranks and suits come about as often, and a range is quickly made."""

    @cache
    def kept() -> tuple[Kept, ...]:
        return tuple((cards, step * count) for cards, count in islice(deals(), 0, None, step))

    return kept


def _snow(size: int) -> Callable[[], Iterable[Kept]]:
    """So many of five cards that are nothing, as who stands pat on them, or nearly, keeps."""

    def kept() -> Iterable[Kept]:
        some = (ranks for ranks in combinations(range(13), 5) if holdings.is_nothing(ranks))
        for at, ranks in enumerate(islice(some, 0, None, 7)):
            yield (
                tuple(4 * rank + (at + place) % 4 for place, rank in enumerate(ranks))[5 - size :],
                _SNOW_COUNT,
            )

    return kept


def _pat() -> Iterable[Kept]:
    return chain(holdings.straights(), holdings.flushes(), holdings.full_houses(), holdings.four_of_a_kind())


def _drawing() -> Iterable[Kept]:
    return chain(holdings.four_flushes(), holdings.open_straights())


def _pat_pairs() -> Iterable[Kept]:
    """Each pair with three other cards."""
    for pair, count in holdings.pairs():
        others = (4 * ((pair[0] // 4 + step) % 13) + step % 4 for step in (3, 6, 9))
        yield tuple(sorted((*pair, *others))), count


def _pair_and_kicker() -> Iterable[Kept]:
    """With an ace, or a king beside aces."""
    for pair, count in holdings.pairs():
        kicker = _KING if pair[0] >> 2 == _ACE else _ACE
        for card in range(4 * kicker, 4 * kicker + 4):
            yield tuple(sorted((*pair, card))), count // 4


def _trips_and_kicker() -> Iterable[Kept]:
    for trips, count in holdings.three_of_a_kind():
        for card in range(52):
            if card >> 2 != trips[0] >> 2:
                yield tuple(sorted((*trips, card))), count // 48


_SNOW_COUNT: Final = 1_000
"""Deals of nothing for each set of it: of a million, about."""
_NONE: Final = _Way(0.0, tuple, (0.0, 0.0, 0.0, 0.0, 0.0))
_HANDS: Final = {
    "nothing": _Hand(
        (1.0, 0.95, 0.04, 0.03, 0.01),
        (
            _Way(0.02, _some(_snow(5), 7), (1.0, 0.0, 0.0, 0.0, 0.0)),
            _Way(0.02, _some(_snow(4), 7), (0.74, 0.26, 0.0, 0.0, 0.0)),
            _Way(0.14, _some(holdings.high_cards, 3), (0.5, 0.42, 0.06, 0.015, 0.005)),
            _Way(0.82, _some(holdings.high_cards, 3), (0.5, 0.42, 0.06, 0.015, 0.005)),
        ),
        high=0.5,
    ),
    "a draw": _Hand(
        (1.0, 0.85, 0.5, 0.12, 0.03),
        (_NONE, _Way(1.0, _some(_drawing, 7), (0.56, 0.26, 0.0, 0.0, 0.18)), _NONE, _NONE),
    ),
    "a pair": _Hand(
        (1.0, 0.7, 0.4, 0.35, 0.06),
        (
            _Way(0.005, _some(_pat_pairs, 1), (0.0, 1.0, 0.0, 0.0, 0.0)),
            _NONE,
            _Way(0.15, _some(_pair_and_kicker, 1), (0.0, 0.741, 0.172, 0.078, 0.009)),
            _Way(0.845, _some(holdings.pairs, 1), (0.0, 0.713, 0.16, 0.114, 0.013)),
        ),
        high=1.0,
    ),
    "two pair": _Hand(
        (1.0, 0.2, 0.4, 0.85, 0.4),
        (
            _Way(0.03, _some(holdings.two_pair, 23), (0.0, 0.0, 0.915, 0.0, 0.085)),
            _Way(0.97, _some(holdings.two_pair, 5), (0.0, 0.0, 0.915, 0.0, 0.085)),
            _NONE,
            _NONE,
        ),
        high=0.3,
    ),
    "trips": _Hand(
        (1.0, 0.2, 0.3, 0.9, 0.8),
        (
            _NONE,
            _Way(0.35, _some(_trips_and_kicker, 7), (0.0, 0.0, 0.0, 0.915, 0.085)),
            _Way(0.65, _some(holdings.three_of_a_kind, 1), (0.0, 0.0, 0.0, 0.896, 0.104)),
            _NONE,
        ),
    ),
    "pat": _Hand(
        (1.0, 0.15, 0.2, 0.9, 0.9),
        (_Way(1.0, _some(_pat, 23), (0.0, 0.0, 0.0, 0.0, 1.0)), _NONE, _NONE, _NONE),
    ),
}
"""What equilibrium play makes of them, about: none is left out altogether. Where a set has fewer cards than were kept,
the others may be any.
"""
