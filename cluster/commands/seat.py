"""A player's seat as the line mode sees it: what happens is told, what is wished for is sent."""

import asyncio
from collections.abc import Callable
from typing import Any

from cluster.client import Client, RefusedCall, new_request_id
from cluster.commands.play_words import Wish, Word, chosen_cards
from cluster.commands.table_text import STREETS, Names, legal_line, table_lines
from cluster.commands.watch import is_over, update_lines
from cluster.play_stream import PlayStream
from croupier.v1.refusal_pb2 import REASON_ALREADY_SEATED, REASON_CODE_REQUIRED, REASON_NO_SPECTATORS
from croupier.v1.salon_pb2 import (
    ActRequest,
    GetViewRequest,
    JoinRequest,
    LeaveRequest,
    PlayCommand,
    RevealRequest,
    SitInRequest,
    SitOutRequest,
    TopUpRequest,
)
from croupier.v1.turn_pb2 import AllIn, BetTo, Call, Check, Draw, Fold, RaiseTo, YourTurn
from croupier.v1.view_pb2 import SalonView, SeatView
from croupier.v1.watch_pb2 import SalonUpdate

YOUR_TURN = "your turn, {seconds} s: {street}, pot {pot}, you hold {cards}, stack {stack}"
_FOR_SPECTATORS = frozenset({REASON_NO_SPECTATORS, REASON_CODE_REQUIRED})
"""Why a watch ends with the seat: who holds none may not look on."""
MAY = "  you may: {offers}"


class Seat:
    """One seat in one salon. `say` gets what people read, a line at a time."""

    def __init__(self, client: Client, stream: PlayStream, say: Callable[[str], None]) -> None:
        self._client = client
        self._stream = stream
        self._say = say
        self._names = Names()
        self._view = SalonView()
        self.salon_id = ""
        self.turn: YourTurn | None = None
        """The own turn, while it is."""
        self.my_turn = asyncio.Event()
        self.over = False
        """Whether the salon is over, which has been told."""

    async def sit(self, join: JoinRequest) -> None:
        """Take a seat, or find the one that the player has there. Raises RefusedCall, Unreachable."""
        join.request_id = new_request_id()
        answer = await self._stream.send(PlayCommand(join=join))
        if answer.HasField("refusal") and answer.refusal.reason != REASON_ALREADY_SEATED:
            raise RefusedCall(answer.refusal)
        self.salon_id = join.salon_id
        self._stream.watch(join.salon_id, invitation_code=join.invitation_code)

    async def follow(self) -> None:
        """Tell what happens, until the seat is given up. Raises RefusedCall, Unreachable."""
        while True:
            update = await self._stream.update()
            if update.WhichOneof("content") == "ended":
                if update.ended.reason in _FOR_SPECTATORS and self._names.own:
                    return
                raise RefusedCall(update.ended)
            self.over = is_over(update)
            if self._is_left(update):
                return
            for line in update_lines(update, self._names):
                self._say(line)
            if self.over:
                return
            await self._see_turn(update)

    async def act(self, wish: Wish, turn: YourTurn) -> None:
        """Act in the turn; a refusal is told, and the turn stays open."""
        request = ActRequest(request_id=new_request_id(), salon_id=self.salon_id, turn_id=turn.turn_id)
        match wish.word:
            case Word.FOLD:
                request.fold.CopyFrom(Fold())
            case Word.CHECK:
                request.check.CopyFrom(Check())
            case Word.CALL:
                request.call.CopyFrom(Call())
            case Word.BET:
                request.bet_to.CopyFrom(BetTo(to=wish.amount))
            case Word.RAISE:
                request.raise_to.CopyFrom(RaiseTo(to=wish.amount))
            case Word.ALL_IN:
                request.all_in.CopyFrom(AllIn())
            case _:
                request.draw.CopyFrom(Draw(cards=chosen_cards(wish.rest, self._own_cards())))
        accepted = await self._send(PlayCommand(act=request))
        if accepted and self.turn is not None and self.turn.turn_id == turn.turn_id:
            self._set_turn(None)

    async def ask(self, wish: Wish) -> None:
        """What needs no turn: sit out, sit in, top up, reveal."""
        about: dict[str, Any] = {"request_id": new_request_id(), "salon_id": self.salon_id}
        match wish.word:
            case Word.SIT_OUT:
                command = PlayCommand(sit_out=SitOutRequest(**about))
            case Word.SIT_IN:
                command = PlayCommand(sit_in=SitInRequest(**about, post="post" in wish.rest))
            case Word.TOP_UP:
                command = PlayCommand(top_up=TopUpRequest(**about, to=wish.amount))
            case _:
                view = await self._look()
                cards = chosen_cards(wish.rest or ("all",), tuple(view.may_reveal) or self._own_cards())
                command = PlayCommand(reveal=RevealRequest(**about, hand=view.hand, cards=cards))
        await self._send(command)

    async def leave(self, request_id: str) -> bool:
        """Give up the seat; whether that was accepted. `follow` ends when it is done."""
        request = LeaveRequest(request_id=request_id, salon_id=self.salon_id)
        return await self._send(PlayCommand(leave=request))

    async def show_table(self) -> None:
        """Tell how things stand."""
        for line in table_lines(await self._look()):
            self._say(line)

    async def _send(self, command: PlayCommand) -> bool:
        answer = await self._stream.send(command)
        if not answer.HasField("refusal"):
            return True
        self._say(answer.refusal.text)
        if answer.refusal.HasField("legal"):
            self._say(MAY.format(offers=legal_line(answer.refusal.legal)))
        return False

    async def _look(self) -> SalonView:
        answer = await self._client.call(self._client.salon.GetView, GetViewRequest(salon_id=self.salon_id))
        self._view = answer.view
        return self._view

    async def _see_turn(self, update: SalonUpdate) -> None:
        content = update.WhichOneof("content")
        if content is None:
            return
        shown = update.snapshot if content == "snapshot" else update.commit
        if not shown.HasField("your_turn"):
            self._set_turn(None)
            return
        view = await self._look()
        if view.HasField("your_turn"):
            self._tell_turn(view)
            self._set_turn(view.your_turn)

    def _tell_turn(self, view: SalonView) -> None:
        own = self._own_seat()
        text = YOUR_TURN.format(
            seconds=max(0, view.your_turn.deadline_ms - view.at_ms) // 1000,
            street=" ".join((STREETS.get(view.street, "?"), *view.board)),
            pot=sum(pot.amount for pot in view.pots),
            cards=" ".join(own.cards),
            stack=own.stack,
        )
        self._say(text)
        self._say(MAY.format(offers=legal_line(view.your_turn.legal)))

    def _set_turn(self, turn: YourTurn | None) -> None:
        self.turn = turn
        if turn is None:
            self.my_turn.clear()
        else:
            self.my_turn.set()

    def _is_left(self, update: SalonUpdate) -> bool:
        """Whether the seat is gone and the salon goes on: what follows is for spectators, a snapshot at first."""
        return update.WhichOneof("content") == "snapshot" and not self.over and update.snapshot.viewer == 0

    def _own_seat(self) -> SeatView:
        return next((seat for seat in self._view.seats if seat.seat == self._view.viewer), SeatView())

    def _own_cards(self) -> tuple[str, ...]:
        return tuple(self._own_seat().cards)
