"""Equity by going through every deal with the engine's own ranking: slow, plain, and what kernels are held to."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, isclose

from bots.equity.kernels import TO_DRAW, DrawOpponent, HoldemPlayer
from engine.cards import FULL_DECK
from engine.ranking import category, rank


def close(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two outcomes are the same but for rounding, relative to all deals."""
    whole = max(1.0, sum(one))
    return len(one) == len(other) and all(
        isclose(a, b, rel_tol=0, abs_tol=1e-11 * whole) for a, b in zip(one, other, strict=True)
    )


def doubles(content: bytes) -> list[float]:
    return list(memoryview(content).cast("d"))


def add(counts: list[float], strengths: Sequence[int], weight: float) -> None:
    best, n = max(strengths), len(strengths)
    among = strengths.count(best)
    for player, strength in enumerate(strengths):
        if strength == best:
            counts[player * n + among - 1] += weight


def holdem(players: Sequence[HoldemPlayer], board: bytes, dead: bytes) -> list[float]:
    known = {*board, *dead}
    counts = [0.0] * len(players) ** 2
    for holes, weight in _assignments([_combos(player) for player in players], frozenset(known)):
        held = known.union(*holes)
        for drawn in combinations([card for card in FULL_DECK if card not in held], 5 - len(board)):
            add(counts, [rank((*hole, *board, *drawn)) for hole in holes], weight)  # type: ignore[arg-type]  # bytes are cards
    return counts


def _combos(player: HoldemPlayer) -> list[tuple[tuple[int, int], float]]:
    if player is None:
        return [(two, 1.0) for two in combinations(FULL_DECK, 2)]
    cards, weights = player
    pairs = list(zip(cards[::2], cards[1::2], strict=True))
    return list(zip(pairs, doubles(weights) if weights else [1.0] * len(pairs), strict=True))


def _assignments(
    ranges: Sequence[Sequence[tuple[tuple[int, int], float]]], known: frozenset[int]
) -> Iterator[tuple[list[tuple[int, int]], float]]:
    if not ranges:
        yield [], 1.0
        return
    for combo, weight in ranges[0]:
        if known.isdisjoint(combo):
            for others, product in _assignments(ranges[1:], known.union(combo)):
                yield [combo, *others], weight * product


def draw(kept: bytes, opponents: Sequence[DrawOpponent], dead: bytes) -> list[float]:
    """Outcomes as shares of all deals: sets of kept cards by weight, then all draws alike."""
    known = frozenset((*kept, *dead))
    counts = [0.0] * (1 + len(opponents)) ** 2
    for held, weight in _kept(opponents, known):
        used = known.union(*held)
        for hands, draws in _drawn([*held, tuple(kept)], used):
            share = weight / draws
            strengths = [rank(hand) for hand in hands]  # type: ignore[arg-type]  # bytes are cards
            for opponent, strength in zip(opponents, strengths, strict=False):
                if opponent and opponent[2]:
                    share *= doubles(opponent[2])[category(strength)]
            add(counts, [strengths[-1], *strengths[:-1]], share)
    whole = sum(
        counts[p * (1 + len(opponents)) + k] / (k + 1)
        for p in range(1 + len(opponents))
        for k in range(1 + len(opponents))
    )
    return [count / whole for count in counts]


def _kept(
    opponents: Sequence[DrawOpponent], known: frozenset[int]
) -> Iterator[tuple[list[tuple[int, ...]], float]]:
    if not opponents:
        yield [], 1.0
        return
    entries, weights, _ = opponents[0] or (bytes([TO_DRAW] * 5), None, None)
    for i in range(len(entries) // 5):
        cards = tuple(card for card in entries[5 * i : 5 * i + 5] if card != TO_DRAW)
        if known.isdisjoint(cards):
            for others, product in _kept(opponents[1:], known.union(cards)):
                yield [cards, *others], product * (doubles(weights)[i] if weights else 1.0)


def _drawn(
    held: Sequence[tuple[int, ...]], used: frozenset[int]
) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """All final hands, and how many such draws there are in all."""
    if not held:
        yield [], 1
        return
    deck = [card for card in FULL_DECK if card not in used]
    missing = 5 - len(held[0])
    for cards in combinations(deck, missing):
        for others, draws in _drawn(held[1:], used.union(cards)):
            yield [(*held[0], *cards), *others], draws * comb(len(deck), missing)
