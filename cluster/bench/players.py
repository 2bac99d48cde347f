"""The load of the commands' benchmark: players who act whenever it is their turn, one command at a time each.

Law of this file: it does not know whom it talks to. The same player plays against the gateway and against the bare
service that sends recorded bytes; he sends the same kind of bytes and reads what comes in the same way. He is
kept cheap, because both sides' figures hold his time.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final, Protocol

import grpc

from croupier.v1.salon_pb2 import (
    ActRequest,
    PlayCommand,
    PlayRequest,
    PlayResponse,
    WatchRequest,
    WatchResponse,
)
from croupier.v1.turn_pb2 import BetTo, Call, Check, Draw, Fold, RaiseTo, TurnId, YourTurn
from croupier.v1.watch_pb2 import SalonUpdate

_SERVICE: Final = "/croupier.v1.SalonService/"
_OWN_CONNECTION: Final = (
    # Channels of one process would share a connection; clients do not.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", 16 << 20),
)
_RAISES: Final = 1 / 8
_FOLDS: Final = 1 / 8
_SEED: Final = 20
_NUMBERS: Final = count(1)


class Refused(Exception):
    """A command was refused: what was measured is no accepted action."""


class Tally:
    """What all players of one side have done since it was cleared."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        """From each command to its answer."""
        self.messages = 0
        """That came in, of all streams."""
        self.bytes = 0
        self.heard: Callable[[int, bytes], None] | None = None
        """Gets every message that a player's stream brings, to record it."""
        self.answered: Callable[[bytes], None] | None = None
        """Gets every answer to a unary call, to record it."""

    def clear(self) -> None:
        """Begin anew."""
        self.seconds = []
        self.messages = self.bytes = 0


class Player(Protocol):
    """One player of one side."""

    busy: bool
    """A command of his is not answered yet."""

    @property
    def waiting(self) -> int:
        """Turns of his that he has not acted in yet."""

    @property
    def places(self) -> Mapping[str, int]:
        """The seq of the last update of each of his salons."""

    async def sit_down(self, salons: Sequence[str]) -> None:
        """Watch the salons, in which he has a seat, and wait until each has shown something."""

    def go(self) -> None:
        """Act from now on whenever it is his turn, until `pause`."""

    def pause(self) -> None:
        """Begin nothing more."""

    def check(self) -> None:
        """See that his streams go on. Raises Refused, or what they ended with."""

    async def leave(self) -> None:
        """End his streams."""


class Chance(Protocol):
    """A source of chance, such as `random.Random`."""

    def random(self) -> float:
        """A number from 0 to 1."""
        ...


class _Hand:
    """What one player holds: the turns that are his, as requests that only need to be sent."""

    def __init__(self, tally: Tally, number: int) -> None:
        self.tally = tally
        self.number = number
        self.turns: deque[ActRequest] = deque()
        self.places: dict[str, int] = {}
        self.more_shown = asyncio.Event()
        self._chance = random.Random(_SEED + number)
        self._last: dict[str, TurnId | None] = {}
        """The turn that each salon's last update told of: a grace, or a salon's move, tells of it again."""

    def see(self, update: SalonUpdate) -> None:
        """Look whether an update gives him a turn."""
        if update.salon_id not in self.places:
            self.more_shown.set()
        self.places[update.salon_id] = update.seq
        content = update.commit if update.HasField("commit") else update.snapshot
        turn = content.your_turn.turn_id if content.HasField("your_turn") else None
        if turn is not None and turn != self._last.get(update.salon_id):
            self.turns.append(turn_request(update.salon_id, content.your_turn, self._chance))
        self._last[update.salon_id] = turn

    async def shows(self, salons: Sequence[str], readers: Sequence["asyncio.Task[None]"]) -> None:
        """Wait until each salon has shown something. Raises what a reader ended with."""
        while not self.places.keys() >= set(salons):
            self.more_shown.clear()
            waiting = asyncio.ensure_future(self.more_shown.wait())
            await asyncio.wait({waiting, *readers}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            _see(readers)


class PlayPlayer:
    """A player on one Play stream."""

    def __init__(self, address: str, token: str, *, number: int, tally: Tally) -> None:
        self.busy = False
        self._channel = grpc.aio.insecure_channel(address, options=_OWN_CONNECTION)
        # Bytes in and out: the players' own protobuf is below, in plain sight.
        play: Any = self._channel.stream_stream(_SERVICE + "Play")
        self._call = play(metadata=(("authorization", f"Bearer {token}"),))
        self._hand = _Hand(tally, number)
        self._going = False
        self._sent = 0.0
        self._reader: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """See `Player`."""
        return len(self._hand.turns)

    @property
    def places(self) -> Mapping[str, int]:
        """See `Player`."""
        return self._hand.places

    async def sit_down(self, salons: Sequence[str]) -> None:
        """See `Player`."""
        watch = PlayRequest(watch=[WatchRequest(salon_id=salon) for salon in salons])
        await self._call.write(watch.SerializeToString())
        self._reader = asyncio.create_task(self._read())
        await self._hand.shows(salons, [self._reader])

    @property
    def waited(self) -> float | None:
        """Seconds for which his command has not been answered yet; None where none is under way."""
        return time.perf_counter() - self._sent if self.busy else None

    def go(self) -> None:
        """See `Player`."""
        self._going = True
        if not self.busy and self._hand.turns:
            self.busy = True
            self._started = asyncio.create_task(self._send())

    def pause(self) -> None:
        """See `Player`."""
        self._going = False

    def check(self) -> None:
        """See `Player`."""
        _see([self._reader])

    async def leave(self) -> None:
        """See `Player`."""
        self._call.cancel()
        await _ended([self._reader])
        await self._channel.close()

    async def _read(self) -> None:
        tally, hand, read = self._hand.tally, self._hand, self._call.read
        while (message := await read()) is not grpc.aio.EOF:
            tally.messages += 1
            tally.bytes += len(message)
            response = PlayResponse.FromString(message)
            for answer in response.answers:
                if answer.HasField("refusal"):
                    raise Refused(answer.refusal.text)
                tally.seconds.append(time.perf_counter() - self._sent)
                self.busy = False
            for update in response.updates:
                hand.see(update)
            if tally.heard:
                tally.heard(hand.number, message)
            if self._going and not self.busy and hand.turns:
                self.busy = True
                await self._send()

    async def _send(self) -> None:
        command = PlayRequest(commands=[PlayCommand(act=self._hand.turns.popleft())])
        self._sent = time.perf_counter()
        await self._call.write(command.SerializeToString())


class UnaryPlayer:
    """A player who acts by unary calls and has a Watch stream for each of his salons."""

    def __init__(self, address: str, token: str, *, number: int, tally: Tally) -> None:
        self.busy = False
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._channel = grpc.aio.insecure_channel(address, options=_OWN_CONNECTION)
        self._act: Any = self._channel.unary_unary(_SERVICE + "Act")
        self._watch: Any = self._channel.unary_stream(_SERVICE + "Watch")
        self._hand = _Hand(tally, number)
        self._going = False
        self._readers: list[asyncio.Task[None]] = []
        self._calls: list[Any] = []
        self._acting: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """See `Player`."""
        return len(self._hand.turns)

    @property
    def places(self) -> Mapping[str, int]:
        """See `Player`."""
        return self._hand.places

    async def sit_down(self, salons: Sequence[str]) -> None:
        """See `Player`."""
        for salon in salons:
            request = WatchRequest(salon_id=salon).SerializeToString()
            call = self._watch(request, metadata=self._metadata)
            self._calls.append(call)
            self._readers.append(asyncio.create_task(self._read(call)))
            # One after the other: of a thousand calls that no server has taken yet, gRPC cancels some.
            await self._hand.shows([salon], self._readers[-1:])

    def go(self) -> None:
        """See `Player`."""
        self._going = True
        self._begin()

    def pause(self) -> None:
        """See `Player`."""
        self._going = False

    def check(self) -> None:
        """See `Player`."""
        _see([*self._readers, self._acting if self.busy else None])

    async def leave(self) -> None:
        """See `Player`."""
        for call in self._calls:
            call.cancel()
        await _ended([*self._readers, self._acting])
        await self._channel.close()

    def _begin(self) -> None:
        if self._going and not self.busy and self._hand.turns:
            self.busy = True
            self._acting = asyncio.create_task(self._play())

    async def _play(self) -> None:
        tally, hand = self._hand.tally, self._hand
        while self._going and hand.turns:
            request = hand.turns.popleft().SerializeToString()
            sent = time.perf_counter()
            try:
                answer = await self._act(request, metadata=self._metadata)
            except grpc.aio.AioRpcError as error:
                raise Refused(error.details()) from None
            tally.seconds.append(time.perf_counter() - sent)
            tally.messages += 1
            tally.bytes += len(answer)
            if tally.answered:
                tally.answered(answer)
        self.busy = False

    async def _read(self, call: Any) -> None:
        tally, hand, read = self._hand.tally, self._hand, call.read
        while (message := await read()) is not grpc.aio.EOF:
            tally.messages += 1
            tally.bytes += len(message)
            response = WatchResponse.FromString(message)
            if response.HasField("update"):
                hand.see(response.update)
            if tally.heard:
                tally.heard(hand.number, message)
            self._begin()


def turn_request(salon: str, turn: YourTurn, chance: Chance) -> ActRequest:
    """Mostly a check or a call, sometimes the least raise or a fold; pat at the draw: a hand that goes its way."""
    legal, number = turn.legal, next(_NUMBERS)
    request = ActRequest(
        request_id=f"{number:08x}-0000-4000-8000-000000000000", salon_id=salon, turn_id=turn.turn_id
    )
    if legal.draw:
        request.draw.CopyFrom(Draw())
    elif chance.random() < _RAISES and (legal.bet_max or legal.raise_max):
        if legal.bet_max:
            request.bet_to.CopyFrom(BetTo(to=legal.bet_min))
        else:
            request.raise_to.CopyFrom(RaiseTo(to=legal.raise_min))
    elif legal.check:
        request.check.CopyFrom(Check())
    elif chance.random() < _FOLDS:
        request.fold.CopyFrom(Fold())
    else:
        request.call.CopyFrom(Call())
    return request


def _see(tasks: Sequence["asyncio.Task[None] | None"]) -> None:
    for task in tasks:
        if task and task.done():
            task.result()


async def _ended(tasks: Sequence["asyncio.Task[None] | None"]) -> None:
    begun = [task for task in tasks if task]
    for task in begun:
        task.cancel()
    await asyncio.gather(*begun, return_exceptions=True)
