"""The schedule: which fault begins when. One seed, one schedule, whatever comes of it.

There are two lanes, which know nothing of each other: the lines between clients and gateways, and all the rest.
Within a lane a fault begins at its time or when the one before it is over, whichever is later; so at most two
faults are there at a time, and the second is one of a line. Those that need every node stand apart, and those that
need every gateway: what one of them ended comes back while others happen.
"""

import random
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from engine.value import value


class Kind(StrEnum):
    """What may happen."""

    CUT = "cut"
    DELAY = "delay"
    RESET = "reset"
    KILL_HOST = "kill host"
    KILL_RAYLET = "kill raylet"
    KILL_GATEWAY = "kill gateway"
    KILL_CARETAKER = "kill caretaker"
    KILL_VALKEY = "kill valkey"
    FREEZE_HOST = "freeze host"
    FREEZE_RAYLET = "freeze raylet"
    FREEZE_VALKEY = "freeze valkey"
    RESTART_GCS = "restart gcs"
    DRAIN = "drain"


LINES: Final = (Kind.CUT, Kind.DELAY, Kind.RESET)
NODES: Final = (Kind.KILL_RAYLET, Kind.FREEZE_RAYLET, Kind.DRAIN)
"""What needs every node to be there."""
GATEWAYS: Final = (Kind.KILL_GATEWAY, Kind.KILL_CARETAKER)
"""What needs every gateway."""
_JITTER: Final = 0.3
"""The part of the distance between two of a group by which they are moved from their places."""
_SHORTEST: Final = 0.5
_LONGEST: Final = 6.0
"""Seconds: longer than a host's lease, and than what Redis is given to answer."""


@value
class Planned:
    """A fault to come."""

    at: float
    """Seconds after the start; not before that."""
    kind: Kind
    pick: float
    """Which of those that may be hit is: 0 the first, almost 1 the last."""
    hold: float
    """Seconds for which a fault lasts that is not over by itself."""

    def of(self, number: int) -> int:
        """The index of the one that is hit among so many."""
        return int(self.pick * number)


def plan(faults: int, seconds: float, seed: int) -> tuple[list[Planned], list[Planned]]:
    """Both lanes: of each kind as many as of any other, give or take one, in an order by `seed`."""
    rng = random.Random(seed)
    whole, rest = divmod(faults, len(Kind))
    kinds = [*(list(Kind) * whole), *rng.sample(list(Kind), rest)]
    rng.shuffle(kinds)
    lines = [kind for kind in kinds if kind in LINES]
    others = [kind for kind in kinds if kind not in LINES]
    return _lane(lines, seconds, rng), _lane(_apart(others, rng), seconds, rng)


def _apart(kinds: Sequence[Kind], rng: random.Random) -> list[Kind]:
    """The same, with those that need the same parts spread over all."""
    places: list[tuple[float, Kind]] = []
    needy = (*NODES, *GATEWAYS)
    for group in (NODES, GATEWAYS, [kind for kind in Kind if kind not in needy]):
        of_it = [kind for kind in kinds if kind in group]
        places += [
            ((number + rng.uniform(0, _JITTER)) / len(of_it), kind) for number, kind in enumerate(of_it)
        ]
    return [kind for _, kind in sorted(places)]


def _lane(kinds: Sequence[Kind], seconds: float, rng: random.Random) -> list[Planned]:
    slot = seconds / max(1, len(kinds))
    return [
        Planned(
            (number + rng.uniform(0, 0.5)) * slot,
            kind,
            rng.random(),
            rng.uniform(_SHORTEST, _LONGEST),
        )
        for number, kind in enumerate(kinds)
    ]
