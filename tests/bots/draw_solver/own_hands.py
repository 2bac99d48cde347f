"""The best responder's own hands: his classes before the draw, his ways of keeping cards, his classes after it.

They are not the solver's: finer before the draw, with more ways of keeping, and other borders after it.
"""

import numpy as np
from numpy.typing import NDArray

from tests.bots.draw_solver.deals import STRENGTHS, Cards, Floats, Ints, own_draws, strengths

HAND_CLASSES = 4096
DRAWN = (0, 1, 2, 3, 1, 1, 2)
"""The cards drawn by each way of keeping, see `kept`."""
_STRAIGHT = 5854
"""The least strength of a straight."""
_FINALS = 400
_RUNS = (0b1_0000_0000_1111, *(0b11111 << low for low in range(9)))


def ordered(hands: Cards) -> Cards:
    """Each hand by how many it has of a rank, then by rank, the highest first."""
    ranks = hands >> 2
    many = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    order = np.argsort(-(64 * many + hands), axis=1)
    return np.take_along_axis(hands, order, axis=1)


def kept(hands: Cards) -> list[Cards]:
    """What each way of keeping keeps of ordered hands.

    All; the first four, three, two; four to a flush, four to a straight, three to a flush. A hand without that draw
    keeps its first cards, as many.
    """
    many, suit = _suited(hands)
    first = np.argsort(hands & 3 != suit[:, None], axis=1, kind="stable")
    by_suit = np.take_along_axis(hands, first, axis=1)
    outs, out = _four_straight(hands)
    to_straight = np.arange(4) + (np.arange(4) >= np.where(outs > 0, out, 4)[:, None])
    return [
        *(hands[:, :keep] for keep in (5, 4, 3, 2)),
        np.where((many == 4)[:, None], by_suit, hands)[:, :4],
        np.take_along_axis(hands, to_straight, axis=1),
        np.where((many == 3)[:, None], by_suit, hands)[:, :3],
    ]


def hand_class(hands: Cards) -> Ints:
    """The class of ordered hands: the two ranks that decide, how many there are of them, and draws to four cards."""
    ranks = (hands >> 2).astype(np.int64)
    same = [ranks[:, at] == ranks[:, at + 1] for at in range(3)]
    pattern = np.select([same[0] & same[1], same[0] & same[2], same[0]], [3, 2, 1])
    second = np.choose(pattern, [ranks[:, 1], ranks[:, 2], ranks[:, 2], np.zeros(len(hands), np.int64)])
    many, _ = _suited(hands)
    outs, _ = _four_straight(hands)
    draw = np.select([many == 4, outs == 2, outs == 1], [3 + (outs > 0), 2, 1])
    draw = np.where((pattern > 1) | ((pattern == 1) & (draw == 1)), 0, draw)
    found = ((pattern * 5 + draw) * 13 + ranks[:, 0]) * 13 + second
    strength = strengths(hands)
    return np.where(strength >= _STRAIGHT, 4 * 5 * 169 + (strength - _STRAIGHT) // 50, found)


def finals_from(seed: int) -> Ints:
    """Where the classes of his final hands begin: about as many hands in each, of those that draw one to three."""
    own, new = next(own_draws(100_000, seed))
    keeps = kept(ordered(own))
    ended = [strengths(np.hstack([keeps[drawn], new[:, :drawn]])) for drawn in (1, 2, 3)]
    borders = np.quantile(np.concatenate(ended), np.linspace(0, 1, _FINALS)[1:])
    return np.unique(np.concatenate([borders.astype(np.int64), np.arange(_STRAIGHT, STRENGTHS, 40)]))


def outcomes(count: int, seed: int, borders: Ints) -> list[Floats]:
    """How often each class ends in each final class, a matrix for each way of keeping; estimated from `count` hands."""
    wide = len(borders) + 1
    found = [np.zeros(HAND_CLASSES * wide) for _ in DRAWN]
    for own, new in own_draws(count, seed):
        hands = ordered(own)
        row = hand_class(hands) * wide
        for way, keep in enumerate(kept(hands)):
            ended = strengths(np.hstack([keep, new[:, : DRAWN[way]]]))
            found[way] += np.bincount(
                row + np.searchsorted(borders, ended, side="right"), minlength=len(found[way])
            )
    tables = [each.reshape(HAND_CLASSES, wide) for each in found]
    return [table / np.maximum(table.sum(axis=1, keepdims=True), 1) for table in tables]


def _suited(hands: Cards) -> tuple[Ints, Ints]:
    """How many cards the longest suit has, and which it is."""
    counts = np.stack([(hands & 3 == suit).sum(axis=1) for suit in range(4)], axis=1)
    return counts.max(axis=1), counts.argmax(axis=1)


def _four_straight(hands: Cards) -> tuple[NDArray[np.int64], Ints]:
    """How many ranks complete the best four of five to a straight, and which card is then left out."""
    bits = 1 << (hands >> 2).astype(np.int64)
    best, out = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    for without in range(4, -1, -1):
        mask = np.bitwise_or.reduce(np.delete(bits, without, axis=1), axis=1)
        outs = np.sum([(mask & run) == mask for run in _RUNS], axis=0) * (np.bitwise_count(mask) == 4)
        better = outs >= np.maximum(best, 1)
        best, out = np.where(better, outs, best), np.where(better, without, out)
    return best, out
