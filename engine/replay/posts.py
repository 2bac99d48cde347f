"""Posts: what a recorded hand's forced bets say about its blinds, its order and what is owed.

Law of this file: amounts are taken as recorded. Which blind is live follows from where its seat sits: the big
blind is the first one posted clockwise from the button, and a small blind after it is dead (B3, B4).
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.events import AntePosted, Blind, BlindPosted
from engine.replay.recorded import BadRecord
from engine.units import NOBODY, Chips, Seat
from engine.value import value

Post = tuple[Seat, str, Chips]
"""A seat, a kind (ante, sb, bb, sb+bb, dead) and an amount."""


@value
class Blinds:
    """Whose the blinds are, the big blind that is owed, and the posts as events."""

    small_blind: Seat
    big_blind: Seat
    full: Chips
    """The big blind in full; 0 without blinds."""
    posts: tuple[AntePosted | BlindPosted, ...]


def clockwise(seats: Iterable[Seat], button: Seat, posts: Sequence[Post]) -> tuple[Seat, ...]:
    """The seats from the first one left of the button, which may be an empty seat.

    Without a known button (NOBODY) the small blind is taken to be the first, or else the big blind.
    """
    ring = sorted(seats)
    if button != NOBODY:
        start = next((place for place, seat in enumerate(ring) if seat > button), 0)
    else:
        blinds = [
            seat for kind in ("sb", "bb") for seat, posted, _ in posts if posted == kind and seat in ring
        ]
        start = ring.index(blinds[0]) if blinds else 0
    return tuple(ring[start:] + ring[:start])


def blinds_of(
    posts: Sequence[Post],
    order: tuple[Seat, ...],
    *,
    stacks: Mapping[Seat, Chips],
    stated: Chips,
    called: Chips,
) -> Blinds:
    """Read the posts of the seats `order`.

    `stated` is the big blind that the file names, and `called` what the first to call had in after it; 0 for none.
    """
    small, big = _seats(posts, order)
    full = _full(posts, stacks) or stated or called or _at_least(posts)
    events: list[AntePosted | BlindPosted] = []
    for seat, kind, amount in _antes_first(posts, order, stacks, big):
        match kind:
            case "ante":
                events.append(AntePosted(seat, amount))
            case "sb":
                events.append(BlindPosted(seat, Blind.SMALL if seat == small else Blind.DEAD, amount))
            case "bb":
                events.append(BlindPosted(seat, Blind.BIG, amount))
            case "dead":
                events.append(BlindPosted(seat, Blind.DEAD, amount))
            case "sb+bb":
                live = Chips(min(amount, full))
                events.append(BlindPosted(seat, Blind.BIG, live))
                if amount > live:
                    events.append(BlindPosted(seat, Blind.DEAD, Chips(amount - live)))
            case _:
                raise BadRecord(f"a post of the kind {kind!r} is not known")
    return Blinds(small, big, full if big else Chips(0), tuple(events))


def _seats(posts: Sequence[Post], order: tuple[Seat, ...]) -> tuple[Seat, Seat]:
    """Who has the small and the big blind; NOBODY where there is none."""
    small_posts = [seat for seat in order if (seat, "sb") in ((seat, kind) for seat, kind, _ in posts)]
    big_posts = [seat for seat in order if (seat, "bb") in ((seat, kind) for seat, kind, _ in posts)]
    if not big_posts:
        # Whose ante left nothing for the big blind posts none, and owes it all the same (N10).
        if not small_posts:
            return NOBODY, NOBODY
        return small_posts[0], order[(order.index(small_posts[0]) + 1) % len(order)]
    big = big_posts[0]
    heads_up = len(order) == 2
    live = [seat for seat in small_posts if heads_up or order.index(seat) < order.index(big)]
    return (live[0] if live else NOBODY), big


def _antes_first(
    posts: Sequence[Post], order: tuple[Seat, ...], stacks: Mapping[Seat, Chips], big: Seat
) -> list[Post]:
    """The posts, with what a site calls the blind of a player whose ante took his whole stack called an ante (A2).

    It is one where everybody else antes; a big blind who alone antes does so for all.
    """
    antes = {seat: amount for seat, kind, amount in posts if kind == "ante"}
    missing = [seat for seat in order if seat not in antes]
    if len(missing) != 1 or set(antes) == {big}:
        return list(posts)
    (short,) = missing
    if sum(amount for seat, _, amount in posts if seat == short) < stacks[short]:
        return list(posts)
    tidy: list[Post] = []
    for seat, kind, amount in posts:
        ante = Chips(min(amount, max(antes.values()))) if seat == short else Chips(0)
        tidy += [(seat, "ante", ante)] if ante else []
        tidy += [(seat, kind, Chips(amount - ante))] if amount > ante else []
    return tidy


def _full(posts: Sequence[Post], stacks: Mapping[Seat, Chips]) -> Chips:
    """The big blind as posted by somebody who had more; 0 if nobody did."""
    for seat, kind, amount in posts:
        spent = sum(chips for other, _, chips in posts if other == seat)
        if kind == "bb" and spent < stacks[seat]:
            return amount
    return Chips(0)


def _at_least(posts: Sequence[Post]) -> Chips:
    """The least that the big blind can be: a blind that was posted short, or twice the small one."""
    return Chips(
        max((amount * (2 if kind == "sb" else 1) for _, kind, amount in posts if kind != "ante"), default=0)
    )
