"""The house: what a salon works with, given to it by whoever runs it, so that it knows neither Ray nor Redis."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from bots.explanation import Explanation
from cluster.clock import Clock
from cluster.envelope import SalonId
from cluster.journal.log import SalonLog
from cluster.lobby import Row
from cluster.routing.leases import HostName
from engine.commands import StartHand, TurnCommand
from engine.table import Player
from engine.units import Millis
from engine.value import value
from engine.view import TableView

_NEVER: Final = Millis(0)
_BOTS_AT_ONCE: Final = 16
"""Of some tenths of a millisecond each, of which a person's command waits for those of a few turns of the loop.

Fewer would be under way than keep a host busy while Redis answers.
"""


@value
class BotTurn:
    """What a bot does with its turn, and what it says about it."""

    command: TurnCommand
    note: Explanation


class BotDesk(Protocol):
    """Whoever asks the bots."""

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        """The bot's turn, after the time that it takes over it; legal in `view`, which is its seat's."""


@dataclass(frozen=True, slots=True)
class House:
    """A salon's surroundings. `host` is who runs it: its log must say so too, or it loads nothing."""

    host: HostName
    log: SalonLog
    clock: Clock
    hand_start: Callable[[], StartHand]
    """A deck and a lot of the operating system's chance."""
    bots: BotDesk
    watched: Callable[[SalonId], Awaitable[bool]]
    """Whether anybody watches; never raises."""
    changed: Callable[[SalonId, Callable[[], Row]], None]
    """The salon's row in the lobby is another now."""
    gone: Callable[[SalonId], None]
    """The salon is another host's now, or nobody's, and this one's is to be forgotten."""
    idle: Millis = _NEVER
    """How long a salon is idle before nobody runs it any more; 0 for as long as its host lives."""
    heard: Callable[[], Millis] | None = None
    """Now; or when the log last answered this host, where that is longer ago than it should be. None: always now."""
    pulse: Callable[[str], Awaitable[Millis]] | None = None
    """When another host was last heard of, 0 where that is not known. Raises LogFault."""
    settled: Callable[[SalonId], Awaitable[None]] | None = None
    """Have the salon's row say its last state, for nobody will make it good once nobody runs the salon. Raises LogFault."""
    shut: Callable[[SalonId], Awaitable[None]] | None = None
    """Let the lobby offer no seat of the salon, which is quarantined. Never raises."""
    sleeps: Callable[[SalonId, Millis], Awaitable[None]] | None = None
    """The salon must be taken up again at that time, whether or not anybody asks. Raises LogFault."""
    acting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_BOTS_AT_ONCE))
    """How many bots may act at once in all salons of the host.

    Where more want to than it has time for they become slower, and nobody waits for them; else each command would be
    behind all of them.
    """
