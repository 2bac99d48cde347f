"""What is asked of hosts, wherever they run: started, told to load or to leave salons, sent batches, killed.

`cluster.actors` does it with Ray; a test may do it in one process.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from cluster.envelope import Answer, Envelope, SalonId
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName
from engine.units import Millis
from engine.value import value


class HostFault(Exception):
    """The host did not answer: what was asked of it may have happened or not. Look where the salon is, and ask again."""


class HostDied(HostFault):
    """The process of `host` is gone: its salons are to be activated elsewhere at once."""

    def __init__(self, host: HostName, why: str = "its process is gone") -> None:
        super().__init__(f"{host}: {why}")
        self.host = host


class HostMissing(HostFault):
    """There is no such host, or not yet. Nothing has happened."""


@value
class NotHere:
    """The host has not (or no longer) loaded this salon; nothing has happened to the envelopes.

    `host` is who has it instead, where this one handed it over.
    """

    host: HostName = HostName("")


@value
class Slow:
    """The salon did not answer in the time of a batch: ask it again in a call of its own, with the same request_ids."""


@value
class Admitted:
    """The host has the salon loaded."""


@value
class Refusing:
    """The host cannot load the salon now, nor shall another be asked: the salon's log is at fault.

    With `retry_ms` another may be asked later: it may know what a later version wrote.
    """

    why: str
    retry_ms: int = 0


HostAnswer = Answer | NotHere | Slow


@value
class Node:
    """A node of the cluster, as Ray knows it."""

    node: NodeId
    address: str
    name: str
    """What its machine is called."""
    hosts: int
    """How many hosts it may run."""
    cores: int
    draining: Millis | None = None
    """By when Ray drains it, 0 for no deadline; None where Ray does not."""


class Hosts(Protocol):
    """The hosts of a cluster, and its nodes. Every method but `kill` raises HostFault or one of its kinds."""

    async def nodes(self) -> list[Node]:
        """The nodes that are alive."""

    async def capacity(self, without: Collection[NodeId] = ()) -> int:
        """How many hosts fit on the nodes that Ray does not drain and that are not among `without`."""

    async def start(
        self, host: HostName, *, without: Collection[NodeId] = (), node: NodeId | None = None
    ) -> None:
        """Create the host, on no node of `without`, or on `node` alone, and wait until it has its lease."""

    async def admit(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Have the host load the salon, which Redis says is its own."""

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        """Hand over envelopes, those of one salon together, and get an answer for each.

        Unless `patient`, a salon that takes long is answered for with Slow.
        """

    async def ready_to_leave(self, host: HostName, most: int) -> list[SalonId]:
        """Salons of the host, at most so many, that have no hand; of those that play, the next hands wait a moment."""

    async def hand_over(self, host: HostName, salon: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        """Have the host give a salon to another; False where it stays: one with a hand does, unless `mid_hand`."""

    def kill(self, host: HostName) -> None:
        """End the host's process, without waiting; no error where there is none."""
