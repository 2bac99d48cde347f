"""Founding a salon: its first commit, which holds the opening and the bots that it is opened with.

Crash contract: the salon's id and its bots' are derived from the creator's request_id, and the log takes a
first commit once; so a request that is sent again finds the salon that it made.
"""

import zlib
from typing import Final

from cluster.envelope import Epoch, RequestReused, SalonId, Seq
from cluster.journal import Journal
from cluster.log import Appended, Commit, Duplicate
from cluster.salon_memory import digest_of
from cluster.secret import Secret
from engine.commands import AddBot, OpenSalon
from engine.decide import Decision, decide
from engine.refusals import Refusal
from engine.settings import Settings
from engine.table import Table
from engine.units import Millis, PlayerId

_NAMES: Final = (
    *("Anna", "Bruno", "Carla", "David", "Elsa", "Felix", "Greta", "Hugo", "Irma", "Jonas", "Karin", "Leo"),
    *("Mira", "Nils", "Olga", "Paul", "Quint", "Rosa", "Sven", "Tilda", "Ugo", "Vera", "Willi", "Yara"),
)


def bot_name(bot: PlayerId) -> str:
    """What a bot is called: a given name and a number, always the same."""
    number = zlib.crc32(bot.encode())
    return f"{_NAMES[number % len(_NAMES)]} {10 + number // len(_NAMES) % 90}"


class Founder:
    """Makes salons."""

    def __init__(self, journal: Journal, secret: Secret) -> None:
        self._journal = journal
        self._secret = secret

    async def found(
        self, owner: PlayerId, settings: Settings, request_id: str, *, now: Millis
    ) -> SalonId | Refusal | RequestReused:
        """Make a salon, or find the one that this request made. Raises LogFault."""
        opening = OpenSalon(owner, settings)
        salon = self._secret.salon(owner, request_id)
        decision = self._decided(opening, salon, request_id, now)
        if isinstance(decision, Refusal):
            return decision
        first = Commit(
            salon,
            Epoch(0),
            Seq(1),
            now,
            decision.events,
            owner,
            request_id,
            digest_of(opening),
        )
        outcome = await self._journal.create(first)
        return salon if isinstance(outcome, Appended | Duplicate) else RequestReused()

    def _decided(
        self, opening: OpenSalon, salon: SalonId, request_id: str, now: Millis
    ) -> Decision | Refusal:
        """The opening and the seating of the bots, those with a seat of their own first."""
        decided = decide(None, opening, now=now)
        if isinstance(decided, Refusal):
            return decided
        table: Table = decided.table
        events = decided.events
        for at, seat in enumerate(sorted(opening.settings.bots, key=lambda bot: not bot.seat)):
            bot = self._secret.bot(salon, f"{request_id}/{at}")
            command = AddBot(opening.owner, bot, bot_name(bot), seat.level, seat.style, seat.seat)
            step = decide(table, command, now=now)
            if isinstance(step, Refusal):
                return step
            table = step.table
            events += step.events
        return Decision(events, table)
