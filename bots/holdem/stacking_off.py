"""Playing for the stack before the flop: the equity of two cards against a share of the starting hands."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from bots.hand_classes import CLASSES, class_of, combos_of, meetings_of
from bots.holdem.order import places
from bots.push_fold.equities import BOARDS, PAIRS, stored

_SURPRISE: Final = 0.005
"""How often any hand is played like this all the same."""


def equity_against(cards: Sequence[int], share: float) -> float:
    """The equity of two cards all-in against the best `share` of hands, exactly but for the share's edge."""
    won = met = 0.0
    own = class_of(cards[0], cards[1])
    for number, (equity, meets) in enumerate(_row(own)):
        size = len(combos_of(number)) / 1326
        part = min(1.0, max(_SURPRISE, (share - (places()[number] - size / 2)) / size))
        won += part * meets * equity
        met += part * meets
    return won / met


@cache
def _row(own: int) -> tuple[tuple[float, int], ...]:
    """Against each class: the equity of a combo of `own`, and how many combos it can meet."""
    row = []
    for other in range(CLASSES):
        meets = meetings_of(own, other)
        row.append((_equity(own, other, meets), meets))
    return tuple(row)


def _equity(own: int, other: int, meets: int) -> float:
    if not meets:
        return 0.5
    if own <= other:
        return stored()[_AT[own, other]] / (2 * BOARDS * meets)
    return 1 - stored()[_AT[other, own]] / (2 * BOARDS * meetings_of(other, own))


_AT = {pair: at for at, pair in enumerate(PAIRS)}
