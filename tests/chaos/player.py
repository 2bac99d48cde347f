"""A player of the crowd: a guest with seats in some salons, who acts at once, and does not give up on any of them.

Law of this file: at most one wish of a player is open in a salon, besides what he sends again on purpose. He knows
of the table what the updates tell him, and asks for the view where they have told nothing for long.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from cluster.client import new_request_id
from croupier.v1.event_pb2 import Event
from croupier.v1.refusal_pb2 import REASON_STALE_TURN, Refusal
from croupier.v1.salon_pb2 import (
    ActRequest,
    GetCommandStatusRequest,
    GetViewRequest,
    GetViewResponse,
    JoinRequest,
    LeaveRequest,
    PlayCommand,
    RevealRequest,
    SitInRequest,
    SitOutRequest,
    TopUpRequest,
    WatchRequest,
)
from croupier.v1.turn_pb2 import YourTurn
from croupier.v1.view_pb2 import SEAT_STATE_SITTING_OUT, SalonView
from croupier.v1.watch_pb2 import SalonUpdate
from tests.chaos.caller import SALON, Caller, Declined
from tests.chaos.choice import choose, forbid, think
from tests.chaos.roads import PlayRoad, Road, UnaryRoad, method_of, request_in

_LONG: Final = 12.0
"""Seconds without an own turn after which he asks how things stand."""
_REPEATS: Final = 0.03
"""How often he sends again what was answered, or asks what became of it."""
_TWO_DOORS: Final = {"act": _REPEATS, "top_up": 0.3, "sit_out": 0.5}
"""How often he sends a command through two doors at the same time, by its kind."""
_FORBIDDEN: Final = 0.01
"""How often he sends what must be refused."""
_WHIMS: Final = 0.02
"""How often he does something at a hand's end."""


@dataclass(frozen=True)
class Salon:
    """A salon of the crowd."""

    salon_id: str
    code: str
    seats: int


@dataclass
class Place:
    """What a player knows of a salon."""

    salon: Salon
    sits: bool
    """He wants a seat; else he only watches."""
    seat: int = 0
    hand: int = 0
    cards: list[str] = field(default_factory=list)
    turn: YourTurn | None = None
    """His turn, if nothing is sent for it yet."""
    wish: str = ""
    """The request_id of what he waits for."""
    looking: bool = False
    over: bool = False
    ended: bool = False
    """What he watches has shown him the end."""
    moved_at: float = field(default_factory=time.monotonic)

    @property
    def open(self) -> bool:
        """Whether a turn of his waits for him to do something."""
        return self.turn is not None and not self.wish


class Player:
    """One guest. `by_calls`: he goes by unary calls and Watches, else by Play; `thinks`: as the bots of the product do."""

    def __init__(
        self,
        caller: Caller,
        player_id: str,
        rng: Random,
        *,
        by_calls: bool,
        thinks: bool,
        done: Callable[[], None],
    ) -> None:
        self.player_id = player_id
        self.places: dict[str, Place] = {}
        self.leaving = False
        """He wishes for nothing new, but acts in his turns."""
        self.silent = False
        """He sends nothing new."""
        self._caller = caller
        self._rng = rng
        self._thinks = thinks
        self._done = done
        self._road: Road = UnaryRoad(caller, self) if by_calls else PlayRoad(caller, self)
        self._sent: dict[str, PlayCommand] = {}
        self._again: dict[str, Place] = {}
        """Where he waits for the second answer to what he has sent again."""
        self._through_both: dict[str, Place] = {}
        """Where he waits for the answer of another gateway too, by the request."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def open(self) -> int:
        """What has no definite answer yet."""
        return self._road.open + sum(not task.done() for task in self._tasks)

    @property
    def unended(self) -> list[str]:
        """The salons whose end he was not shown yet."""
        return [salon for salon, place in self.places.items() if not place.ended]

    def enter(self, salon: Salon, *, sits: bool) -> None:
        """Watch a salon from now on, and play there."""
        self.places[salon.salon_id] = Place(salon, sits)
        self._road.watch(WatchRequest(salon_id=salon.salon_id, invitation_code=salon.code))

    async def live(self) -> None:
        """Play until cancelled."""
        going = asyncio.create_task(self._road.live())
        try:
            while not going.done():
                await asyncio.wait({going}, timeout=1)
                self._look_around()
                self._tidy()
            assert not going.cancelled(), "nobody but live() ends it"
            going.result()
        finally:
            going.cancel()
            await asyncio.gather(going, *self._tasks, return_exceptions=True)

    # What he is shown

    def see(self, update: SalonUpdate) -> None:
        """See `Hearer`."""
        place = self.places[update.salon_id]
        if update.HasField("commit"):
            commit = update.commit
            for event in commit.events:
                note = _NOTED.get(event.WhichOneof("event") or "")
                if note is not None:
                    note(self, place, event)
            if commit.HasField("your_turn"):
                self._turn(place, commit.your_turn)
        elif update.HasField("snapshot"):
            place.ended = update.snapshot.over
            self._snapshot(place, update.snapshot)

    def _snapshot(self, place: Place, view: SalonView) -> None:
        place.seat, place.hand, place.over = view.viewer, view.hand, view.over
        own = next((seat for seat in view.seats if seat.seat == view.viewer), None)
        place.cards = list(own.cards) if own else []
        if not place.sits or view.over:
            return
        if own is None:
            self._join(place, view.hand)
        elif own.need:
            self._wish(place, top_up=TopUpRequest(to=own.need, expected_hand=view.hand))
        elif own.state == SEAT_STATE_SITTING_OUT:
            self._wish(place, sit_in=SitInRequest(post=self._rng.random() < 0.7))
        elif view.HasField("your_turn"):
            self._turn(place, view.your_turn)

    def _hand_started(self, place: Place, event: Event) -> None:
        place.hand, place.cards = event.hand_started.hand, []

    def _cards_dealt(self, place: Place, event: Event) -> None:
        if event.hole_cards_dealt.seat == place.seat:
            place.cards = list(event.hole_cards_dealt.cards)

    def _cards_replaced(self, place: Place, event: Event) -> None:
        replaced = event.cards_replaced
        if replaced.seat == place.seat:
            kept = [card for card in place.cards if card not in replaced.discards]
            place.cards = kept + list(replaced.cards)

    def _sat_out(self, place: Place, event: Event) -> None:
        if event.sat_out.seat != place.seat or not place.sits:
            return
        if event.sat_out.need:
            self._wish(place, top_up=TopUpRequest(to=event.sat_out.need, expected_hand=place.hand))
        else:
            self._wish(place, sit_in=SitInRequest(post=self._rng.random() < 0.7))

    def _hand_ended(self, place: Place, _: Event) -> None:
        if not place.seat or self._rng.random() > _WHIMS:
            return
        roll = self._rng.random()
        if roll < 0.4:
            self._wish(place, sit_out=SitOutRequest())
        elif roll < 0.6:
            self._wish(place, leave=LeaveRequest(expected_hand=place.hand))
        elif roll < 0.8:
            self._wish(place, top_up=TopUpRequest(to=10**6, expected_hand=place.hand))
        elif place.cards:
            self._wish(place, reveal=RevealRequest(hand=place.hand, cards=place.cards[:1]))

    def _salon_ended(self, place: Place, _: Event) -> None:
        place.over = place.ended = True

    def _turn(self, place: Place, turn: YourTurn) -> None:
        place.moved_at = time.monotonic()
        place.turn = turn
        if not place.wish:
            self._act(place)

    # What he wants

    def _act(self, place: Place) -> None:
        turn, place.turn = place.turn, None
        if turn is None or not place.sits or self.silent:
            return
        if self._thinks:
            place.turn = turn
            self._look(place)
            return
        act = ActRequest(turn_id=turn.turn_id)
        if not turn.legal.draw and self._rng.random() < _FORBIDDEN:
            forbid(act, turn.legal)
            place.turn = turn
        else:
            choose(act, turn.legal, place.cards, self._rng)
        self._wish(place, act=act)

    def _join(self, place: Place, hand: int) -> None:
        """Ask for a seat. Who looks on late is not shown the hand that it is, and told of it where he names another."""
        self._wish(place, join=JoinRequest(expected_hand=hand, invitation_code=place.salon.code))

    def _wish(self, place: Place, **command: Any) -> None:
        """Send a command, if nothing else of his is open there; what is missed comes again with the next look."""
        ((kind, request),) = command.items()
        if place.wish or self.silent or (self.leaving and kind != "act"):
            return
        request.request_id, request.salon_id = new_request_id(), place.salon.salon_id
        place.wish = request.request_id
        sent = PlayCommand(**command)
        self._sent[request.request_id] = sent
        self._road.send(sent)
        roll = self._rng.random()
        if roll < _TWO_DOORS.get(kind, 0):
            if kind != "act":
                # What names no turn would be done anew once its answer is forgotten: he does nothing else meanwhile.
                self._through_both[request.request_id] = place
            self._begin(self._other_door(sent))
        elif roll > 1 - _REPEATS:
            self._begin(self._ask_status(sent))

    def answered(self, request_id: str, refusal: Refusal | None) -> None:
        """See `Hearer`."""
        sent = self._sent.pop(request_id, None)
        if sent is not None:
            self._first_answer(sent, refusal)
        elif request_id in self._again:
            self._go_on(self._again.pop(request_id))

    def _first_answer(self, sent: PlayCommand, refusal: Refusal | None) -> None:
        request = request_in(sent)
        place = self.places[request.salon_id]
        if refusal is None:
            self._done()
            roll = self._rng.random()
            if roll < _REPEATS:
                self._again[request.request_id] = place
                self._road.send(sent)
                return
            if roll < 2 * _REPEATS:
                self._begin(self._ask_status(sent))
        self._go_on(place)
        if refusal is not None and refusal.reason == REASON_STALE_TURN and sent.HasField("join"):
            self._join(place, int(refusal.metadata["hand"]))

    def _go_on(self, place: Place) -> None:
        if place.wish in self._through_both:
            return
        place.wish = ""
        self._act(place)

    def _look_around(self) -> None:
        now = time.monotonic()
        for place in self.places.values():
            if place.sits and not place.over and not place.wish and now > place.moved_at + _LONG:
                place.moved_at = now
                self._look(place)

    # What goes besides

    def _look(self, place: Place) -> None:
        if not place.looking:
            place.looking = True
            self._begin(self._view(place))

    async def _view(self, place: Place) -> None:
        """Ask how things stand in a salon, and do what they ask for; once more, if a turn has come meanwhile."""
        request = GetViewRequest(salon_id=place.salon.salon_id, invitation_code=place.salon.code)
        while place.looking:
            place.turn = None
            try:
                answer = await self._caller.call(SALON + "GetView", request.SerializeToString())
            except Declined:
                break
            view = GetViewResponse.FromString(answer).view
            if view.HasField("your_turn") and self._thinks and not place.wish:
                self._wish(place, act=think(view, self._rng))
            elif view.viewer == place.seat:
                self._snapshot(place, view)
            place.looking = self._thinks and place.open
        place.looking = False

    async def _other_door(self, command: PlayCommand) -> None:
        """Send what is under way through another gateway at the same time."""
        request = request_in(command)
        with contextlib.suppress(Declined):
            await self._caller.call(method_of(command), request.SerializeToString(), ahead=1)
        place = self._through_both.pop(request.request_id, None)
        if place is not None and request.request_id not in {*self._sent, *self._again}:
            self._go_on(place)

    async def _ask_status(self, command: PlayCommand) -> None:
        request = request_in(command)
        asked = GetCommandStatusRequest(salon_id=request.salon_id, request_id=request.request_id)
        try:
            await self._caller.call(SALON + "GetCommandStatus", asked.SerializeToString())
        except Declined:
            return

    def _begin(self, work: Any) -> None:
        self._tasks.add(asyncio.create_task(work))

    def _tidy(self) -> None:
        """Forget what has ended. Raises what it ended with."""
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            assert not task.cancelled(), "a connection was closed on which somebody waits"
            task.result()


_NOTED: Final[dict[str, Callable[[Player, Place, Event], None]]] = {
    "hand_started": Player._hand_started,
    "hole_cards_dealt": Player._cards_dealt,
    "cards_replaced": Player._cards_replaced,
    "sat_out": Player._sat_out,
    "hand_ended": Player._hand_ended,
    "salon_ended": Player._salon_ended,
}
"""The events of which he takes note."""
