"""Reading a board: what two hole cards make of it, what they may still make, and how dangerous it is."""

from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from bots.straights import STRAIGHTS, rank_mask
from bots.strength import strength_of
from engine.ranking import Category, category

_OUTS: Final = {"flush": 9, "open_ended": 8, "gutshot": 4}


class Hold(IntEnum):
    """What the hole cards have to do with the hand's best five, the better the higher."""

    NOTHING = 0
    """The board plays, or high cards do."""
    LOW_PAIR = 1
    MIDDLE_PAIR = 2
    TOP_PAIR = 3
    OVERPAIR = 4
    TWO_PAIR = 5
    THREE_OF_A_KIND = 6
    STRAIGHT = 7
    FLUSH = 8
    FULL_HOUSE = 9


class Reading(NamedTuple):
    """Two hole cards on a flop, turn or river."""

    hold: Hold
    kicker: int
    """Rank of the higher hole card that is not paired; 12 the ace."""
    outs: int
    """Cards that would make a straight or a flush."""
    overcards: int
    """Hole cards above the board."""
    danger: float
    """0 for a dry board to 1 for one on which a straight or flush is likely."""


def read(cards: Sequence[int], board: Sequence[int]) -> Reading:
    """What the two hole cards are worth on this board of three to five."""
    top = max(card >> 2 for card in board)
    board_ranks = {card >> 2 for card in board}
    unpaired = [card >> 2 for card in cards if card >> 2 not in board_ranks]
    return Reading(
        hold=_hold(cards, board),
        kicker=max(unpaired, default=0),
        outs=_outs(cards, board) if len(board) < 5 else 0,
        overcards=sum(card >> 2 > top for card in cards),
        danger=danger(board),
    )


def danger(board: Sequence[int]) -> float:
    """How likely a board has made somebody a straight or a flush."""
    suited = max(Counter(card & 3 for card in board).values())
    mask = rank_mask(board)
    straight = max((mask & run).bit_count() for run in STRAIGHTS)
    return min(1.0, {1: 0.0, 2: 0.1, 3: 0.45}.get(suited, 0.9) + {1: 0.0, 2: 0.05, 3: 0.2}.get(straight, 0.5))


def _hold(cards: Sequence[int], board: Sequence[int]) -> Hold:
    strength = strength_of((*cards, *board))
    kind = category(strength)
    if len(board) == 5 and strength == strength_of(board):
        return Hold.NOTHING
    if kind >= Category.FULL_HOUSE:
        return Hold.FULL_HOUSE
    if kind in (Category.FLUSH, Category.STRAIGHT):
        return Hold.FLUSH if kind is Category.FLUSH else Hold.STRAIGHT
    return _by_pairs(cards, board, kind)


def _by_pairs(cards: Sequence[int], board: Sequence[int], kind: Category) -> Hold:
    """The hold by which hole cards pair; a pair that lies on the board is everybody's and counts for nothing."""
    counts = Counter(card >> 2 for card in board)
    own = [card >> 2 for card in cards]
    top = max(counts)
    if kind is Category.THREE_OF_A_KIND:
        return (
            Hold.THREE_OF_A_KIND
            if any(counts[r] < 3 and counts[r] + own.count(r) == 3 for r in own)
            else Hold.NOTHING
        )
    if own[0] == own[1]:
        return Hold.OVERPAIR if own[0] > top else _pair_of(own[0], counts)
    paired = [r for r in own if counts[r]]
    if len(paired) == 2:
        return Hold.TWO_PAIR
    return _pair_of(paired[0], counts) if paired else Hold.NOTHING


def _pair_of(pair: int, counts: Counter[int]) -> Hold:
    above = sum(board_rank > pair for board_rank in counts)
    return (Hold.TOP_PAIR, Hold.MIDDLE_PAIR)[above] if above < 2 else Hold.LOW_PAIR


def _outs(cards: Sequence[int], board: Sequence[int]) -> int:
    """Cards that make a flush or a straight in which a hole card plays."""
    everything = (*cards, *board)
    suits = Counter(card & 3 for card in everything)
    flush = any(suits[card & 3] == 4 for card in cards)
    mask, shared = rank_mask(everything), rank_mask(board)
    ways = {
        run & ~mask for run in STRAIGHTS if (mask & run).bit_count() == 4 and (shared & run).bit_count() < 4
    }
    straight = 0 if any((mask & run) == run for run in STRAIGHTS) else (0, 4, 8)[min(len(ways), 2)]
    return min(15, (_OUTS["flush"] if flush else 0) + straight)
