"""Conflicts: whether several players can hold cards of their ranges at once, no card twice.

Cards are bit masks of 52 bits here, and a way is what a player may hold. The search serves the player with
the fewest ways first and remembers what failed. Two reductions keep it short, even for ranges made to
defeat it: who has more ways than the others' cards can spoil is always served, and a card that a player
can pair with more cards than the others hold is as good as a way by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_Ways = Sequence[int]
_DECK: Final = 52
_PATIENCE: Final = 3_000
"""Failed states after which a search is given up."""


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some cards, none of them twice."""
    return sum(1 << card for card in cards)


def is_possible(players: Sequence[_Ways]) -> bool:
    """Whether each player can hold one of his ways, with no card in two of them.

    Where the search would take long, which no range that means something does, the answer is yes.
    """
    return _succeeds_at_once(players) or _can_serve(_reduced(dict(enumerate(players))), set())


def conflict(players: Sequence[_Ways]) -> tuple[int, ...]:
    """A group of players, by index, who cannot hold cards at once, while any fewer of them could; or nobody."""
    if is_possible(players):
        return ()
    group = list(range(len(players)))
    for player in range(len(players)):
        fewer = [index for index in group if index != player]
        if not is_possible([players[index] for index in fewer]):
            group = fewer
    return tuple(group)


def _succeeds_at_once(players: Sequence[_Ways]) -> bool:
    """Whether it goes well when each player, fewest ways first, takes the first way that is free."""
    used = 0
    for ways in sorted(players, key=len):
        way = next((way for way in ways if not way & used), None)
        if way is None:
            return False
        used |= way
    return True


def _reduced(left: Mapping[int, _Ways]) -> Mapping[int, _Ways]:
    """Without those who are always served, and with single cards in place of all that they pair with.

    The single cards are right since their player may choose the other card last.
    """
    most = {player: max((way.bit_count() for way in ways), default=0) for player, ways in left.items()}
    others = {player: sum(most.values()) - most[player] for player in left}
    for player, ways in left.items():
        if _is_always_served(ways, others[player]):
            return _reduced({key: theirs for key, theirs in left.items() if key != player})
    return {player: _with_single_cards(ways, others[player]) for player, ways in left.items()}


def _is_always_served(ways: _Ways, others: int) -> bool:
    """Whether no `others` cards can be in all of the ways."""
    if 0 in ways or len(ways) <= others:
        return 0 in ways
    if len(ways) > others * (_DECK - 1) and max(way.bit_count() for way in ways) <= 2:
        return True
    counts = sorted(_counts(ways).values(), reverse=True)
    return len(ways) > sum(counts[:others])


def _with_single_cards(ways: _Ways, others: int) -> _Ways:
    """The ways, pairs of a card with more than `others` cards put together to that card."""
    if any(way.bit_count() != 2 for way in ways):
        return ways
    single = mask_of(card for card, count in _counts(ways).items() if count > others)
    cards = [1 << card for card in range(_DECK) if single >> card & 1]
    return [*cards, *(way for way in ways if not way & single)]


def _counts(ways: _Ways) -> dict[int, int]:
    """In how many ways each card is."""
    return {card: sum(way >> card & 1 for way in ways) for card in range(_DECK)}


def _can_serve(left: Mapping[int, _Ways], failed: set[frozenset[tuple[int, int]]]) -> bool:
    """Whether all who are left can be served; `failed` remembers who could not, with what was free.

    The cards of a player's free ways say which ways are free: those that lie within them.
    """
    if not left or len(failed) > _PATIENCE:
        return True
    if not all(left.values()) or not _has_room(left):
        return False
    player = min(left, key=lambda key: len(left[key]))
    for way in left[player]:
        rest = {key: [w for w in ways if not w & way] for key, ways in left.items() if key != player}
        state = frozenset((key, _union(ways)) for key, ways in rest.items())
        if state not in failed:
            if _can_serve(rest, failed):
                return True
            failed.add(state)
    return False


def _has_room(left: Mapping[int, _Ways]) -> bool:
    """Whether there are enough cards: a way never reaches over two groups of linked cards."""
    least = min(way.bit_count() for ways in left.values() for way in ways)
    groups: list[int] = []
    for way in {way for ways in left.values() for way in ways}:
        apart = [group for group in groups if not group & way]
        groups = [*apart, way | _union([group for group in groups if group & way])]
    return sum(group.bit_count() // least for group in groups) >= len(left)


def _union(ways: _Ways) -> int:
    mask = 0
    for way in ways:
        mask |= way
    return mask
