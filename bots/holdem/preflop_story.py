"""The story before the flop: each public action of a hand with the spot in which it was taken."""

from typing import Final, NamedTuple

from bots.holdem.opening_chart import Plan, Spot, plan
from bots.protocol import Observation, SeenAction
from bots.situation import AGGRESSIVE, clockwise

_BLINDS: Final = 3.2
"""Big blinds up to which an opening is of a usual size; a bigger one is made with fewer hands."""
_TIMES: Final = 3.5
"""The same for raising again, in times of the bet before."""


class Told(NamedTuple):
    """An action before the flop, and what the seat was looking at."""

    action: SeenAction
    spot: Spot
    tightness: float
    """What the size of a raise leaves of the share that raises; 1 for a usual size."""


class _Replay:
    """The betting as it was before an action."""

    def __init__(self, observation: Observation) -> None:
        self._order = [seat.seat for seat in clockwise(observation)]
        self._unit = observation.unit
        self._bets = {seat.seat: 0 for seat in observation.seats}
        if observation.small_blind in self._bets:
            self._bets[observation.small_blind] = max(1, observation.unit // 2)
        if observation.big_blind in self._bets:
            self._bets[observation.big_blind] = observation.unit
        self._antes = observation.ante * len(self._bets)
        self._live = set(self._bets)
        self._acted: set[int] = set()
        self._highest = observation.unit
        self._raises = self._limpers = self._aggressor = 0
        self._opened = 1.0

    def spot(self, seat: int) -> Spot:
        """What `seat` looks at now."""
        call = max(0, self._highest - self._bets[seat])
        pot = sum(self._bets.values()) + self._antes
        behind = len(self._live - self._acted - {seat})
        return Spot(
            seats=len(self._bets),
            behind=behind,
            raises=self._raises,
            limpers=self._limpers,
            free=call == 0,
            last=behind == 0,
            in_position=self._aggressor == 0 or self._order.index(seat) > self._order.index(self._aggressor),
            odds=call / (pot + call) if call else 0.0,
            opened=self._opened,
        )

    def tightness(self, action: SeenAction) -> float:
        """See `Told.tightness`."""
        if action.kind not in AGGRESSIVE:
            return 1.0
        usual = _TIMES * self._highest if self._raises else (_BLINDS + self._limpers) * self._unit
        left: float = (usual / max(action.amount, 1)) ** 0.4
        return min(1.0, max(0.15, left))

    def follow(self, told: Told) -> None:
        """Do what was done."""
        action = told.action
        if action.kind == "fold":
            self._live.discard(action.seat)
        elif action.kind in AGGRESSIVE:
            made: Plan = plan(told.spot)
            self._opened = max(0.012, (made.value + made.bluff) * told.tightness)
            self._raises += 1
            self._aggressor = action.seat
            self._acted = set()
        elif action.kind == "call" and self._raises == 0:
            self._limpers += 1
        self._bets[action.seat] = max(self._bets[action.seat], action.amount)
        self._highest = max(self._highest, action.amount)
        self._acted.add(action.seat)


def story(observation: Observation) -> tuple[list[Told], Spot]:
    """All actions before the flop, and the spot in which the bot's seat would be after them."""
    replay = _Replay(observation)
    told: list[Told] = []
    for action in observation.history:
        if action.street != "preflop":
            break
        told.append(Told(action, replay.spot(action.seat), replay.tightness(action)))
        replay.follow(told[-1])
    return told, replay.spot(observation.seat)
