"""donksolver 0.1.0 (MIT): a blueprint by counterfactual regret minimisation, for three to six players.

It comes with `pip install 'croupier[bench]'`. A blueprint for a number of players is trained once, into the directory that
CROUPIER_DONKSOLVER names (by default one of the user's cache); an interrupted training goes on:

    python -m tests.yardsticks --players 3 --iterations 10000000 --threads 2

On one core the cards take two minutes once, and three players 10 million iterations five minutes. Its table for two is
not heads-up poker: its small blind acts first on every street. Rake is off, which it takes by default.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import platformdirs

from bots.protocol import BotAction, Observation, SeenSeat
from bots.situation import own_seat
from tests.yardsticks.answers import YardstickMissing, fold, lift, stay

VARIABLE: Final = "CROUPIER_DONKSOLVER"
BIG_BLIND: Final = 200
"""Its blueprints are in these chips."""
UNANSWERED: Final = "turns that its tree does not have ({status}), played as checks or folds"
_KINDS: Final = ("fold", "check", "call", "raise", "allin")
_STATUS: Final = ("ok", "offtree", "no_node", "desync", "bad_input")
_SERVED: Final = 2
"""Statuses below this one come with an action."""
_BUCKETS: Final = (50, 50, 50)
_SEED: Final = 7

Acted = tuple[int, int, int]
"""A seat counted from the small blind, whether it folded, and the chips that it added; 0 for a check."""


class Donksolver:
    """Its blueprint for the number of players at the table."""

    def __init__(self, place: Path | None = None) -> None:
        _imported()
        self._place = place or cache_place()
        if not list(self._place.glob("*/bundle.json")):
            raise YardstickMissing(_untrained(self._place, "any number of"))
        self.notes: Counter[str] = Counter()

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        served = _bundle(self._place, len(observation.seats)).act(**asked(observation), u=[rng.random()])
        status, kind, chips = int(served["status"][0]), _KINDS[served["kind"][0]], int(served["chips"][0])
        if status >= _SERVED:
            self.notes[UNANSWERED.format(status=_STATUS[status])] += 1
            return BotAction("check" if observation.check else "fold")
        own = own_seat(observation)
        match kind:
            case "fold":
                return fold(observation, self.notes)
            case "raise":
                return lift(observation, own.bet + _ours(chips, observation), self.notes)
            case "allin" if observation.raise_min or observation.bet_min:
                return lift(observation, own.bet + own.stack, self.notes)
            case _:
                return stay(observation)


def asked(observation: Observation) -> dict[str, Any]:
    """What its bundle is asked, but for the lot: one row."""
    seats = from_the_small_blind(observation)
    stacks = [_theirs(seat.stack + seat.contribution, observation) for seat in seats]
    return {
        "stacks": [stacks],
        "blinds": [(BIG_BLIND // 2, BIG_BLIND)],
        "hole": [observation.cards],
        "board": [list(observation.board)],
        "histories": [list(acted(observation))],
    }


def from_the_small_blind(observation: Observation) -> list[SeenSeat]:
    """The seats in its order: the small blind, the big blind and so on to the button."""
    seats = list(observation.seats)
    first = next(at for at, seat in enumerate(seats) if seat.seat == observation.small_blind)
    return seats[first:] + seats[:first]


def acted(observation: Observation) -> Iterator[Acted]:
    """The hand so far, without the blinds. Ours are totals of a street, its are chips added."""
    number = {seat.seat: at for at, seat in enumerate(from_the_small_blind(observation))}
    posted = {observation.small_blind: observation.unit // 2, observation.big_blind: observation.unit}
    street, bets = "preflop", dict(posted)
    for action in observation.history:
        if action.street != street:
            street, bets = action.street, {}
        if action.kind == "fold":
            yield number[action.seat], 1, 0
            continue
        added = action.amount - bets.get(action.seat, 0)
        bets[action.seat] = action.amount
        yield number[action.seat], 0, _theirs(added, observation)


def _theirs(chips: int, observation: Observation) -> int:
    return round(chips * BIG_BLIND / observation.unit)


def _ours(chips: int, observation: Observation) -> int:
    return round(chips * observation.unit / BIG_BLIND)


def cache_place() -> Path:
    """Where blueprints are."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("croupier") / "donksolver"


def _untrained(place: Path, players: object) -> str:
    return (
        f"no blueprint of donksolver for {players} players in {place}: python -m tests.yardsticks --players 3"
    )


def _imported() -> Any:
    try:
        import donksolver
        import donksolver.policy
    except ModuleNotFoundError as error:
        raise YardstickMissing(
            f"donksolver is not installed ({error}): pip install 'croupier[bench]'"
        ) from None
    return donksolver


@cache
def _bundle(place: Path, players: int) -> Any:
    """The blueprint, read once a process."""
    manifest = place / f"{players}-players" / "bundle.json"
    if not manifest.exists():
        raise YardstickMissing(_untrained(place, players))
    return _imported().Bundle(str(manifest))


def train(place: Path, *, players: int, iterations: int, threads: int) -> Path:
    """Train a blueprint with 100 big blinds, or go on with it; the directory where it is. Its steps are printed."""
    donksolver = _imported()
    place.mkdir(parents=True, exist_ok=True)
    cards = place / "cards.dab"
    if not cards.exists():
        print("sorting the cards into classes, which takes two minutes", flush=True)
        donksolver.Abstraction.build(_BUCKETS, threads=threads).save(str(cards))
    game = donksolver.config.Game(
        players=players,
        stack_bb=100,
        sb=BIG_BLIND // 2,
        bb=BIG_BLIND,
        rake_pct=0.0,
        rake_cap=0,
        postflop_max_players=players,
        buckets=[169, *_BUCKETS],
    )
    run = place / f"{players}-players"
    solver = donksolver.Solver.nlhe(game, str(cards), donksolver.Solve(seed=_SEED))
    policy = solver.solve(str(run), iterations=iterations, threads=threads)
    donksolver.policy.write_manifest(str(run / "bundle.json"), str(cards), [policy])
    return run
