"""The button and the blinds: who is dealt into the next hand, and who posts what (B0-B4, C1).

Law of this file: it reads a table between hands and changes nothing. Seats in a list stand in ascending order
unless the name says `clockwise`.
"""

from bisect import bisect_right
from typing import Final

from engine.settings import least_stack
from engine.table import Dues, Player, Presence, Table
from engine.units import NOBODY, Seat
from engine.value import value

_PRESENT: Final = Presence.PRESENT
_NOTHING: Final = Dues.NOTHING
_OWES_LIVE: Final = (Dues.NEWCOMER_POSTS, Dues.BIG, Dues.BOTH)
_OWES_DEAD: Final = (Dues.SMALL, Dues.BOTH)
_MISSED_SMALL: Final = (Dues.SMALL, Dues.BOTH)
_MISSED_BIG: Final = (Dues.BIG, Dues.BOTH)
_NEW: Final = (Dues.NEWCOMER, Dues.NEWCOMER_POSTS)


@value
class Missed:
    """A seat that the blinds pass in this hand, and which of them it has not owed before."""

    seat: Seat
    small: bool
    big: bool


@value
class Deal:
    """What the next hand begins with. `button`, `small_blind` and `big_blind` are seats, occupied or not."""

    drawn: bool
    """Whether the button was drawn by lot (B0)."""
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: tuple[Seat, ...]
    """Who is dealt in, clockwise from the first seat left of the button (C1)."""
    live: tuple[Seat, ...] = ()
    """Who posts a live big blind to come in."""
    dead: tuple[Seat, ...] = ()
    """Who posts a dead small blind to come in."""
    missed: tuple[Missed, ...] = ()


def present(table: Table) -> list[Seat]:
    """The seats that want to be dealt in and have the chips for it: in draw, that are covered (B0)."""
    players, stacks, least = table.players, table.stacks, least_stack(table.settings)
    return [
        seat
        for seat in sorted(table.seat_of.values())
        if stacks[seat] >= least and (player := players[seat]) and player.presence is _PRESENT
    ]


def clockwise(seats: list[Seat], after: Seat) -> tuple[Seat, ...]:
    """The same seats, from the first one left of `after`."""
    first = bisect_right(seats, after)
    return (*seats[first:], *seats[:first])


def plan_deal(table: Table, lot: int) -> Deal | None:
    """How the next hand begins, or None while fewer than two are present.

    `lot` is uniform from 0 to LOTS - 1 and decides only where a button is drawn.
    """
    ready = present(table)
    if len(ready) < 2:
        return None
    if not table.paused:
        deal = _next_blinds(table, ready) if table.rules.big_blind else _next_button(table, ready)
        if deal is not None:
            return deal
    return _fresh_start(table, ready, ready[lot % len(ready)])


def _fresh_start(table: Table, ready: list[Seat], button: Seat) -> Deal:
    """B0: all present are dealt in and nobody owes anything."""
    seats = clockwise(ready, button)
    small = big = NOBODY
    if table.rules.big_blind:
        small, big = (seats[0], seats[1]) if len(seats) > 2 else (button, seats[0])
    return Deal(drawn=True, button=button, small_blind=small, big_blind=big, seats=seats)


def _next_button(table: Table, ready: list[Seat]) -> Deal:
    """B3 in a game without blinds: the button goes to the next dealt-in seat."""
    button = clockwise(ready, table.button)[0]
    seats = clockwise(ready, button)
    return Deal(drawn=False, button=button, small_blind=NOBODY, big_blind=NOBODY, seats=seats)


def _next_blinds(table: Table, ready: list[Seat]) -> Deal | None:
    """B2-B4, or None if fewer than two could be dealt in."""
    big = ready[bisect_right(ready, table.big_blind) % len(ready)]
    small, button = table.big_blind, table.small_blind
    regular, posting = _by_claim(table, ready, big)
    if len(regular) == 2:
        # While two play nobody posts to come in; the one who is not the big blind is button and small blind.
        posting = []
        small = button = next(seat for seat in regular if seat != big)
    elif len(regular) + len(posting) < 3:
        return None
    dealt = sorted(regular + posting)
    return Deal(
        drawn=False,
        button=button,
        small_blind=small,
        big_blind=big,
        seats=clockwise(dealt, button),
        live=tuple([seat for seat in posting if _dues(table, seat) in _OWES_LIVE]),
        dead=tuple([seat for seat in posting if _dues(table, seat) in _OWES_DEAD]),
        missed=_missed(table, dealt, big),
    )


def _by_claim(table: Table, ready: list[Seat], big: Seat) -> tuple[list[Seat], list[Seat]]:
    """Who is dealt in as a matter of course with the big blind at `big`, and who by posting (B4)."""
    players, small, button = table.players, table.big_blind, table.small_blind
    size = len(players) - 1
    closed = (big - button) % size or size
    regular: list[Seat] = []
    posting: list[Seat] = []
    for seat in ready:
        dues = _dues(table, seat)
        if seat == big or (dues is _NOTHING and seat in (button, small)):
            # The last blinds play on, wherever the big blind went.
            regular.append(seat)
        elif (seat - button) % size < closed:
            # Nobody comes in from the button's seat up to the big blind.
            continue
        elif dues is _NOTHING:
            regular.append(seat)
        elif dues is not Dues.NEWCOMER:
            posting.append(seat)
    return regular, posting


def _missed(table: Table, dealt: list[Seat], big: Seat) -> tuple[Missed, ...]:
    """Who is passed by the big blind on its way to `big`, or by the small one on its way to the last big blind."""
    missed: list[Missed] = []
    if len(dealt) == len(table.seat_of):
        return ()
    for number, player in enumerate(table.players):
        seat = Seat(number)
        if player is None or seat in dealt or player.dues in _NEW:
            continue
        by_small = seat == table.big_blind or _lies_within(table, table.small_blind, seat, table.big_blind)
        by_big = _lies_within(table, table.big_blind, seat, big)
        small_is_new = by_small and player.dues not in _MISSED_SMALL
        big_is_new = by_big and player.dues not in _MISSED_BIG
        if small_is_new or big_is_new:
            missed.append(Missed(seat, small_is_new, big_is_new))
    return tuple(missed)


def _lies_within(table: Table, start: Seat, seat: Seat, end: Seat) -> bool:
    """Whether `seat` is passed on the way clockwise from `start` to `end`; a whole round where they are one."""
    size = len(table.players) - 1
    return 0 < (seat - start) % size < ((end - start) % size or size)


def _dues(table: Table, seat: Seat) -> Dues:
    player: Player | None = table.players[seat]
    return _NOTHING if player is None else player.dues
