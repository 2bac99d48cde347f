"""Before the flop: position tables for opening and defending, and push or fold with short stacks.

No sampling: the tables are shares of starting hands (`starting_hands.percentile`). Opening shares are
common six-handed ranges by the number of players still to act, carried on to nine; push/fold shares are the
heads-up equilibrium without antes, thinned by each further player behind.
"""

import random
from bisect import bisect
from typing import Final, NamedTuple

from bots.actions import by_lot, explained, give_up, shove, stay, wager_to
from bots.explanation import Path
from bots.protocol import BotAction, Observation
from bots.situation import (
    call_odds,
    effective_blinds,
    entered_before,
    in_position,
    own_seat,
    rivals,
    street_wagers,
    yet_to_act,
)
from bots.starting_hands import percentile
from bots.styles import Temper

OPENING: Final = (1.0, 0.42, 0.45, 0.28, 0.21, 0.17, 0.14, 0.12, 0.10)
"""The share opened for a raise, by the players still to act."""
HEADS_UP_OPENING: Final = 0.80
SHORT_STACK: Final = 11.0
"""Big blinds up to which it is push or fold."""
_STACKS: Final = (3, 5, 6, 8, 10, 12, 15, 20)
_JAM: Final = (0.784, 0.715, 0.686, 0.617, 0.585, 0.529, 0.457, 0.398)
_CALL_JAM: Final = (0.924, 0.618, 0.546, 0.451, 0.375, 0.330, 0.285, 0.218)


class Defence(NamedTuple):
    """The shares that raise again, and that at least call, against a number of raises."""

    again: float
    call: float


_AGAINST: Final = (Defence(0.06, 0.20), Defence(0.028, 0.085), Defence(0.02, 0.04))
_HEADS_UP_AGAINST: Final = (Defence(0.13, 0.60), Defence(0.06, 0.24), Defence(0.03, 0.09))


def decide(observation: Observation, temper: Temper, rng: random.Random) -> BotAction:
    """What to do with the hole cards in this position."""
    action = _decided(observation, temper, rng)
    return explained(action, pot_odds=call_odds(observation), path=Path.TABLE.value)


def _decided(observation: Observation, temper: Temper, rng: random.Random) -> BotAction:
    place = percentile(observation.cards)
    raises = street_wagers(observation)
    short = effective_blinds(observation) <= SHORT_STACK
    if short and raises == 0:
        return _jam(observation, place, temper)
    if raises == 0:
        return _open(observation, place, temper, rng)
    if short or _asks_for_the_stack(observation):
        return _call_jam(observation, place, temper)
    return _defend(observation, place, temper, rng)


def at_stack(shares: tuple[float, ...], blinds: float) -> float:
    """The share of a push/fold table at a stack in big blinds, on a line between two of its columns."""
    right = bisect(_STACKS, blinds)
    if right == 0 or right == len(_STACKS):
        return shares[min(right, len(_STACKS) - 1)]
    left, span = right - 1, _STACKS[right] - _STACKS[right - 1]
    part = (blinds - _STACKS[left]) / span
    return shares[left] + part * (shares[right] - shares[left])


def _open(observation: Observation, place: float, temper: Temper, rng: random.Random) -> BotAction:
    behind = yet_to_act(observation)
    limpers = entered_before(observation)
    share = HEADS_UP_OPENING if len(observation.seats) == 2 and behind else OPENING[min(behind, 8)]
    if observation.check:
        share = 0.18 if limpers else 0.30
    share = min(1.0, share * temper.looseness * 0.8**limpers)
    passive = give_up(observation, f"opens only the best {share:.0%} here")
    if limpers and not observation.check and place < min(1.0, 1.6 * share) and call_odds(observation) < 0.3:
        passive = stay(observation, "limps along for the price")
    if place >= share:
        return passive
    blinds = 2.5 if in_position(observation) else 3.0
    to = round((blinds + limpers) * observation.unit)
    return by_lot(0.96, wager_to(observation, to, f"opens the best {share:.0%} here"), passive, rng)


def _defend(observation: Observation, place: float, temper: Temper, rng: random.Random) -> BotAction:
    tables = _HEADS_UP_AGAINST if len(observation.seats) == 2 else _AGAINST
    again, call = tables[min(street_wagers(observation), 3) - 1]
    odds = max(call_odds(observation), 0.05)
    price = min(1.5, max(0.3, 0.30 / odds))
    closing = 1.5 if yet_to_act(observation) == 0 and len(observation.seats) > 2 else 1.0
    again *= temper.aggression * temper.looseness
    call = min(0.95, call * price * closing * temper.looseness)
    if place >= max(call, again):
        return give_up(observation, f"calls only the best {call:.0%} at these odds")
    calls = stay(observation, f"calls the best {call:.0%} at these odds")
    if place >= again:
        return calls
    times = 3.0 if in_position(observation) else 3.6
    to = round(times * observation.bet)
    return by_lot(0.85, wager_to(observation, to, f"raises the best {again:.0%} again"), calls, rng)


def _jam(observation: Observation, place: float, temper: Temper) -> BotAction:
    behind = max(1, yet_to_act(observation)) + entered_before(observation)
    share = at_stack(_JAM, effective_blinds(observation)) ** (1 + 0.6 * (behind - 1))
    share = min(1.0, share * temper.looseness**0.5)
    if place < share:
        return shove(observation, f"short: all-in with the best {share:.0%}")
    return give_up(observation, f"short: all-in only with the best {share:.0%}")


def _call_jam(observation: Observation, place: float, temper: Temper) -> BotAction:
    """Calls by the equilibrium against one all-in, and less against more or with others behind."""
    blinds = observation.bet / observation.unit
    share = at_stack(_CALL_JAM, blinds) if blinds <= _STACKS[-1] else max(0.03, 4.4 / blinds)
    crowd = len(rivals(observation)) - 1
    share *= 0.6 ** min(crowd, 3) * temper.looseness**0.5
    if street_wagers(observation) > 1:
        share *= 0.5
    if call_odds(observation) < 0.25:
        share = min(1.0, 2 * share)
    if place < share:
        if own_seat(observation).stack <= 2 * observation.call:
            return shove(observation, f"plays for the stack with the best {share:.0%}")
        return stay(observation, f"calls for the stack with the best {share:.0%}")
    return give_up(observation, f"plays for the stack only with the best {share:.0%}")


def _asks_for_the_stack(observation: Observation) -> bool:
    """Whether calling takes more than a third of what is left."""
    return 3 * observation.call > own_seat(observation).stack
