"""Pots: what comes back before they are formed, what they are, and how they are split.

Law of this file: no chip is made or lost. What the returned bet and the pots hold is what the seats put in.
"""

from typing import Final

from engine.betting import live_seats
from engine.hand import Hand, Part
from engine.units import NOBODY, Chips, Seat

_LIVE: Final = Part.LIVE
_NONE: Final = Chips(0)
Pot = tuple[Chips, tuple[Seat, ...]]
"""An amount, and the seats that can win it, clockwise from the left of the button."""


def uncalled_bet(hand: Hand) -> tuple[Seat, Chips]:
    """Whose bet nobody matched, and by how much it exceeds the second-highest contribution; (0, 0) for nobody's.

    Measured against any player, folded ones too; antes and live bets count, dead money does not (N17).
    """
    contributions, dead = hand.contributions, hand.dead
    most = second = _NONE
    holder = NOBODY
    for seat in hand.seats:
        put_in = contributions[seat] - dead[seat]
        if put_in > most:
            most, second, holder = put_in, most, seat
        elif put_in > second:
            second = put_in
    if most == second or hand.parts[holder] is not _LIVE:
        return NOBODY, _NONE
    return holder, most - second


def pots(hand: Hand) -> tuple[Pot, ...]:
    """The pots as they would be settled now, the main pot first; the street's bets are in them.

    There is one layer at each contribution level of the live seats. Folded money fills the layers from below
    and never splits one (P1, P6); dead money goes whole into the main pot and is no level; what lies above the
    top level goes to the top pot.
    """
    live = live_seats(hand)
    contributions, dead = hand.contributions, hand.dead
    levels = sorted({contributions[seat] - dead[seat] for seat in live})
    if len(levels) == 1:
        total = sum(contributions, _NONE)
        # P3: nothing is left of a big blind alone that nobody called; it went back (N17).
        return ((total, live),) if total else ()
    put_in = {seat: contributions[seat] - dead[seat] for seat in hand.seats}
    layers: list[Pot] = []
    amount = sum(dead, _NONE)
    below = _NONE
    for level in levels:
        top = level if level < levels[-1] else max(put_in.values())
        amount += sum([min(chips, top) - below for chips in put_in.values() if chips > below])
        if amount:
            layers.append((amount, tuple([seat for seat in live if put_in[seat] >= level])))
        amount, below = _NONE, level
    return tuple(layers)


def split(amount: Chips, winners: tuple[Seat, ...]) -> tuple[Chips, ...]:
    """The winners' shares in their order, which is clockwise from the left of the button.

    Odd chips go one each from the first on (P5).
    """
    if len(winners) == 1:
        return (amount,)
    share, odd = divmod(amount, len(winners))
    return tuple(Chips(share + (place < odd)) for place in range(len(winners)))


def in_the_middle(hand: Hand) -> Chips:
    """The chips that were put in and are not paid out yet (P9)."""
    return Chips(sum(hand.contributions) - sum(amount for amount, _ in hand.pots))
