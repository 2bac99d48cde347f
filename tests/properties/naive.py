"""Naive twins: the rules read once more, slowly and without a look at the engine's own code.

Nothing here may import a rule function of the engine; what the two agree on is then right by two readings.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import floor

Layer = tuple[int, tuple[int, ...]]
"""A pot: its amount, and the seats that can win it in ascending order."""


def five_card_strength(cards: Sequence[int]) -> tuple[int, ...]:
    """The strength of exactly five cards: the category, then the ranks by how often and how high they come."""
    ranks = [card // 4 for card in cards]
    often = Counter(ranks)
    order = sorted(ranks, key=lambda rank: (often[rank], rank), reverse=True)
    shape = sorted(often.values(), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    straight = len(often) == 5 and max(ranks) - min(ranks) == 4
    if set(ranks) == {12, 0, 1, 2, 3}:
        straight, order = True, [3, 2, 1, 0, -1]
    if straight:
        return (8 if flush else 4, *order)
    if flush:
        return (5, *order)
    shapes = [[1, 1, 1, 1, 1], [2, 1, 1, 1], [2, 2, 1], [3, 1, 1], [], [], [3, 2], [4, 1]]
    return (shapes.index(shape), *order)


def strength(cards: Sequence[int]) -> tuple[int, ...]:
    """The strength of the best five of five to seven cards."""
    return max(five_card_strength(five) for five in combinations(cards, 5))


def uncalled(put_in: Mapping[int, int], live: Iterable[int]) -> tuple[int, int]:
    """Whose bet nobody matched and by how much (N17), (0, 0) for nobody's; `put_in` without dead money."""
    for seat in live:
        others = max(chips for other, chips in put_in.items() if other != seat)
        if put_in[seat] > others:
            return seat, put_in[seat] - others
    return 0, 0


def chip_by_chip(put_in: Mapping[int, int], dead: int, live: Iterable[int]) -> list[Layer]:
    """The pots, each chip put by hand into the pot of the lowest live level that reaches it (P1, P2, P6)."""
    levels = sorted({put_in[seat] for seat in live})
    amounts = [dead] + [0] * (len(levels) - 1)
    for chips in put_in.values():
        for height in range(1, chips + 1):
            reaching = [place for place, level in enumerate(levels) if level >= height]
            amounts[reaching[0] if reaching else -1] += 1
    return [
        (amount, tuple(sorted(seat for seat in live if put_in[seat] >= level)))
        for amount, level in zip(amounts, levels, strict=True)
        if amount
    ]


def peeled(put_in: Mapping[int, int], dead: int, live: Iterable[int]) -> list[Layer]:
    """The same pots for any amounts: again and again the shortest live rest is taken from everybody."""
    rest, pots = dict(put_in), []
    playing = sorted(live)
    # A live seat with nothing in (its stack was dead money) can win that money alone.
    while playing:
        shortest = min(rest[seat] for seat in playing)
        taken = {seat: min(chips, shortest) for seat, chips in rest.items()}
        rest = {seat: chips - taken[seat] for seat, chips in rest.items()}
        pots.append((sum(taken.values()), tuple(playing)))
        playing = [seat for seat in playing if rest[seat]]
    pots[0] = (pots[0][0] + dead, pots[0][1])
    pots[-1] = (pots[-1][0] + sum(rest.values()), pots[-1][1])
    return [pot for pot in pots if pot[0]]


def shares(amount: int, winners: Sequence[int]) -> list[int]:
    """What each winner gets, the chips dealt out one by one from the first on (P5); for amounts of any size."""
    each = amount // len(winners)
    given = [each] * len(winners)
    for place in range(amount - each * len(winners)):
        given[place] += 1
    return given


def level(bet: int, unit: int) -> int:
    """How many units a fixed-limit bet counts as: half a unit or more is a full one (D6)."""
    return floor(Fraction(bet, unit) + Fraction(1, 2))
