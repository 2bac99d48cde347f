"""The situation of a turn: what follows from an observation by counting, without any judgement of cards."""

from typing import Final

from bots.protocol import Observation, SeenSeat

AGGRESSIVE: Final = ("bet", "raise")


def own_seat(observation: Observation) -> SeenSeat:
    """The bot's own seat."""
    return next(seat for seat in observation.seats if seat.seat == observation.seat)


def rivals(observation: Observation) -> tuple[SeenSeat, ...]:
    """The opponents who have not folded."""
    return tuple(s for s in observation.seats if s.seat != observation.seat and s.state != "folded")


def call_odds(observation: Observation) -> float:
    """The win probability at which a call breaks even: what it costs of the pot that it makes."""
    if not observation.call:
        return 0.0
    return observation.call / (observation.pot + observation.call)


def effective_stack(observation: Observation) -> int:
    """The most that can still be lost to one opponent, the street's bets included."""
    own = own_seat(observation)
    others = max((seat.stack + seat.bet for seat in rivals(observation)), default=0)
    return min(own.stack + own.bet, others)


def effective_blinds(observation: Observation) -> float:
    """The effective stack in big blinds (fixed limit: small bets)."""
    return effective_stack(observation) / observation.unit


def players_behind(observation: Observation) -> int:
    """How many live opponents act after the bot on a later street, as counted from the button backwards."""
    order = clockwise(observation)
    live = [seat for seat in order if seat.state != "folded"]
    return len(live) - 1 - next(at for at, seat in enumerate(live) if seat.seat == observation.seat)


def yet_to_act(observation: Observation) -> int:
    """How many live opponents have not acted on this street and come after the bot."""
    acted = {action.seat for action in observation.history if action.street == observation.street}
    return sum(seat.seat not in acted and seat.state == "live" for seat in rivals(observation))


def in_position(observation: Observation) -> bool:
    """Whether the bot acts last on later streets."""
    return players_behind(observation) == 0


def street_wagers(observation: Observation, street: str = "") -> int:
    """How many bets and raises were made on `street`; by default on this one."""
    street = street or observation.street
    return sum(a.kind in AGGRESSIVE and a.street == street for a in observation.history)


def entered_before(observation: Observation) -> int:
    """How many opponents called on this street before the bot."""
    callers = {a.seat for a in observation.history if a.street == observation.street and a.kind == "call"}
    return len(callers - {observation.seat})


def clockwise(observation: Observation) -> list[SeenSeat]:
    """The dealt-in seats clockwise from the first left of the button, the button's own last."""
    left = [seat for seat in observation.seats if seat.seat > observation.button]
    return left + [seat for seat in observation.seats if seat.seat <= observation.button]
