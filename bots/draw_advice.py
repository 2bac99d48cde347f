"""Advice at draw: what a turn is worth against ranges, and the mix of actions that follows.

At the draw every sensible discard is weighed on the same chance. Before and after it two equities are: as things
stand, which prices a call; and when called, against those who would go on with a bet or raise, which prices that.
Bluffs have the frequency that the bet's size allows, less against two, and none against more.
"""

from typing import Final, NamedTuple

from bots import five_cards
from bots.actions import give_up, stay, wager_to
from bots.advice import Advice, Option
from bots.draw_lines import Before, Line, called, line_of
from bots.draw_ranges import Range, range_of
from bots.equity.chunks import ChunkTask, NoDeal, run_task
from bots.equity.estimate import question_of
from bots.equity.holdings import ANY
from bots.equity.paths import Path, chosen, kernel
from bots.equity.questions import Question
from bots.equity.spots import DrawSpot
from bots.equity.tally import Stop, counted, sampled
from bots.explanation import Explanation
from bots.odds import bluff_share
from bots.protocol import BotAction, Observation
from bots.situation import call_odds, players_behind, rivals, street_wagers
from bots.styles import Temper

CHEAP: Final = {Path.AVX512: 150_000, Path.C: 150_000, Path.NUMPY: 20_000}
"""An opponent's final hands up to which all deals are counted, in a few ms."""
SAMPLES: Final = {Path.AVX512: 12_000, Path.C: 12_000, Path.NUMPY: 4_000}
"""For each equity that a turn asks for: some 2 ms in C, 15 in numpy."""
_LIKELY: Final = 0.15
"""How often a deal that is tried has to be a possible one; where it is less often, there are fewer samples."""
_LEAST_CHANCE: Final = 0.005
"""Below it ranges conflict: the widest says least, and becomes five random cards."""
_UNSEEN: Final = 47


class Worth(NamedTuple):
    """How much of the pot a hand wins."""

    win: float
    error: float
    samples: int
    """0, and no error, where it was counted exactly."""


def advise(observation: Observation, temper: Temper, seed: int) -> Advice:
    """The mix for the turn observed; the same for the same arguments on the same path."""
    turn = _Turn(observation, seed)
    return _discards(turn) if observation.draw else _betting(turn, temper)


class _Turn:
    """A turn: the opponents' lines, and what the bot's cards are worth against some of them."""

    def __init__(self, observation: Observation, seed: int) -> None:
        self.observation = observation
        self.lines = {rival.seat: line_of(observation, rival.seat) for rival in rivals(observation)}
        self._dead = tuple(card for seat in observation.seats for card in seat.shown)
        self._seed = seed

    @property
    def ranges(self) -> str:
        """What the opponents were taken to hold."""
        return "; ".join(f"seat {seat} {range_of(line).text}" for seat, line in self.lines.items())

    def worth(self, discard: tuple[int, ...], lines: list[Line]) -> Worth:
        """The equity after a discard against such lines."""
        ranges = [range_of(line) for line in lines]
        widest = sorted(range(len(lines)), key=lambda at: _certainty(lines[at]))
        kept: dict[int, Range] = dict(enumerate(ranges))
        while True:
            chance = _possible(list(kept.values()))
            held = tuple(kept[at].holdings if at in kept else ANY for at in range(len(lines)))
            question = question_of(DrawSpot(self.observation.cards, discard, held, self._dead))
            try:
                if len(lines) == len(kept) == 1 and ranges[0].finals <= CHEAP[chosen()]:
                    return self._counted(question)
                if chance >= _LEAST_CHANCE or not kept:
                    return self._sampled(question, chance)
            except (NoDeal, ValueError):
                if not kept:
                    return Worth(1 / (1 + len(lines)), 1.0, 0)
            del kept[widest.pop(0)]

    def _sampled(self, question: Question, chance: float) -> Worth:
        path = chosen()
        samples = round(SAMPLES[path] * min(1.0, chance / _LIKELY))
        task = ChunkTask(question, path, self._seed, first=0, count=1, last=samples)
        own = sampled(run_task(task).tally, path, Stop.SAMPLES).players[0]
        return Worth(own.equity, own.error, samples)

    @staticmethod
    def _counted(question: Question) -> Worth:
        weights = question.exact(kernel(chosen()))
        if not any(weights):
            raise NoDeal("no deal is possible")
        return Worth(counted(weights, 0, chosen()).players[0].equity, 0.0, 0)


def _possible(ranges: list[Range]) -> float:
    """About how often hands of these ranges, dealt one by one, share no card and all go on."""
    chance, used = 1.0, 0.0
    for each in ranges:
        chance *= each.goes_on * (1 - used / _UNSEEN) ** each.size
        used += each.size
    return chance


def _certainty(line: Line) -> tuple[int, int, int]:
    """Less for a line that says less."""
    return (-1 if line.drawn < 0 else 3 - line.drawn, line.after, line.before)


def _discards(turn: _Turn) -> Advice:
    """The discard that wins most; another than the standard one has to win more by what chance may be."""
    choices = five_cards.best_draws(turn.observation.cards)
    lines = list(turn.lines.values())
    found = [turn.worth(choice, lines) for choice in choices]
    margins = [worth.win - (worth.error if at else 0.0) for at, worth in enumerate(found)]
    best = max(range(len(choices)), key=margins.__getitem__)
    options = [Option("draw", 0, 1.0, choice) for choice in choices]
    told = ", ".join(
        f"{option.action.text} wins {worth.win:.1%}" for option, worth in zip(options, found, strict=True)
    )
    why = _explanation(turn, found[best], told)
    return Advice((options[best],), why)


def _explanation(turn: _Turn, worth: Worth, rule: str) -> Explanation:
    observation = turn.observation
    return Explanation(
        rule=rule,
        ranges=turn.ranges,
        equity=round(worth.win, 6),
        error=round(worth.error, 6),
        samples=worth.samples,
        pot_odds=None if observation.draw else call_odds(observation),
    )


def _betting(turn: _Turn, temper: Temper) -> Advice:
    observation = turn.observation
    discard = _standard(observation)
    now = turn.worth(discard, list(turn.lines.values()))
    passive, rule = _passive(observation, now, temper)
    wager, often = _wager(observation), 0.0
    if wager:
        on = _going_on(turn)
        then = turn.worth(discard, on)
        line = _value_from(observation, len(on), temper)
        rule = f"{rule}; {then.win:.0%} when called by {len(on)}, {wager.kind}s from {line:.0%}"
        if then.win >= line:
            often = _often(observation)
        elif now.win < _HOPELESS / (len(turn.lines) + 1):
            often = temper.bluff * bluff_frequency(observation)
            rule = f"{rule}, or as a bluff" if often else rule
    shares = ((wager, often), (passive, 1 - often))
    mix = tuple(Option(act.kind, act.to, share) for act, share in shares if act and share > 0)
    return Advice(mix, _explanation(turn, now, rule))


def _passive(observation: Observation, now: Worth, temper: Temper) -> tuple[BotAction, str]:
    """What the bot does without a bet or raise, by the price of a call, and why."""
    rule = f"wins {now.win:.0%}"
    if not observation.call:
        return give_up(observation), rule
    need = call_odds(observation) / temper.looseness**0.35
    act = stay if now.win >= need else give_up
    return act(observation), f"{rule}, a call needs {need:.0%}"


def _standard(observation: Observation) -> tuple[int, ...]:
    """What the bot will discard; nothing after the draw."""
    if observation.street == "postdraw":
        return ()
    return five_cards.best_draws(observation.cards)[0]


def _wager(observation: Observation) -> BotAction | None:
    """The bet or raise of the turn, where one is offered."""
    most = observation.bet_max or observation.raise_max
    return wager_to(observation, most) if most else None


def _going_on(turn: _Turn) -> list[Line]:
    """The lines of those who would call a bet or raise: all who put in as much before, and some of the others."""
    drawn = turn.observation.street == "postdraw"
    lines = list(turn.lines.values())
    entered = [line for line in lines if (line.after if drawn else line.before) >= Before.CALLED]
    others = [line for line in lines if line not in entered]
    some = round(_ENTERS[turn.observation.street] * len(others))
    if not entered:
        some = max(1, some)
    return [called(line, drawn=drawn) for line in (*entered, *others[:some])]


def _value_from(observation: Observation, callers: int, temper: Temper) -> float:
    """The equity when called from which a bet or raise is for value."""
    fair = 1 / (callers + 1)
    wagers = street_wagers(observation)
    above = _VALUE[observation.street][min(wagers, 2)] - 0.15 * (temper.aggression - 1)
    return min(0.97, fair + (1 - fair) * above)


def _often(observation: Observation) -> float:
    """How often a hand that is worth a bet or raise makes it; else it lies in wait, where there is something to wait for."""
    last = observation.street == "postdraw" and not players_behind(observation)
    return 1.0 if last else _OFTEN


def bluff_frequency(observation: Observation) -> float:
    """How often a hand that cannot win at showdown bets or raises."""
    often = _BLUFFS[observation.street] * _AGAINST[min(street_wagers(observation), 2)]
    unit = observation.unit if observation.street == "predraw" else observation.big_bet
    return bluff_share(observation, size=unit / max(1, observation.pot), often=often)


_BLUFFS: Final = {"predraw": 0.1, "postdraw": 0.8}
_AGAINST: Final = (1.0, 0.15, 0.0)
"""By the bets and raises that are in."""
_HOPELESS: Final = 0.6
"""Of a fair share of the pot."""
_ENTERS: Final = {"predraw": 0.35, "postdraw": 0.5}
"""How many of those who put in nothing yet are taken to call."""
_OFTEN: Final = 0.93
_VALUE: Final = {"predraw": (-0.02, 0.1, 0.2), "postdraw": (0.04, 0.12, 0.2)}
"""How far above a fair share a bet, a raise and a raise of a raise begin."""
