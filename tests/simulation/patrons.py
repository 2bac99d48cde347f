"""Patrons: clients who play. They send legal, illegal and stale commands, and send again what was not answered.

What a patron knows of the table is what the log says when he thinks; by the time his command arrives it may be
another. He takes the next living gateway whenever one fails him, always with the same request_id.
"""

import asyncio
from collections.abc import Callable, Sequence
from random import Random

from bots.explanation import Explanation
from cluster.envelope import (
    Accepted,
    Answer,
    Broken,
    Envelope,
    Exhausted,
    Quarantined,
    Refused,
    RequestReused,
    SalonId,
    Unavailable,
    UnknownSalon,
)
from cluster.salons.house import BotTurn
from engine.betting import legal_actions
from engine.cards import Card
from engine.commands import (
    AddBot,
    AllIn,
    BetTo,
    Call,
    Check,
    CloseSalon,
    Command,
    Draw,
    Fold,
    Join,
    Leave,
    RaiseTo,
    SitIn,
    SitOut,
    TopUpTo,
    TurnCommand,
    VoidHand,
)
from engine.legal import LegalActions
from engine.settings import BotLevel
from engine.table import Player, Presence, Table
from engine.units import NOBODY, Chips, HandNumber, PlayerId, Seat, Turn
from engine.view import TableView
from tests.simulation.gatehouse import Gatehouse, GatewayLost
from tests.simulation.ground import Ground
from tests.simulation.inns import settle
from tests.simulation.witness import Place

OWNER = PlayerId("owner")
PATIENCE = (0.7, 2.0, 4.0)
"""Seconds that a gateway tries for, and a little less than a patron waits."""


def some_turn(
    rng: Random, legal: LegalActions, turn: tuple[PlayerId, HandNumber, Turn], hole: Sequence[Card]
) -> TurnCommand:
    """One of the actions that are legal, large bets more often than sense would have it."""
    if legal.draw:
        return Draw(*turn, tuple(rng.sample(hole, rng.randint(0, min(legal.draw_max, len(hole))))))
    roll = rng.random()
    if roll < 0.08 and legal.fold:
        return Fold(*turn)
    if roll < 0.3 and legal.all_in:
        return AllIn(*turn)
    if roll < 0.5 and legal.raise_max:
        return RaiseTo(*turn, Chips(rng.randint(legal.raise_min, legal.raise_max)))
    if roll < 0.5 and legal.bet_max:
        return BetTo(*turn, Chips(rng.randint(legal.bet_min, legal.bet_max)))
    return Check(*turn) if legal.check else Call(*turn)


class AutomaticBots:
    """Bots that do something legal after a while; now and then one breaks."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    async def decide(self, view: TableView, player: Player) -> BotTurn:
        await asyncio.sleep(self._rng.uniform(0.01, 0.15))
        if self._rng.random() < 0.01:
            raise RuntimeError("a bot's bug")
        assert view.legal is not None, "a bot is asked when it is its turn"
        own = next(seat.cards for seat in view.seats if seat.seat == view.viewer)
        turn = some_turn(self._rng, view.legal, (player.player, view.hand, view.turn), own)
        return BotTurn(turn, Explanation("whatever is legal"))


class Patron:
    """One player of one salon. `gates` answers the gateways that live."""

    def __init__(
        self, ground: Ground, salon: SalonId, player: PlayerId, gates: Callable[[], list[Gatehouse]]
    ) -> None:
        self.player = player
        self.salon = salon
        self.asking = False
        """He waits for an answer, and will until he has it."""
        self.idle = False
        """He does nothing more."""
        self._ground = ground
        self._rng = ground.rng
        self._gates = gates
        self._number = 0
        self._bell: asyncio.Future[None] | None = None
        self._old_turn = (HandNumber(0), Turn(0))
        self._lazy = ground.rng.choice((0.0, 0.03, 0.15))
        """How often he lets the clock act."""

    @property
    def table(self) -> Table:
        return self._ground.witness.salons[self.salon].table

    async def live(self) -> None:
        """Play until told to be idle."""
        await asyncio.sleep(self._rng.uniform(0, 0.3))
        while not self.idle:
            command = self._wish()
            if command is not None or self._rng.random() < 0.25:
                await self.ask(command)
            await self._rest()

    def moved(self, salon: SalonId, _seq: int) -> None:
        """A commit was published: if it is his turn, he wakes up after a moment's thought."""
        bell, hand = self._bell, self.table.hand
        if bell is None or salon != self.salon or hand is None or hand.over or not hand.to_act:
            return
        player = self.table.players[hand.to_act]
        if player is not None and player.player == self.player:
            self._ground.loop.after(self._rng.uniform(0.005, 0.08), settle, bell, None)

    async def _rest(self) -> None:
        self._bell = self._ground.loop.create_future()
        self._ground.loop.after(self._rng.uniform(0.1, 0.9), settle, self._bell, None)
        await self._bell
        self._bell = None

    # What he wants

    def _wish(self) -> Command | None:
        table, rng = self.table, self._rng
        if table.over:
            self.idle = True
            return None
        seat = table.seat_of.get(self.player, NOBODY)
        if not seat:
            return self._joining(table) if rng.random() < 0.8 else None
        hand = table.hand
        if hand is not None and not hand.over and hand.to_act == seat:
            return self._turn(table)
        roll = rng.random()
        player = table.players[seat]
        assert player is not None
        if player.need and roll < 0.7:
            return TopUpTo(self.player, Chips(max(player.need, table.settings.min_buy_in)))
        if player.presence is not Presence.PRESENT and roll < 0.7:
            return SitIn(self.player, rng.random() < 0.7)
        return self._whim(table, roll)

    def _joining(self, table: Table) -> Join:
        buy_in = self._rng.choice((0, table.settings.min_buy_in, table.settings.max_buy_in, 1))
        return Join(self.player, self.player, Seat(self._rng.randint(0, table.settings.seats)), Chips(buy_in))

    def _turn(self, table: Table) -> Command | None:
        """A turn: mostly a legal one."""
        hand, rng = table.hand, self._rng
        assert hand is not None
        turn = (self.player, hand.hand, hand.turn)
        roll = rng.random()
        if roll < self._lazy:
            return None
        stale, self._old_turn = self._old_turn, (hand.hand, hand.turn)
        if roll > 0.95:
            return Call(self.player, *stale)
        if roll > 0.9:
            return RaiseTo(*turn, Chips(10**6))
        return some_turn(rng, legal_actions(table), turn, hand.cards[hand.to_act])

    def _whim(self, table: Table, roll: float) -> Command | None:
        if roll > 0.97 and self.player == OWNER:
            return CloseSalon(OWNER)
        if roll > 0.9 and self.player == OWNER:
            return AddBot(OWNER, PlayerId(f"bot-{self._number}"), "Ada", BotLevel.EASY)
        if roll > 0.9 and table.hand is not None:
            return Check(self.player, table.hand.hand, table.hand.turn)
        if roll > 0.86:
            return SitOut(self.player)
        if roll > 0.84:
            return Leave(self.player)
        if roll > 0.8:
            return TopUpTo(self.player, table.settings.max_buy_in)
        if roll > 0.79:
            return VoidHand("he says so")
        return None

    # Asking

    async def ask(self, command: Command | None) -> Answer:
        """The answer to a command (None: a look), however often it must be sent; now and then with more behind it."""
        envelopes = [self._envelope(command)]
        if command is not None and self._rng.random() < 0.15:
            pause: tuple[Command | None, ...] = (SitOut(self.player), SitIn(self.player), None)
            behind = self._rng.choice(((None,), pause))
            envelopes += [self._envelope(each) for each in behind]
        self.asking = True
        answer, *_ = await self._answers(envelopes)
        if isinstance(answer, Accepted) and command is not None and self._rng.random() < 0.1:
            self._ground.counts["answered request sent again"] += 1
            (again,) = await self._answers(envelopes[:1])
            place = (answer.epoch, answer.seq)
            if not isinstance(again, Accepted) and not self._ground.witness.is_lost(self.salon, place):
                self._ground.violate(f"twice: {envelopes[0].request_id} was done, and then answered {again}")
            await self._misuse(envelopes[0], place)
        self.asking = False
        return answer

    def _envelope(self, command: Command | None) -> Envelope:
        self._number += 1
        expected = self.table.hand_number if isinstance(command, Join | Leave | TopUpTo) else HandNumber(0)
        return Envelope(
            self.salon,
            self.player,
            f"{self.player}-{self._number}",
            command,
            wants_view=command is None or self._rng.random() < 0.2,
            expected_hand=expected,
        )

    async def _misuse(self, envelope: Envelope, place: Place) -> None:
        """Send another command under a request_id that was used: it is never executed, unless the log has lost the first."""
        command = SitOut(self.player) if not isinstance(envelope.command, SitOut) else SitIn(self.player)
        other = Envelope(envelope.salon, envelope.player, envelope.request_id, command)
        (answer,) = await self._answers([other], witnessed=False)
        if isinstance(answer, RequestReused):
            self._ground.counts["request_id used twice"] += 1
        elif isinstance(answer, Accepted) and not self._ground.witness.is_lost(self.salon, place):
            self._ground.violate(f"reuse: {envelope.request_id} was used for two commands")

    async def _answers(self, envelopes: list[Envelope], *, witnessed: bool = True) -> list[Answer]:
        """An answer for each, which are sent together; what got none that is final is sent again."""
        witness = self._ground.witness
        known = witness.known(self.salon)
        left = list(envelopes)
        final: dict[str, Answer] = {}
        while True:
            for envelope, answer in zip(left, await self._try(left), strict=False):
                if witnessed:
                    witness.answered(envelope, answer, known=known)
                self._hear(envelope, answer)
                if not isinstance(answer, Unavailable | Exhausted):
                    final[envelope.request_id] = answer
            left = [envelope for envelope in left if envelope.request_id not in final]
            if not left:
                return [final[envelope.request_id] for envelope in envelopes]
            self._ground.counts["sent again by a client"] += 1
            await asyncio.sleep(self._rng.uniform(0.05, 0.5))

    def _hear(self, envelope: Envelope, answer: Answer) -> None:
        ground = self._ground
        ground.note(f"answer {type(answer).__name__}", envelope.request_id, answer)
        if isinstance(answer, Broken | Quarantined | UnknownSalon):
            ground.violate(f"bug: {envelope.request_id} was answered {answer}")
        if isinstance(answer, Refused) and ground.witness.is_written(envelope):
            ground.counts["refused and written"] += 1

    async def _try(self, envelopes: list[Envelope]) -> list[Answer]:
        """One gateway's answers; none where it gave none in time."""
        gates = self._gates()
        if not gates:
            return []
        patience = self._rng.choice(PATIENCE)
        call = self._rng.choice(gates).call(envelopes, patience)
        try:
            async with asyncio.timeout(patience + 0.5):
                return await call
        except (GatewayLost, TimeoutError):
            return []
