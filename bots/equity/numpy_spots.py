"""Arguments of the numpy kernel: checked, and turned into arrays. What is impossible raises ValueError.

The checks are those of a boundary inside the program: `spots.py` tells users what is wrong with their spots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.kernels import TO_DRAW, DrawOpponent, HoldemPlayer
from bots.equity.numpy_cards import DECK, SET, Bytes, Places, Sets, set_of, subsets
from bots.equity.numpy_chance import Choices

_MOST_WEIGHT: Final = 1e300


@dataclass(frozen=True, slots=True)
class Combos:
    """The hole cards that a player may have: two rows of cards, a column each, and their weights (None: 1 each)."""

    cards: Bytes
    weights: NDArray[np.float64] | None
    places: Places
    """Where each was among those that came in, some of which were impossible."""

    def __len__(self) -> int:
        return len(self.cards[0])

    @property
    def choices(self) -> Choices:
        """What there is to choose from."""
        return Choices(set_of(self.cards), None if self.weights is None else self.weights.tobytes())

    def only(self, good: NDArray[np.bool_]) -> "Combos":
        """Those of them that are `good`."""
        weights = None if self.weights is None else self.weights[good]
        return Combos(self.cards[:, good], weights, self.places[good])


@dataclass(frozen=True, slots=True)
class HoldemSeats:
    """Players with their combos (None: any two cards), the board, and the cards that nobody can hold."""

    players: tuple[Combos | None, ...]
    board: Bytes
    known: int


@dataclass(frozen=True, slots=True)
class Opponent:
    """What an opponent at draw may have kept: five rows of cards, a column each set, kept cards before TO_DRAW."""

    kept: Bytes
    weights: NDArray[np.float64] | None
    goes_on: NDArray[np.float64] | None
    """By category; None: with all."""

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many cards each set has."""
        counts: NDArray[np.intp] = (self.kept != TO_DRAW).sum(axis=0)
        return counts

    @property
    def sets(self) -> Sets:
        """The kept cards as sets."""
        return kept_sets(self.kept)


@dataclass(frozen=True, slots=True)
class DrawSeats:
    """The own kept cards, the opponents, and the cards that are not in the deck."""

    kept: Bytes
    opponents: tuple[Opponent, ...]
    known: int

    @property
    def draws(self) -> int:
        """How many cards come to the own ones."""
        return 5 - len(self.kept)


def cards_in(content: bytes, known: int = 0) -> tuple[Bytes, int]:
    """Different cards that are not `known`, and their set."""
    cards = np.frombuffer(content, np.uint8)
    if (cards >= DECK).any():
        raise ValueError("a card is a number from 0 to 51")
    joined = int(np.bitwise_or.reduce(SET[cards])) if len(cards) else 0
    if joined & known or joined.bit_count() < len(cards):
        raise ValueError("a card is there twice")
    return cards, joined


def deck_without(known: int) -> Bytes:
    """The cards that are not in a set."""
    return np.flatnonzero(SET & np.uint64(known) == 0).astype(np.uint8)


def kept_sets(kept: Bytes) -> Sets:
    """The sets of columns of cards, some of them TO_DRAW."""
    sets = np.where(kept == TO_DRAW, np.uint64(0), SET.take(kept, mode="clip"))
    joined: Sets = np.bitwise_or.reduce(sets, axis=0)
    return joined


def any_two(known: int) -> Combos:
    """All combos of the cards that are not in a set, placed among all that there are."""
    cards = subsets(DECK, 2)
    return Combos(cards, None, np.arange(len(cards[0]))).only(set_of(cards) & np.uint64(known) == 0)


def holdem_seats(players: Sequence[HoldemPlayer], board: bytes, dead: bytes) -> HoldemSeats:
    """The seats of the kernel's arguments."""
    if not 2 <= len(players) <= 9:
        raise ValueError("there are 2 to 9 players")
    if len(board) not in (0, 3, 4, 5):
        raise ValueError("a board has 0, 3, 4 or 5 cards")
    board_cards, on_board = cards_in(board)
    _, gone = cards_in(dead, on_board)
    if len(dead) + 2 * len(players) + 5 > DECK:
        raise ValueError("there are not enough cards for a deal")
    known = on_board | gone
    combos = [None if player is None else _combos(*player, known) for player in players]
    return HoldemSeats(_settled(combos), board_cards, known)


def _combos(content: bytes, weights: bytes | None, known: int) -> Combos:
    n, odd = divmod(len(content), 2)
    if odd or not 1 <= n <= DECK * (DECK - 1) // 2:
        raise ValueError("a range has 1 to 1326 combos of two cards")
    cards = np.frombuffer(content, np.uint8).reshape(n, 2).T
    if (cards >= DECK).any():
        raise ValueError("a card is a number from 0 to 51")
    if (cards[0] == cards[1]).any():
        raise ValueError("a card is there twice")
    return Combos(cards, _weights(weights, n), np.arange(n)).only(set_of(cards) & np.uint64(known) == 0)


def _settled(players: list[Combos | None]) -> tuple[Combos | None, ...]:
    """Take away the combos that a player with a single combo rules out, as often as that leaves one more."""
    settled: set[int] = set()
    while True:
        if any(player is not None and len(player) == 0 for player in players):
            raise ValueError("no deal is possible: a player has no combo left")
        single = [
            p for p, one in enumerate(players) if one is not None and len(one) == 1 and p not in settled
        ]
        if not single:
            return tuple(players)
        settled.add(single[0])
        only = players[single[0]]
        for p, other in enumerate(players):
            if p != single[0] and other is not None and only is not None:
                players[p] = other.only(set_of(other.cards) & set_of(only.cards) == 0)


def draw_seats(kept: bytes, opponents: Sequence[DrawOpponent], dead: bytes) -> DrawSeats:
    """The seats of the kernel's arguments."""
    if not 1 <= len(opponents) <= 5:
        raise ValueError("there are 1 to 5 opponents")
    own, known = own_cards(kept, dead)
    if len(dead) + 5 * (1 + len(opponents)) > DECK:
        raise ValueError("there are not enough cards for a deal")
    return DrawSeats(own, tuple(_opponent(opponent, known) for opponent in opponents), known)


def own_cards(kept: bytes, dead: bytes) -> tuple[Bytes, int]:
    """The own kept cards, and the set of them and the dead ones."""
    if not 2 <= len(kept) <= 5:
        raise ValueError("two to five cards are kept")
    cards, own = cards_in(kept)
    _, gone = cards_in(dead, own)
    return cards, own | gone


def _opponent(opponent: DrawOpponent, known: int) -> Opponent:
    if opponent is None:
        return Opponent(np.full((5, 1), TO_DRAW, np.uint8), None, None)
    entries, weights, goes_on = opponent
    n, odd = divmod(len(entries), 5)
    if odd or not n:
        raise ValueError("an entry has five bytes")
    kept = np.frombuffer(entries, np.uint8).reshape(n, 5).T
    drawn = kept == TO_DRAW
    if (drawn[:-1] & ~drawn[1:]).any():
        raise ValueError("the cards to be drawn come last in an entry")
    if (~drawn & (kept >= DECK)).any():
        raise ValueError("a card is a number from 0 to 51")
    sets = kept_sets(kept)
    if (np.bitwise_count(sets) + np.count_nonzero(drawn, axis=0) != 5).any():
        raise ValueError("a card is there twice")
    good = sets & np.uint64(known) == 0
    if not good.any():
        raise ValueError("no deal is possible: an opponent has nothing left to hold")
    values = _weights(weights, n)
    return Opponent(kept[:, good], None if values is None else values[good], _goes_on(goes_on))


def _weights(weights: bytes | None, n: int) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    if len(weights) != 8 * n:
        raise ValueError("there is one weight of 8 bytes for each")
    values = np.frombuffer(weights, np.float64)
    if not ((values > 0) & (values < _MOST_WEIGHT)).all():
        raise ValueError("a weight is positive and finite")
    return values


def _goes_on(goes_on: bytes | None) -> NDArray[np.float64] | None:
    if goes_on is None:
        return None
    if len(goes_on) != 9 * 8:
        raise ValueError("goes_on has one probability of 8 bytes a category")
    values = np.frombuffer(goes_on, np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("goes_on holds probabilities from 0 to 1")
    if not values.any():
        raise ValueError("an opponent goes on with something")
    return values
