"""What a directory asks of hosts, wherever they run: started, told to load a salon, sent batches, killed.

`cluster.actors` does it with Ray; a test may do it in one process.
"""

from collections.abc import Sequence
from typing import Protocol

from cluster.envelope import Answer, Envelope, SalonId
from cluster.routing.leases import HostName
from engine.value import value


class HostFault(Exception):
    """The host did not answer: what was asked of it may have happened or not. Look where the salon is, and ask again."""


class HostDied(HostFault):
    """The host's process is gone: its salons are to be activated elsewhere at once."""


class HostMissing(HostFault):
    """There is no such host, or not yet. Nothing has happened."""


@value
class NotHere:
    """The host has not (or no longer) loaded this salon; nothing has happened to the envelopes."""


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


class Hosts(Protocol):
    """The hosts of a cluster. What takes a host raises HostFault or one of its kinds."""

    async def capacity(self) -> int:
        """How many hosts fit in the cluster."""

    async def start(self, host: HostName) -> None:
        """Create the host and wait until it has its lease."""

    async def admit(self, host: HostName, salon: SalonId) -> Admitted | NotHere | Refusing:
        """Have the host load the salon, which Redis says is its own."""

    async def deliver(
        self, host: HostName, batches: Sequence[Sequence[Envelope]], *, patient: bool
    ) -> list[list[HostAnswer]]:
        """Hand over envelopes, those of one salon together, and get an answer for each.

        Unless `patient`, a salon that takes long is answered for with Slow.
        """

    def kill(self, host: HostName) -> None:
        """End the host's process, without waiting; no error where there is none."""
