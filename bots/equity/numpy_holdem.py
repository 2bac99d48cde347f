"""Hold'em in numpy: sampled, and exact by going through all boards."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bots.equity.kernels import HoldemPlayer
from bots.equity.numpy_cards import (
    KEY,
    KEY_START,
    SET,
    Bytes,
    Keys,
    Places,
    Sets,
    Strengths,
    key_of,
    set_of,
    strengths7,
    subsets,
)
from bots.equity.numpy_chance import Choices, Decks, choose, generator
from bots.equity.numpy_outcomes import outcomes
from bots.equity.numpy_spots import Combos, HoldemSeats, any_two, deck_without, holdem_seats

_COMBOS: Final = 1326
_BLOCK: Final = 16384
"""Samples that are dealt at once, so that what is worked on stays in the cache."""
_STRENGTHS: Final = 1 << 16
"""Strengths that an exact result has in hand at once."""
_FEW: Final = 16
"""So many combos are gone through one by one; where both players have more, boards are."""
_MOST_BOARDS: Final = 255
"""Boards in a block that are counted in eight bits."""


def holdem_sample(
    players: Sequence[HoldemPlayer],
    board: bytes,
    dead: bytes,
    seed: int,
    samples: int,
    wide: bool,  # noqa: ARG001, FBT001 - as the C function
    /,
) -> list[int]:
    """See `kernels.Kernel`; `wide` changes nothing here."""
    seats = holdem_seats(players, board, dead)
    chance = generator(seed)
    deck = _deck(seats, seats.players)
    ranges = {p: one.choices for p, one in enumerate(seats.players) if one is not None and len(one) > 1}
    counts = np.zeros((len(players), len(players)), np.int64)
    for start in range(0, samples, _BLOCK):
        counts += outcomes(_dealt(seats, ranges, deck, chance, min(_BLOCK, samples - start)))
    whole: list[int] = counts.ravel().tolist()
    return whole


def _dealt(
    seats: HoldemSeats, ranges: dict[int, Choices], deck: Bytes, chance: np.random.Generator, size: int
) -> Strengths:
    """The strengths of each player, a row each, in `size` deals."""
    decks = Decks(deck, size, chance)
    holes: list[Bytes | None] = [None if one is None else one.cards for one in seats.players]
    if ranges:
        for (p, _), places in zip(ranges.items(), choose(tuple(ranges.values()), size, chance), strict=True):
            one = holes[p]
            assert one is not None, "a player with a range has combos"
            holes[p] = hole = one.take(places, axis=1)
            for cards in hole:
                decks.take(cards)
    hands = [np.stack([decks.draw(), decks.draw()]) if hole is None else hole for hole in holes]
    common = [decks.draw() for _ in range(5 - len(seats.board))]
    keys = np.full(size, KEY_START + KEY[seats.board].sum(dtype=np.uint64))
    for cards in common:
        keys += KEY.take(cards)
    return np.stack([_strengths(hand, keys, seats.board, common) for hand in hands])


def _strengths(hand: Bytes, keys: Keys, board: Bytes, common: list[Bytes]) -> Strengths:
    """The strengths of hole cards, one column or one a deal, on boards of `board` and `common`."""

    def sets_at(places: Places) -> Sets:
        sets = (
            set_of(np.stack([cards[places] for cards in common]))
            if common
            else np.zeros(len(places), np.uint64)
        )
        sets |= np.bitwise_or.reduce(SET[board])
        sets |= set_of(hand) if hand.shape[1] == 1 else set_of(hand[:, places])
        return sets

    return strengths7(keys + KEY.take(hand[0]) + KEY.take(hand[1]), sets_at)


def holdem_exact(players: Sequence[HoldemPlayer], board: bytes, dead: bytes, /) -> list[float]:
    """See `kernels.Kernel`."""
    seats = holdem_seats(players, board, dead)
    combos = [any_two(seats.known) if one is None else one for one in seats.players]
    weights = _heads_up(seats, *combos) if len(combos) == 2 else _multiway(seats, combos)
    result: list[float] = weights.ravel().tolist()
    return result


def holdem_duels(
    first: HoldemPlayer, second: HoldemPlayer, board: bytes, dead: bytes, seed: int, boards: int, /
) -> bytes:
    """See `kernels.Kernel`."""
    seats = holdem_seats([first, second], board, dead)
    mine, theirs = (any_two(seats.known) if one is None else one for one in seats.players)
    if boards and len(board) < 5:
        decks = Decks(_deck(seats, [mine, theirs]), boards, generator(seed))
        drawn = np.stack([decks.draw() for _ in range(5 - len(board))])
    else:
        drawn = _all_boards(seats, [mine, theirs])
    duels = np.zeros((_COMBOS if first is None else len(first[0]) // 2, 3))
    duels[mine.places] = np.stack([pairs.sum(axis=1) for pairs in _pairs(seats, mine, theirs, drawn)], axis=1)
    return duels.tobytes()


def _deck(seats: HoldemSeats, combos: Iterable[Combos | None]) -> Bytes:
    """The cards that are neither known nor the only ones that a player can have."""
    gone = seats.known
    for one in combos:
        if one is not None and len(one) == 1:
            gone |= int(set_of(one.cards)[0])
    return deck_without(gone)


def _all_boards(seats: HoldemSeats, combos: Iterable[Combos]) -> Bytes:
    """All that may come to the board, a column each."""
    deck = _deck(seats, combos)
    return deck[subsets(len(deck), 5 - len(seats.board))]


def _boards(seats: HoldemSeats, drawn: Bytes, size: int) -> Iterator[tuple[Keys, Sets]]:
    """The keys and the sets of the known board with what is drawn to it, `size` boards at a time."""
    key, known = KEY[seats.board].sum(dtype=np.uint64), np.bitwise_or.reduce(SET[seats.board])
    for start in range(0, drawn.shape[1], size):
        cards = drawn[:, start : start + size]
        yield key_of(cards) + key, set_of(cards) | known


def _on_boards(combos: Combos, keys: Keys, sets: Sets) -> Strengths:
    """The strength of each combo, a row each, on each board; 0 where it holds a card of the board."""
    hole_keys, hole_sets = key_of(combos.cards) - KEY_START, set_of(combos.cards)
    boards = len(keys)
    all_keys = (hole_keys[:, None] + keys).ravel()
    strengths = strengths7(all_keys, lambda at: hole_sets.take(at // boards) | sets.take(at % boards))
    strengths = strengths.reshape(len(combos), boards)
    strengths[(hole_sets[:, None] & sets) != 0] = 0
    return strengths


def _heads_up(seats: HoldemSeats, first: Combos, second: Combos) -> NDArray[np.float64]:
    won, tied, met = _pairs(seats, first, second, _all_boards(seats, [first, second]))
    if first.weights is not None:
        won, tied, met = (first.weights @ pairs for pairs in (won, tied, met))
    wins, ties, deals = won.sum(), tied.sum(), met.sum()
    return np.array([wins, ties, deals - wins - ties, ties])


def _pairs(
    seats: HoldemSeats, first: Combos, second: Combos, drawn: Bytes
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each two combos, on how many boards the first one wins, ties and meets the second, times its weight."""
    if len(second) < len(first):
        lost, tied, met = (pairs.T for pairs in _counted(seats, second, first, drawn))
        won = met - tied - lost
    else:
        won, tied, met = _counted(seats, first, second, drawn)
    weight = (set_of(first.cards)[:, None] & set_of(second.cards) == 0) * 1.0
    if second.weights is not None:
        weight *= second.weights
    return won * weight, tied * weight, met * weight


def _counted(seats: HoldemSeats, fewer: Combos, others: Combos, drawn: Bytes) -> NDArray[np.int64]:
    """On how many boards each of the fewer combos wins, ties and meets each other one."""
    counts = np.zeros((3, len(fewer), len(others)), np.int64)
    size = max(1, _STRENGTHS // (len(fewer) + len(others)))
    compare = _compare_combos
    if len(fewer) > _FEW:
        size, compare = min(size, _MOST_BOARDS), _compare_boards
    for keys, sets in _boards(seats, drawn, size):
        compare(_on_boards(fewer, keys, sets), _on_boards(others, keys, sets), counts)
    return counts


def _compare_combos(mine: Strengths, theirs: Strengths, counts: NDArray[np.int64]) -> None:
    """One of our combos at a time, on all boards."""
    there = theirs > 0
    for combo, strengths in enumerate(mine):
        met = there & (strengths > 0)
        counts[0, combo] += np.count_nonzero((strengths > theirs) & met, axis=1)
        counts[1, combo] += np.count_nonzero((strengths == theirs) & met, axis=1)
        counts[2, combo] += np.count_nonzero(met, axis=1)


def _compare_boards(mine: Strengths, theirs: Strengths, counts: NDArray[np.int64]) -> None:
    """One board at a time, all combos."""
    few = np.zeros(counts.shape, np.uint8)
    for ours, others in zip(mine.T[:, :, None].copy(), theirs.T.copy(), strict=True):
        met = (ours > 0) & (others > 0)
        few[0] += (ours > others) & met
        few[1] += (ours == others) & met
        few[2] += met
    counts += few


def _multiway(seats: HoldemSeats, combos: list[Combos]) -> NDArray[np.float64]:
    """Judge each assignment of combos on each board."""
    n = len(combos)
    counts = np.zeros((n, n))
    size = max(1, _STRENGTHS // sum(len(one) for one in combos))
    for keys, sets in _boards(seats, _all_boards(seats, combos), size):
        strengths = [_on_boards(one, keys, sets) for one in combos]
        most = max(1, _STRENGTHS // (n * len(keys)))
        for places in _assignments(combos, most):
            weights = np.ones(len(places[0]))
            for one, at in zip(combos, places, strict=True):
                if one.weights is not None:
                    weights *= one.weights.take(at)
            hands = np.stack([rows.take(at, axis=0) for rows, at in zip(strengths, places, strict=True)])
            counts += _weighed(hands, weights)
    return counts


def _assignments(combos: list[Combos], most: int) -> Iterator[list[Places]]:
    """A combo for each player, none sharing a card: places in their combos, about `most` assignments at a time."""
    sets = [set_of(one.cards) for one in combos]

    def extended(places: list[Places], used: Sets) -> Iterator[list[Places]]:
        if len(places) == len(sets):
            yield places
            return
        more = sets[len(places)]
        size = max(1, most // len(more))
        for start in range(0, len(used), size):
            part = used[start : start + size]
            rows, columns = np.nonzero((part[:, None] & more) == 0)
            if len(rows):
                chosen = [at[start : start + size].take(rows) for at in places]
                yield from extended([*chosen, columns], part.take(rows) | more.take(columns))

    return extended([], np.zeros(1, np.uint64))


def _weighed(hands: Strengths, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of each outcome: strengths by player, assignment and board, 0 where the board has one of the cards."""
    n = len(hands)
    counts = np.zeros((n, n))
    winners = (hands == hands.max(axis=0)) & (hands.min(axis=0) > 0)
    among = winners.sum(axis=0, dtype=np.uint8)
    for k in range(1, n + 1):
        exactly = among == k
        if exactly.any():
            counts[:, k - 1] = np.count_nonzero(winners & exactly, axis=2) @ weights
    return counts
