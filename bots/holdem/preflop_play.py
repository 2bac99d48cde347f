"""Deciding before the flop, from tables: by the opening chart; by the push/fold equilibrium with a short stack
heads-up; for the whole stack by the equity against the share that the raiser plays.
"""

import random
from typing import Final

from bots.actions import by_lot, can_wager, explained, give_up, shove, stay, wager_to
from bots.explanation import Path
from bots.holdem.opening_chart import Plan, Spot, on_line, plan, raising, staying
from bots.holdem.order import place
from bots.holdem.preflop_story import story
from bots.holdem.stacking_off import equity_against
from bots.protocol import BotAction, Observation
from bots.push_fold.charts import call_frequency, jam_frequency, jam_share
from bots.situation import call_odds, effective_blinds, own_seat, rivals
from bots.styles import Temper

PUSH_FOLD: Final = 12.0
"""Big blinds up to which it is push or fold heads-up."""
PUSH_FOLD_CROWD: Final = 10.0
"""The same with more players."""
_COMMITTED: Final = 0.33
"""The part of the stack from which a call is for all of it."""
_PASS_ON: Final = 0.02
"""What a call for the stack has to win more than its price asks for."""


def decide(observation: Observation, temper: Temper, rng: random.Random) -> BotAction:
    """What to do with the hole cards in this position."""
    spot = story(observation)[1]
    action = _decided(observation, spot, temper, rng)
    return explained(action, path=Path.TABLE.value, pot_odds=call_odds(observation))


def _decided(observation: Observation, spot: Spot, temper: Temper, rng: random.Random) -> BotAction:
    blinds = effective_blinds(observation)
    heads_up = len(observation.seats) == 2
    if spot.raises == 0 and not spot.free and blinds <= (PUSH_FOLD if heads_up else PUSH_FOLD_CROWD):
        return _push(observation, spot, temper, rng)
    if heads_up and spot.raises == 1 and not can_wager(observation) and blinds <= PUSH_FOLD:
        share = call_frequency(observation.cards, blinds)
        calls = stay(observation, "calls all-in by the push/fold equilibrium")
        return by_lot(share, calls, give_up(observation, "folds by the push/fold equilibrium"), rng)
    if observation.call >= _COMMITTED * own_seat(observation).stack > 0 and spot.raises:
        return _for_the_stack(observation, spot, temper)
    return _by_chart(observation, spot, plan(spot, temper.looseness, temper.aggression), rng)


def _by_chart(observation: Observation, spot: Spot, of: Plan, rng: random.Random) -> BotAction:
    at = place(observation.cards)
    raises = on_line(raising(of), at) if can_wager(observation) else 0.0
    stays = max(raises, on_line(staying(of), at))
    against = f" against the best {spot.opened:.0%}" if spot.raises else ""
    rule = f"raises the best {of.value:.0%} and stays with {of.call:.0%}{against}"
    if spot.free:
        stays = 1.0
    lot = rng.random()
    if lot < raises:
        action = _raise(observation, spot, rule)
    else:
        action = stay(observation, rule) if lot < stays else give_up(observation, rule)
    mix = (("raise", raises), ("check" if spot.free else "call", stays - raises), ("fold", 1 - stays))
    return explained(action, mix=tuple(part for part in mix if part[1] > 0), lot=lot)


def _raise(observation: Observation, spot: Spot, rule: str) -> BotAction:
    own = own_seat(observation)
    if spot.raises == 0:
        blinds = 2.5 if spot.in_position and not spot.free else 3.0
        to = round((blinds + spot.limpers) * observation.unit)
    else:
        times = (3.0 if spot.in_position else 3.8) if spot.raises == 1 else 2.3
        to = round(times * observation.bet)
    if to - own.bet >= 0.4 * own.stack:
        return shove(observation, rule)
    return wager_to(observation, to, rule)


def _for_the_stack(observation: Observation, spot: Spot, temper: Temper) -> BotAction:
    """All-in, or as good as: the price against the equity that the cards have against the raiser's share."""
    own = own_seat(observation)
    need = call_odds(observation)
    crowd = max(0, len(rivals(observation)) - 1)
    equity = equity_against(observation.cards, spot.opened)
    bent = need * (1 + 0.10 * crowd) / temper.looseness**0.15 + _PASS_ON
    rule = f"plays for the stack with {bent:.0%} against the best {spot.opened:.0%}"
    if equity < bent:
        action = give_up(observation, rule)
    elif can_wager(observation) and own.stack > observation.call and equity > max(bent, 0.5):
        action = shove(observation, rule)
    else:
        action = stay(observation, rule)
    return explained(action, equity=equity, error=0.0)


def _push(observation: Observation, spot: Spot, temper: Temper, rng: random.Random) -> BotAction:
    """Heads-up the equilibrium; with more behind a share of it, since each of them may wake up with a hand."""
    blinds = effective_blinds(observation)
    passes = give_up(observation, "folds a short stack")
    jams = shove(observation, "all-in with a short stack")
    if len(observation.seats) == 2:
        return by_lot(jam_frequency(observation.cards, blinds), jams, passes, rng)
    behind = max(1, spot.behind) + spot.limpers
    share = min(1.0, jam_share(blinds) ** (1 + 0.6 * (behind - 1)) * temper.looseness**0.5)
    return jams if place(observation.cards) < share else passes
