"""Weight tables: what each live seat may hold, as a weight a combo, by all public actions of the hand so far.

Law of this file: a table is a function of the public history and of the own cards, which nobody else holds. The own
seat's table is the bot as others see it: it knows nothing of the own cards.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bots.holdem import street_model
from bots.holdem.combo_arrays import CLASS_OF, COUNT, Floats, duels, live, normal, places, player_of
from bots.holdem.opening_chart import Plan, plan, raising, staying
from bots.holdem.order import places as class_places
from bots.holdem.preflop_story import Told, story
from bots.protocol import Observation, SeenAction
from bots.situation import AGGRESSIVE

PREFLOP_FLOOR: Final = 0.04
FLOP_BOARDS: Final = 80
"""Boards that a street before the turn is sampled on; the turn and the river are looked at on all."""
_STREETS: Final = {"flop": 3, "turn": 4, "river": 5}
_PLACES: Final = np.array(class_places())[CLASS_OF]


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables now, and where combos stood when the street began."""

    weights: dict[int, Floats]
    """By seat, of those who have not folded, the own among them; each adds up to 1."""
    places: dict[int, Floats]
    """By seat: 0 the worst of its range, 1 the best, on this street against the others' ranges."""


def follow(observation: Observation) -> Tables:
    """The tables after all of the hand's history."""
    live_seats = [seat.seat for seat in observation.seats if seat.state != "folded"]
    weights = {seat: np.ones(COUNT) for seat in live_seats}
    for told in story(observation)[0]:
        if told.action.seat in weights:
            weights[told.action.seat] *= preflop_likelihood(told)
    tables = Tables(_known(weights, observation, 0), dict.fromkeys(live_seats, _PLACES))
    for street, cards in _STREETS.items():
        if len(observation.board) < cards:
            break
        weights = _known(tables.weights, observation, cards)
        tables = _street(observation, street, Tables(weights, standing(weights, observation.board[:cards])))
    return tables


def preflop_likelihood(told: Told) -> Floats:
    """How often each combo does what was done before the flop, where it was done."""
    of = plan(told.spot)
    if told.spot.raises == 0 and not told.spot.free:
        of = Plan(of.value, min(1.0, of.call + 0.12), of.bluff)
    if told.action.kind in AGGRESSIVE:
        of = Plan(of.value * told.tightness, of.call * told.tightness, of.bluff * told.tightness)
    raises = np.interp(_PLACES, *raising(of))
    stays = np.maximum(raises, np.interp(_PLACES, *staying(of)))
    if told.action.kind in AGGRESSIVE:
        chance = raises
    elif told.action.kind in ("call", "check"):
        chance = stays - 0.9 * raises
    else:
        chance = 1 - stays
    likely: Floats = PREFLOP_FLOOR + (1 - PREFLOP_FLOOR) * chance
    return likely


def standing(weights: dict[int, Floats], board: tuple[int, ...]) -> dict[int, Floats]:
    """Where each seat's combos stand in its range, by their equity against what the others may have."""
    boards = FLOP_BOARDS if len(board) == 3 else 0
    found = {}
    if len(weights) == 2:
        (one, mine), (other, theirs) = weights.items()
        found[one] = places(duels(player_of(theirs), board, boards).equity, mine)
        found[other] = places(duels(player_of(mine), board, boards).equity, theirs)
        return found
    crowd = normal(np.sum(list(weights.values()), axis=0))
    strength = duels(player_of(crowd), board, boards).equity
    return {seat: places(strength, held) for seat, held in weights.items()}


def _known(weights: dict[int, Floats], observation: Observation, cards: int) -> dict[int, Floats]:
    """The tables once a board is seen; only the opponents' know the own cards."""
    board = observation.board[:cards]
    shown = tuple(card for seat in observation.seats for card in seat.shown)
    return {
        seat: normal(
            held
            * live((*board, *shown) if seat == observation.seat else (*board, *observation.cards, *shown))
        )
        for seat, held in weights.items()
    }


def _street(observation: Observation, street: str, tables: Tables) -> Tables:
    """The tables after what happened on one street."""
    weights = dict(tables.weights)
    betting = Betting(observation, street)
    for action in observation.history:
        if action.street != street:
            continue
        if action.seat in weights:
            likely = _likelihood(action, betting, tables.places[action.seat])
            weights[action.seat] = normal(weights[action.seat] * likely)
        betting.follow(action)
    return Tables(weights, tables.places)


class Betting:
    """The betting of one street, as it goes on; the pot is what lay there before the street, and its bets."""

    def __init__(self, observation: Observation, street: str) -> None:
        self._bets: dict[int, int] = {}
        self.highest = 0
        self.wagers = 0
        self._before = _pot_before(observation, street)
        self.opponents = max(1, sum(s.state != "folded" for s in observation.seats) - 1)

    @property
    def pot(self) -> int:
        """With all bets of the street."""
        return self._before + sum(self._bets.values())

    def price(self, seat: int) -> float:
        """What `seat` has to call, as a share of the pot without the last bet."""
        call = self.highest - self._bets.get(seat, 0)
        return call / max(1, self.pot - call)

    def size(self, action: SeenAction) -> float:
        """A bet or raise as a share of the pot, the call counted in."""
        call = self.highest - self._bets.get(action.seat, 0)
        return (action.amount - self.highest) / max(1, self.pot + call)

    def follow(self, action: SeenAction) -> None:
        """Do what was done."""
        if action.kind in AGGRESSIVE:
            self.wagers += 1
            self.highest = max(self.highest, action.amount)
        if action.kind != "fold":
            self._bets[action.seat] = max(self._bets.get(action.seat, 0), action.amount)


def _likelihood(action: SeenAction, betting: Betting, place: Floats) -> Floats:
    if not betting.wagers:
        betting_chance = street_model.bets(place, betting.size(action) or 0.6, betting.opponents)
        return betting_chance if action.kind in AGGRESSIVE else 1 - betting_chance
    answer = street_model.answers(place, betting.price(action.seat), betting.opponents, wagers=betting.wagers)
    if action.kind in AGGRESSIVE:
        return answer.again
    return answer.call if action.kind == "call" else answer.fold


def _pot_before(observation: Observation, street: str) -> int:
    """The pot when a street began: what is there now, without all bets from that street on."""
    since: dict[tuple[str, int], int] = {}
    streets = tuple(_STREETS)
    later = set(streets[streets.index(street) :])
    for action in observation.history:
        if action.street in later and action.kind != "fold":
            key = (action.street, action.seat)
            since[key] = max(since.get(key, 0), action.amount)
    return max(1, observation.pot - sum(since.values()))
