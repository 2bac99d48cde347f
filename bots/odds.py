"""Deciding by odds: from a win probability to an action, with bluffs of a controlled frequency.

How often a bet may be a bluff follows from what it offers the caller: at a bet of s times the pot
s / (1 + 2s) of all bets (the share at which a bluff catcher does not care); it falls with every further
opponent, since each of them has to fold.
"""

import random
from typing import Final

from bots.actions import by_lot, can_wager, explained, give_up, stay, wager_share
from bots.protocol import BotAction, Observation
from bots.situation import call_odds, in_position, players_behind, rivals, street_wagers
from bots.styles import Temper

LAST_STREETS: Final = ("river", "postdraw")
BLUFF_SHARE_OF_POT: Final = 0.6
_BY_OPPONENTS: Final = (0.0, 1.0, 0.3, 0.0)
_BY_STREET: Final = {"flop": 0.9, "turn": 0.7, "river": 0.7, "predraw": 0.1, "postdraw": 0.7}
"""How much of that a street gets: who bluffs must still be believed to have something."""


def decide(observation: Observation, win: float, temper: Temper, rng: random.Random) -> BotAction:
    """Bet, raise, call or give up with a hand that wins `win` of the pots it is shown down in."""
    act = _against_a_bet if observation.call else _first_to_bet
    return explained(act(observation, win, temper, rng), equity=win, pot_odds=call_odds(observation))


def bluff_frequency(observation: Observation, share: float) -> float:
    """How often a hand without showdown value bets `share` of the pot."""
    return bluff_share(observation, size=share, often=_BY_STREET[observation.street])


def bluff_share(observation: Observation, *, size: float, often: float) -> float:
    """How often a bet of `size` pots is a bluff: of what leaves its caller indifferent, `often`; see the module."""
    opponents = min(len(rivals(observation)), len(_BY_OPPONENTS) - 1)
    return _BY_OPPONENTS[opponents] * often * size / (1 + 2 * size)


def _first_to_bet(observation: Observation, win: float, temper: Temper, rng: random.Random) -> BotAction:
    fair = 1 / (len(rivals(observation)) + 1)
    line = fair + (1 - fair) * 0.24 / temper.aggression
    known = f"wins {win:.0%}"
    if not can_wager(observation):
        return give_up(observation, known)
    known = f"{known}, bets from {line:.0%}"
    if win >= line:
        share = 0.45 + 0.4 * (win - line) / (1 - line) + rng.uniform(-0.08, 0.08)
        waits, bets = give_up(observation, known), wager_share(observation, share, known)
        return by_lot(_trap(observation), waits, bets, rng)
    if win < 0.75 * fair:
        often = temper.bluff * bluff_frequency(observation, BLUFF_SHARE_OF_POT)
        bluff = wager_share(observation, BLUFF_SHARE_OF_POT, f"{known}: a bluff")
        return by_lot(often, bluff, give_up(observation, known), rng)
    return give_up(observation, known)


def _against_a_bet(observation: Observation, win: float, temper: Temper, rng: random.Random) -> BotAction:
    opponents = len(rivals(observation))
    wagers = max(1, street_wagers(observation))
    fair = 1 / (opponents + 1)
    line = min(0.95, fair + (1 - fair) * 0.45 / temper.aggression + 0.08 * (wagers - 1))
    need = call_odds(observation) / _realised(observation) / temper.looseness**0.35
    known = f"wins {win:.0%}, a call needs {need:.0%}"
    passive = stay(observation, known) if win >= need else give_up(observation, known)
    if can_wager(observation) and win >= line:
        share = 0.7 + rng.uniform(-0.1, 0.1)
        return by_lot(0.9, wager_share(observation, share, f"{known}, raises from {line:.0%}"), passive, rng)
    if win < need and opponents == 1 and wagers == 1 and can_wager(observation):
        bluff = wager_share(observation, 0.8, f"{known}: a bluff raise")
        return by_lot(0.05 * temper.bluff, bluff, passive, rng)
    return passive


def _realised(observation: Observation) -> float:
    """How much of its win probability a hand turns into chips while cards that all see are still to come."""
    if observation.street in LAST_STREETS or observation.game == "draw":
        return 1.0
    return 0.97 if in_position(observation) else 0.88


def _trap(observation: Observation) -> float:
    """How often a strong hand checks to those behind it."""
    return 0.15 if players_behind(observation) and observation.street not in LAST_STREETS else 0.03
