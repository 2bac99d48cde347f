"""The strength of five cards as tables of draw have it, without numpy and without a compiled kernel.

A salon's process plays by a table and computes nothing else: it shall not load numpy for that.
"""

from collections.abc import Sequence
from functools import cache

from bots.equity.tables import Tables, load


def strength_of_five(cards: Sequence[int]) -> int:
    """1 (seven high) to 7462 (a royal flush); see `bots.equity.tables`."""
    tables = _tables()
    suit = cards[0] & 3
    if all(card & 3 == suit for card in cards):
        return _at(tables.flush, sum(1 << (card >> 2) for card in cards))
    key = sum(tables.weights[card >> 2] for card in cards) & 0xFFFFFFFF
    return _at(tables.strength5, (key + _at(tables.displace5, key >> 22)) & 8191)


@cache
def _tables() -> Tables:
    return load()


def _at(numbers: memoryview, place: int) -> int:
    return int.from_bytes(numbers[2 * place : 2 * place + 2], "little")
