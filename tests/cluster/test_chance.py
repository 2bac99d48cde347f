"""Chance: whole decks, every order equally likely, from the operating system and nothing else."""

import os
from collections import Counter

import pytest

from cluster import chance
from engine.cards import FULL_DECK
from engine.commands import LOTS


def chi_square(counts: Counter[int], cells: int, drawn: int) -> float:
    expected = drawn / cells
    return sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))


def test_a_deck_is_all_52_cards() -> None:
    for _ in range(200):
        assert sorted(chance.shuffled_deck()) == list(FULL_DECK)


def test_every_card_is_as_likely_in_every_place() -> None:
    """Chi-square of 52 x 52 cells at one in a million, so that the test is no lottery."""
    decks = 20_000
    places = [Counter[int]() for _ in range(52)]
    for _ in range(decks):
        for place, card in enumerate(chance.shuffled_deck()):
            places[place][card] += 1
    total = sum(chi_square(counts, 52, decks) for counts in places)
    degrees = 51 * 51
    assert abs(total - degrees) < 5 * (2 * degrees) ** 0.5


def test_neighbours_are_independent() -> None:
    decks = 20_000
    gaps = Counter[int]()
    for _ in range(decks):
        deck = chance.shuffled_deck()
        gaps[(deck[1] - deck[0]) % 52 - 1] += 1
    assert abs(chi_square(gaps, 51, decks) - 50) < 6 * 100**0.5


def test_every_lot_is_as_likely() -> None:
    drawn = 252_000
    counts = Counter(chance.lot() for _ in range(drawn))
    assert set(counts) <= set(range(LOTS))
    assert abs(chi_square(counts, LOTS, drawn) - (LOTS - 1)) < 6 * (2 * (LOTS - 1)) ** 0.5


def test_draws_that_would_be_biased_are_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """65,535 is past every limit of a number of cards that does not divide 65,536."""
    urandom = os.urandom
    asked: list[int] = []

    def all_ones_first(count: int) -> bytes:
        asked.append(count)
        return b"\xff" * count if len(asked) == 1 else urandom(count)

    monkeypatch.setattr(os, "urandom", all_ones_first)
    assert sorted(chance.shuffled_deck()) == list(FULL_DECK)
    assert len(asked) > 1


def test_a_hand_is_dealt_from_a_new_deck() -> None:
    decks = {chance.hand_start().deck for _ in range(100)}
    assert len(decks) == 100


def test_bots_chance_is_as_likely_everywhere() -> None:
    bots = chance.PooledChance()
    drawn = 100_000
    floats = Counter(int(bots.random() * 100) for _ in range(drawn))
    numbers = Counter(bots.randrange(100) for _ in range(drawn))
    for counts in (floats, numbers):
        assert set(counts) <= set(range(100))
        assert abs(chi_square(counts, 100, drawn) - 99) < 6 * (2 * 99) ** 0.5


def test_what_bots_were_given_is_never_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No byte of the operating system's is used twice, over the end of what was read at a time too."""
    given = iter(range(1 << 20))
    monkeypatch.setattr(
        os, "urandom", lambda size: b"".join(next(given).to_bytes(4, "little") for _ in range(size // 4))
    )
    bots = chance.PooledChance()
    assert [bots.getrandbits(32) for _ in range(5_000)] == list(range(5_000))
