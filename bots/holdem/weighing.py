"""Weighing: from the values of a turn's actions to a mix of them, bluffs with their own frequency."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bots.advice import Advice, Option
from bots.equity.combos import combo
from bots.explanation import Explanation
from bots.holdem import bluffs
from bots.holdem.combo_arrays import CLASSES, Floats, duels, live, player_of
from bots.holdem.values import Position
from bots.holdem.weight_tables import follow
from bots.protocol import Observation
from bots.push_fold.hand_classes import name_of
from bots.situation import call_odds
from bots.styles import Temper

BETS: Final = (0.4, 0.75, 1.2)
"""Sizes of a bet, as shares of the pot."""
RAISES: Final = (0.7, 1.1)
BLUFF_SIZE: Final = 0.75
_ALL_IN_UP_TO: Final = 2.2
"""Pots up to which the whole stack is a candidate."""
_NEAR: Final = 0.02
"""What two actions may differ by, in pots, to be mixed."""
_VALUE: Final = 0.5
_BOARDS: Final = 40
"""Boards of a flop on which bets for value are told from bluffs."""


def advise(observation: Observation, temper: Temper) -> Advice:
    """The rule-based mix for a turn after the flop."""
    tables = follow(observation)
    position = Position(observation, tables)
    worth = _values(position)
    options = _mixed(position, worth, temper)
    return Advice(options, explained(observation, position, worth))


def sizes(observation: Observation) -> list[tuple[str, int]]:
    """The bets or raises to weigh: some shares of the pot, and all-in where that is no folly."""
    kind, least, most = (
        ("bet", observation.bet_min, observation.bet_max)
        if observation.bet_min
        else ("raise", observation.raise_min, observation.raise_max)
    )
    if not least:
        return []
    pot = observation.pot + observation.call
    base = max(observation.bet, observation.call_to)
    found = {
        max(least, min(most, base + round(share * pot))) for share in (BETS if kind == "bet" else RAISES)
    }
    clear = {most if to * 5 > most * 4 else to for to in found}
    if most - base <= _ALL_IN_UP_TO * pot:
        clear.add(most)
    return [(kind, to) for to in sorted(clear)]


def _values(position: Position) -> list["Candidate"]:
    """Every candidate with its value, the passive ones first."""
    observation = position.observation
    found: list[Candidate] = []
    if observation.check:
        found.append(Candidate("check", 0, position.passing(), 0.0))
    else:
        found.append(Candidate("fold", 0, 0.0, 0.0))
        if observation.call:
            found.append(Candidate("call", 0, position.calling(), 0.0))
    for kind, to in sizes(observation):
        found.append(Candidate(kind, to, *position.wagering(to)))
    return found


def _mixed(position: Position, candidates: list["Candidate"], temper: Temper) -> tuple[Option, ...]:
    """The best of passing and betting for value, near ones mixed; a hand that does neither may bluff."""
    pot = float(position.observation.pot)
    line = _line(position)
    bent = [candidate.bent(pot, temper) for candidate in candidates]
    passive = [one for one in bent if not one.wagers]
    sound = [one for one in bent if one.wagers and one.when_called >= line]
    best = max(one.worth for one in (*passive, *sound))
    near = [one for one in (*passive, *sound) if one.worth > best - _NEAR * pot and one.kind != "fold"]
    near = near or [max(passive, key=lambda one: one.worth)]
    if all(one.wagers for one in near):
        return _by_worth(near, best, pot)
    bluff, chance = _bluff(position, bent, line, max(one.worth for one in passive))
    chance = min(1.0, chance * temper.bluff)
    rest = _by_worth(near, best, pot)
    if bluff is None or chance <= 0:
        return rest
    kept = (
        Option(one.kind, one.to, one.chance * (1 - chance)) for one in rest if one.chance * (1 - chance) > 0
    )
    return (Option(bluff.kind, bluff.to, chance), *kept)


def _line(position: Position) -> float:
    """The equity when called from which a bet is one for value."""
    if len(position.rivals) > 1:
        return 0.42
    return _VALUE if position.river else 0.46


def _by_worth(near: list["Candidate"], best: float, pot: float) -> tuple[Option, ...]:
    weights = [float(np.exp((one.worth - best) / (_NEAR / 3 * pot))) for one in near]
    return tuple(
        Option(one.kind, one.to, weight / sum(weights)) for one, weight in zip(near, weights, strict=True)
    )


def _bluff(
    position: Position, candidates: list["Candidate"], line: float, passive: float
) -> tuple["Candidate | None", float]:
    """The bluff to make and how often; none where the answers expected make it a clear loss."""
    observation = position.observation
    pot = observation.pot + observation.call
    to = max(observation.bet, observation.call_to) + round(BLUFF_SIZE * pot)
    weak = [one for one in candidates if one.wagers and one.when_called < line]
    if not weak:
        return None, 0.0
    chosen = min(weak, key=lambda one: abs(one.to - to))
    if chosen.worth < passive - 0.02 * pot:
        return None, 0.0
    return chosen, float(bluffing(position, chosen.to)[combo(*observation.cards)])


def bluffing(position: Position, to: int) -> Floats:
    """How often each combo of the bot's own range, as others see it, bluffs with a bet to `to`."""
    observation = position.observation
    own = position.tables.weights[observation.seat]
    size = (to - max(observation.bet, observation.call_to)) / max(1, observation.pot + observation.call)
    ratio = bluffs.ratio(observation.street, size, len(position.rivals))
    if ratio <= 0 or len(position.rivals) > 2:
        return np.zeros(len(own))
    against = _called_equity(position, to)
    own = own * live(observation.board)
    value = (against >= _line(position)).astype(np.float64)
    places = position.tables.places[observation.seat]
    liking = -places if position.river else against - 0.3 * places
    if observation.call:
        ratio *= 0.5
    return bluffs.frequencies(own, value, np.where(places < 0.6, liking, -np.inf), ratio)


def betting_for_value(position: Position, to: int) -> Floats:
    """Which combos of the bot's own range, as others see it, are ahead of those that call a bet to `to`: 1 or 0."""
    return (_called_equity(position, to) >= _line(position)).astype(np.float64)


def _called_equity(position: Position, to: int) -> Floats:
    """The equity of all combos against what the deepest opponent goes on with."""
    rival = max(position.rivals, key=lambda one: one.seat.stack)
    calls = rival.weights * (1 - position.answers(rival, to).fold)
    boards = _BOARDS if len(position.observation.board) == 3 else 0
    return duels(player_of(calls), position.observation.board, boards).equity


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action, its value in chips, and for a bet the equity when it is called."""

    kind: str
    to: int
    worth: float
    when_called: float

    @property
    def wagers(self) -> bool:
        """Whether it is a bet or a raise."""
        return self.kind in ("bet", "raise")

    @property
    def text(self) -> str:
        """As in "bet to 12"."""
        return f"{self.kind} to {self.to}" if self.to else self.kind

    def bent(self, pot: float, temper: Temper) -> "Candidate":
        """The candidate as a style sees it."""
        leaning = 0.05 * (temper.aggression - 1) if self.wagers else 0.0
        leaning += 0.06 * (temper.looseness - 1) if self.kind == "call" else 0.0
        return Candidate(self.kind, self.to, self.worth + leaning * pot, self.when_called)


def explained(observation: Observation, position: Position, worth: list[Candidate]) -> Explanation:
    """The figures behind the mix; none of them names a card of the bot's own."""
    values = ", ".join(f"{one.text} {one.worth / observation.unit:+.1f}" for one in worth)
    return Explanation(
        rule=f"worth in big blinds: {values}",
        ranges="; ".join(f"seat {rival.seat.seat}: {range_line(rival.weights)}" for rival in position.rivals),
        equity=round(position.equity, 6),
        error=round(position.error, 6),
        samples=position.samples,
        pot_odds=call_odds(observation),
    )


def range_line(weights: Floats) -> str:
    """How wide a range is, and its heaviest classes, as in "21% (AKs AQs KQs)"."""
    there = weights[weights > 0]
    width = float(np.exp(-(there @ np.log(there)))) / len(weights) if len(there) else 0.0
    by_class = np.bincount(CLASSES, weights, 169) / np.bincount(CLASSES, minlength=169)
    heaviest = np.argsort(-by_class, kind="stable")[:4]
    return f"{width:.0%} ({' '.join(name_of(int(number)) for number in heaviest)})"
