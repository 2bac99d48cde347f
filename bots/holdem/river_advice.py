"""Advice from the river solver: the mix of the bot's own combo in the solution over both ranges."""

from typing import Final

from bots.advice import Advice, Option
from bots.deadlines import Late, never
from bots.equity.combos import combo
from bots.explanation import Explanation
from bots.holdem.combo_arrays import duels, hand_of, live, normal
from bots.holdem.range_line import range_line
from bots.holdem.river_game import RiverBetting
from bots.holdem.river_solver import ITERATIONS, RiverSolver
from bots.holdem.weight_tables import follow
from bots.protocol import Observation
from bots.situation import call_odds, own_seat, players_behind, rivals, street_wagers

LEAST_ITERATIONS: Final = 12
"""Fewer leave the mix too raw to be played."""
_RARE: Final = 0.04
"""An action below this share is left out."""


def solved(observation: Observation, iterations: int = ITERATIONS, *, late: Late = never) -> Advice | None:
    """The solution's mix; none where it was late before the mix was worth anything."""
    tables = follow(observation)
    rival = rivals(observation)[0]
    mine = normal(tables.weights[observation.seat] * live(observation.board))
    theirs = tables.weights[rival.seat]
    at = combo(*observation.cards)
    mine[at] = max(mine[at], 1e-4)
    solver = RiverSolver(observation.board, (mine, theirs), betting_of(observation))
    solver.run(iterations, late=late)
    if solver.iterations < LEAST_ITERATIONS:
        return None
    chances = solver.mix(solver.root)[:, at]
    own = own_seat(observation)
    kept = [
        (name, chance) for name, chance in zip(solver.root.names, chances, strict=True) if chance >= _RARE
    ]
    total = sum(chance for _, chance in kept)
    options = tuple(
        Option(*_action(observation, kind, own.bet + round(added)), float(chance / total))
        for (kind, added), chance in kept
    )
    won = duels(hand_of(observation.cards), observation.board).equity
    explanation = Explanation(
        rule=f"the river solved over both ranges in {solver.iterations} iterations",
        ranges=f"seat {rival.seat}: {range_line(theirs)}; own, as others see it: {range_line(mine)}",
        equity=round(float(theirs @ (1 - won)), 6),
        error=0.0,
        pot_odds=call_odds(observation),
    )
    return Advice(options, explanation)


def betting_of(observation: Observation) -> RiverBetting:
    """The betting as the solver takes it, with the effective stacks."""
    own, rival = own_seat(observation), rivals(observation)[0]
    call = observation.call
    least = observation.bet_min or max(0, observation.raise_min - observation.bet) or observation.unit
    return RiverBetting(
        pot=float(observation.pot),
        to_call=float(call),
        stack=float(min(own.stack, call + rival.stack)),
        wagers=street_wagers(observation),
        checked=not call and players_behind(observation) == 0,
        least_raise=float(least),
    )


def _action(observation: Observation, kind: str, to: int) -> tuple[str, int]:
    """The solver's action as the turn has it."""
    if kind not in ("bet", "raise"):
        return kind, 0
    if observation.bet_min:
        return "bet", max(observation.bet_min, min(to, observation.bet_max))
    if observation.raise_min:
        return "raise", max(observation.raise_min, min(to, observation.raise_max))
    return "call", 0
