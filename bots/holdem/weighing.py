"""Weighing: from the values of a turn's actions to a mix of them, bluffs with their own frequency."""

from typing import Final, NamedTuple

import numpy as np

from bots.actions import share_to
from bots.advice import Advice, Option
from bots.equity.combos import combo
from bots.explanation import Explanation
from bots.holdem import bluffs
from bots.holdem.candidates import Candidate, candidates
from bots.holdem.combo_arrays import Floats, duels, live, player_of
from bots.holdem.range_line import range_line
from bots.holdem.values import PostflopSpot
from bots.holdem.weight_tables import follow
from bots.protocol import Observation
from bots.situation import call_odds
from bots.styles import Temper

BLUFF_SIZE: Final = 0.75
_NEAR: Final = 0.02
"""What two actions may differ by, in pots, to be mixed."""
_LOSS: Final = 0.02
"""What a bluff may be expected to lose, in pots, against the best that is passive."""
_VALUE: Final = 0.46
"""The equity when called from which a bet is one for value."""
_VALUE_ON_THE_RIVER: Final = 0.5
_VALUE_IN_A_CROWD: Final = 0.42
_BOARDS: Final = 40
"""Boards of a flop on which bets for value are told from bluffs."""


class BettingRange(NamedTuple):
    """How often each combo of a range bets."""

    value: Floats
    """For value: 1 or 0, whether it is ahead of those that call."""
    bluffs: Floats


def advise(observation: Observation, temper: Temper) -> Advice:
    """The rule-based mix for a turn after the flop."""
    spot = PostflopSpot(observation, follow(observation))
    found = candidates(spot)
    return Advice(_mixed(spot, found, temper), _explanation(spot, found))


def _mixed(spot: PostflopSpot, found: list[Candidate], temper: Temper) -> tuple[Option, ...]:
    """The best of passing and betting for value, near ones mixed; a hand that does neither may bluff."""
    pot = float(spot.observation.pot)
    line = _line(spot)
    bent = [one.bent(pot, temper) for one in found]
    passive = [one for one in bent if not one.wagers]
    sound = [one for one in bent if one.wagers and one.when_called >= line]
    best = max(one.worth for one in (*passive, *sound))
    near = [one for one in (*passive, *sound) if one.worth > best - _NEAR * pot and one.kind != "fold"]
    near = near or [max(passive, key=lambda one: one.worth)]
    if all(one.wagers for one in near):
        return _by_worth(near, best, pot)
    bluff, chance = _bluff(spot, bent, line, max(one.worth for one in passive))
    chance = min(1.0, chance * temper.bluff)
    rest = _by_worth(near, best, pot)
    if bluff is None or chance <= 0:
        return rest
    kept = (
        Option(one.kind, one.to, one.chance * (1 - chance)) for one in rest if one.chance * (1 - chance) > 0
    )
    return (Option(bluff.kind, bluff.to, chance), *kept)


def _line(spot: PostflopSpot) -> float:
    """The equity when called from which a bet is one for value."""
    if len(spot.rivals) > 1:
        return _VALUE_IN_A_CROWD
    return _VALUE_ON_THE_RIVER if spot.river else _VALUE


def _by_worth(near: list[Candidate], best: float, pot: float) -> tuple[Option, ...]:
    weights = [float(np.exp((one.worth - best) / (_NEAR / 3 * pot))) for one in near]
    return tuple(
        Option(one.kind, one.to, weight / sum(weights)) for one, weight in zip(near, weights, strict=True)
    )


def _bluff(
    spot: PostflopSpot, found: list[Candidate], line: float, passive: float
) -> tuple[Candidate | None, float]:
    """The bluff to make and how often; none where the answers expected make it a clear loss."""
    observation = spot.observation
    weak = [one for one in found if one.wagers and one.when_called < line]
    if not weak:
        return None, 0.0
    to = share_to(observation, BLUFF_SIZE)
    chosen = min(weak, key=lambda one: abs(one.to - to))
    pot = observation.pot + observation.call
    if chosen.worth < passive - _LOSS * pot or _bluffs_for_value(spot, chosen.to) <= 0:
        return None, 0.0
    return chosen, float(betting_range(spot, chosen.to).bluffs[combo(*observation.cards)])


def betting_range(spot: PostflopSpot, to: int) -> BettingRange:
    """How the bot's own range, as others see it, bets or raises to `to`."""
    against = _called_equity(spot, to)
    value = (against >= _line(spot)).astype(np.float64)
    own = spot.tables.weights[spot.own.seat] * live(spot.observation.board)
    places = spot.tables.places[spot.own.seat]
    liking = -places if spot.river else against - 0.3 * places
    able = np.where(places < 0.6, liking, -np.inf)
    return BettingRange(value, bluffs.frequencies(own, value, able, _bluffs_for_value(spot, to)))


def _bluffs_for_value(spot: PostflopSpot, to: int) -> float:
    """Bluffs for each bet for value; half as many of raises."""
    observation = spot.observation
    size = (to - share_to(observation, 0)) / max(1, observation.pot + observation.call)
    ratio = bluffs.ratio(observation.street, size, len(spot.rivals))
    return ratio / 2 if observation.call else ratio


def _called_equity(spot: PostflopSpot, to: int) -> Floats:
    """The equity of all combos against what the deepest opponent goes on with."""
    rival = max(spot.rivals, key=lambda one: one.seat.stack)
    calls = rival.weights * (1 - spot.answers(rival, to).fold)
    boards = _BOARDS if len(spot.observation.board) == 3 else 0
    return duels(player_of(calls), spot.observation.board, boards).equity


def _explanation(spot: PostflopSpot, found: list[Candidate]) -> Explanation:
    """The figures behind the mix; none of them names a card of the bot's own."""
    observation = spot.observation
    values = ", ".join(f"{one.text} {one.worth / observation.unit:+.1f}" for one in found)
    return Explanation(
        rule=f"worth in big blinds: {values}",
        ranges="; ".join(f"seat {rival.seat.seat}: {range_line(rival.weights)}" for rival in spot.rivals),
        equity=round(spot.equity, 6),
        error=round(spot.error, 6),
        samples=spot.samples,
        pot_odds=call_odds(observation),
    )
