"""What the player to act may do, as data: the one answer to "what is legal" for views, bots and refusals."""

from engine.units import Chips
from engine.value import value


@value
class LegalActions:
    """The legal actions of one turn. Amounts are chips; a bet or raise is named by its total "to".

    A zero amount means that the action is not offered. In fixed limit a minimum equals its maximum.
    """

    fold: bool = False
    check: bool = False
    call: Chips = Chips(0)
    """Chips that a call puts in now; the whole stack where that is less than the bet."""
    call_to: Chips = Chips(0)
    """The player's bet on this street after the call."""
    bet_min: Chips = Chips(0)
    bet_max: Chips = Chips(0)
    raise_min: Chips = Chips(0)
    raise_max: Chips = Chips(0)
    all_in: Chips = Chips(0)
    """The total "to" that the all-in makes, where it is an action: the call, bet or raise of the whole stack."""
    draw: bool = False
    """Whether this is the draw: 0 to `draw_max` of the own cards may be exchanged."""
    draw_max: int = 0
