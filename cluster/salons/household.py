"""The household: a host put together over one server, with all that its salons work with. Knows no Ray."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from cluster.clock import RedisClock
from cluster.envelope import SalonId
from cluster.journal.log import SalonLog
from cluster.lobby import Lobby, LobbyDesk
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName, Leases
from cluster.routing.pulses import Pulses
from cluster.routing.sleepers import Sleepers
from cluster.salons.host import Host
from cluster.salons.house import BotDesk, House
from cluster.versions import KNOWN, Versions
from engine.commands import StartHand
from engine.units import Millis

_NEVER: Final = Millis(0)


@dataclass(frozen=True, slots=True)
class Household:
    """What a host is put together from. `redis` is a client of the server that has the leases and the lobby."""

    redis: Any
    log: SalonLog
    clock: RedisClock
    bots: BotDesk
    watched: Callable[[SalonId], Awaitable[bool]]
    hand_start: Callable[[], StartHand]
    lease: Millis
    idle: Millis = _NEVER
    """How long a salon is idle before nobody runs it any more; 0 for as long as its host lives."""
    monotonic: Callable[[], float] = time.monotonic
    knows: Versions = KNOWN

    def host(self, name: HostName, node: NodeId) -> Host:
        """The host of this name, on `node`; it has no lease yet."""
        desk = LobbyDesk(Lobby(self.redis))
        sleepers = Sleepers(self.redis)

        def house(gone: Callable[[SalonId], None]) -> House:
            return House(
                name,
                self.log,
                self.clock,
                self.hand_start,
                self.bots,
                self.watched,
                desk.changed,
                gone,
                idle=self.idle,
                shut=desk.shut,
                sleeps=sleepers.lay_down,
            )

        return Host(
            house,
            leases=Leases(self.redis),
            desk=desk,
            clock=self.clock,
            lease=self.lease,
            node=node,
            pulses=Pulses(self.redis, self.clock),
            monotonic=self.monotonic,
            knows=self.knows,
        )
