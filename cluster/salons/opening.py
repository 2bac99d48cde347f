"""Opening a salon: its id, and the first commit of its log, with the bots that it is opened with.

Nobody runs a salon that was just opened; the first envelope for it, a look for instance, activates it. Where nothing
happens at its table before somebody comes, it is left as a passivated one is, with its row in the lobby. The id follows
from who asks and his request_id, so that a retry opens no second salon.

Crash contract: when such a salon is to be woken stands in Redis before it; its row comes after it, and where that was
not written, whoever opened it has no answer, asks again, and has it taken up.
"""

from typing import Final

from cluster.clock import Clock
from cluster.envelope import (
    Accepted,
    Epoch,
    Refused,
    RequestReused,
    SalonId,
    Seq,
)
from cluster.journal.answering import answer_of
from cluster.journal.log import Appended, Commit, Duplicate, Fold, Reused
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby, row_of
from cluster.routing.sleepers import Sleepers
from cluster.salons.memory import digest_of
from cluster.salons.passivation import idle, wakes_at
from cluster.salons.spoken import view_for
from cluster.secret import Secret
from engine.commands import AddBot, OpenSalon
from engine.decide import Decision, decide
from engine.refusals import Refusal
from engine.units import OPERATOR, Millis
from engine.value import value

BOT_NAMES: Final = ("Ada", "Blaise", "Carl", "Dora", "Emmy", "Felix", "Grace", "Hugo", "Ida")
"""What bots are called that nobody named, in the order in which they come."""


@value
class Opened:
    """The salon that the request opened, now or before, and the commit that did it."""

    salon: SalonId
    answer: Accepted | Refused | RequestReused
    asleep: Accepted | None = None
    """The answer with the owner's view, where it was opened now and nobody needs to run it yet."""


class Opening:
    """Opens salons. Raises LogFault where the log does not answer: ask again with the same request_id."""

    def __init__(
        self, journal: Journal, clock: Clock, secret: Secret, *, lobby: Lobby, sleepers: Sleepers
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._secret = secret
        self._lobby = lobby
        self._sleepers = sleepers

    async def open(self, command: OpenSalon, request_id: str) -> Opened:
        """Open a salon of `command.owner`, or find the one that the same request opened."""
        salon = self._secret.salon(command.owner, request_id)
        now = self._clock.now()
        decision = self._decided(salon, command, now)
        if isinstance(decision, Refusal):
            return Opened(salon, Refused(decision))
        asleep = idle(decision.table)
        due = wakes_at(decision.table) if asleep else None
        if due:
            await self._sleepers.lay_down(salon, due, new=True)
        first = Commit(
            salon,
            Epoch(0),
            Seq(1),
            now,
            decision.events,
            command.owner,
            request_id,
            digest_of(command),
            fold=Fold(decision.table, keep=1, whole=False) if asleep else None,
        )
        outcome = await self._journal.create(first)
        if isinstance(outcome, Reused):
            return Opened(salon, RequestReused())
        assert isinstance(outcome, Appended | Duplicate), "a log is begun, or was begun"
        answer = Accepted(outcome.epoch, outcome.seq)
        if not asleep or isinstance(outcome, Duplicate):
            return Opened(salon, answer)
        await answer_of(self._lobby.write(row_of(decision.table, salon, outcome.epoch, outcome.seq, now)))
        view = view_for(decision.table, command.owner)
        return Opened(salon, answer, Accepted(outcome.epoch, outcome.seq, view))

    def _decided(self, salon: SalonId, command: OpenSalon, now: Millis) -> Decision | Refusal:
        """The opening and the seating of its bots, as one decision; those first that name their seat."""
        decision = decide(None, command, now=now)
        for number, bot in sorted(
            enumerate(command.settings.bots), key=lambda numbered: not numbered[1].seat
        ):
            if isinstance(decision, Refusal):
                return decision
            player = self._secret.bot(salon, f"opened-{number}")
            name = BOT_NAMES[number % len(BOT_NAMES)]
            seating = AddBot(OPERATOR, player, name, bot.level, bot.style, bot.seat)
            seated = decide(decision.table, seating, now=now)
            if isinstance(seated, Refusal):
                return seated
            decision = Decision(decision.events + seated.events, seated.table)
        return decision
