"""The crowd: guests who open salons of both games, sit in them with bots of all levels, play and watch, whatever happens.

It knows addresses alone. What each guest sent, was answered and was shown is in his transcript, in the given folder.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from cluster.client import new_request_id
from croupier.v1.lobby_pb2 import CloseSalonRequest, CreateSalonRequest, CreateSalonResponse
from croupier.v1.salon_pb2 import GetViewRequest
from croupier.v1.session_pb2 import SignInGuestRequest, SignInGuestResponse
from croupier.v1.settings_pb2 import (
    BOT_LEVEL_EASY,
    BOT_LEVEL_HARD,
    BOT_LEVEL_NORMAL,
    BOT_SPEED_INSTANT,
    GAME_DRAW,
    GAME_HOLDEM,
    VISIBILITY_INVITATION,
    VISIBILITY_PUBLIC,
    BotSeat,
    SalonSettings,
)
from tests.chaos.caller import LOBBY, SALON, SESSION, Caller, Declined
from tests.chaos.player import Player, Salon
from tests.chaos.transcript import SUFFIX, Kind, Transcript

_SEATS: Final = 6
_SALONS_EACH: Final = 8
"""Seats of one player, about."""
_WATCHERS: Final = 2
"""Players who hold no seat, one of each kind; each salon is watched by one of them."""
_BY_CALLS: Final = 4
_THINKS: Final = 5
"""One player in so many goes by unary calls, and one thinks."""
_BOTS: Final = (
    (),
    (BOT_LEVEL_EASY, BOT_LEVEL_HARD),
    (BOT_LEVEL_EASY,),
    (),
    (BOT_LEVEL_NORMAL, BOT_LEVEL_EASY),
    (),
    (BOT_LEVEL_NORMAL,),
    (),
    (BOT_LEVEL_EASY,),
    (),
)
"""Of salons by turns; few hard ones, each of whose decisions samples for up to 300 ms of a core that all others share."""
_TURN_TIMES: Final = (3_000, 8_000, 20_000)
_END: Final = 120.0
"""Seconds for the hands in progress to be played to their ends, and for everybody to be shown that."""
_DEFINITE: Final = 120.0
"""Seconds for what is open to be answered."""
_SETTLED: Final = 2.0
"""Seconds for the last updates to arrive."""


class Unfinished(Exception):
    """Commands got no definite answer, or hands no end, although nothing was wrong any more."""


class Crowd:
    """`salons` tables over the gateways at `doors`; transcripts go to `folder`."""

    def __init__(self, doors: Sequence[str], salons: int, folder: Path, seed: int) -> None:
        self.acknowledged = 0
        """Commands that were done and answered so, each counted once."""
        self.salons: list[str] = []
        self._doors = doors
        self._count = salons
        self._folder = folder
        self._rng = Random(seed)
        self._callers: list[Caller] = []
        self._players: list[Player] = []
        self._owners: dict[str, Caller] = {}
        self._living: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Sign all guests in, and open the salons. Raises Declined."""
        self._folder.mkdir(parents=True, exist_ok=True)
        people = max(_SEATS, -(-self._count * _SEATS // _SALONS_EACH))
        await asyncio.gather(*(self._sign_in(number) for number in range(people + _WATCHERS)))
        seated, watching = self._players[:people], self._players[people:]
        opened = await asyncio.gather(*(self._open(number) for number in range(self._count)))
        next_seat = 0
        for number, salon in enumerate(opened):
            for _ in range(salon.seats):
                seated[next_seat % people].enter(salon, sits=True)
                next_seat += 1
            watching[number % _WATCHERS].enter(salon, sits=False)

    async def play(self) -> None:
        """Begin to play."""
        self._living = asyncio.create_task(self._live())

    def check(self) -> None:
        """See that everybody lives. Raises what a player ended with."""
        if self._living is not None and self._living.done():
            self._living.result()

    async def stop(self) -> None:
        """Close the salons, play what hands there are to their ends, have every command answered, and end.

        Raises:
            Unfinished: some command was not, or some salon is not over for all who watch it; `end` is then still
                to be called.
        """
        for player in self._players:
            player.leaving = True
        try:
            async with asyncio.timeout(_DEFINITE):
                await asyncio.gather(*(self._close(salon) for salon in self.salons))
        except TimeoutError:
            raise Unfinished("not every salon could be closed") from None
        over = await self._until(lambda: not any(player.unended for player in self._players), _END)
        for player in self._players:
            player.silent = True
        answered = await self._until(lambda: not any(player.open for player in self._players), _DEFINITE)
        if not answered:
            raise Unfinished(f"{sum(player.open for player in self._players)} commands were not answered")
        if not over:
            unended = {salon for player in self._players for salon in player.unended}
            raise Unfinished(f"not everybody was shown the end of {len(unended)} salons")
        await asyncio.gather(*(self._look(salon) for salon in self.salons))
        await asyncio.sleep(_SETTLED)
        await self.end()

    async def end(self) -> None:
        """End everything as it is, and close the transcripts. Raises what a player ended with."""
        living, self._living = self._living, None
        if living is not None:
            living.cancel()
            await asyncio.wait({living})
        callers, self._callers = self._callers, []
        for caller in callers:
            await caller.close()
            caller.transcript.close()
        if living is not None and not living.cancelled():
            living.result()

    async def _live(self) -> None:
        async with asyncio.TaskGroup() as lives:
            for player in self._players:
                lives.create_task(player.live())

    async def _until(self, so: Callable[[], bool], patience: float) -> bool:
        until = time.monotonic() + patience
        while not so() and time.monotonic() < until:
            self.check()
            await asyncio.sleep(0.2)
        return so()

    def _done(self) -> None:
        self.acknowledged += 1

    # Opening and closing

    async def _sign_in(self, number: int) -> None:
        transcript = Transcript(self._folder / f"guest-{number:03}{SUFFIX}")
        caller = Caller(self._doors, transcript, first=number)
        self._callers.append(caller)
        request = SignInGuestRequest(request_id=new_request_id(), name=f"Guest {number}")
        answer = await caller.call(SESSION + "SignInGuest", request.SerializeToString())
        session = SignInGuestResponse.FromString(answer)
        caller.token = session.token
        transcript.write(Kind.WHO, 0, session.player_id.encode())
        self._players.append(
            Player(
                caller,
                session.player_id,
                Random(self._rng.random()),
                by_calls=number % _BY_CALLS == 0,
                thinks=number % _THINKS == 1,
                done=self._done,
            )
        )

    async def _open(self, number: int) -> Salon:
        settings = _settings(number)
        owner = self._callers[number % len(self._callers)]
        request = CreateSalonRequest(request_id=new_request_id(), settings=settings)
        answer = await owner.call(LOBBY + "CreateSalon", request.SerializeToString())
        created = CreateSalonResponse.FromString(answer)
        self._done()
        self.salons.append(created.salon_id)
        self._owners[created.salon_id] = owner
        return Salon(created.salon_id, created.invitation_code, settings.seats - len(settings.bots))

    async def _close(self, salon: str) -> None:
        request = CloseSalonRequest(request_id=new_request_id(), salon_id=salon)
        try:
            await self._owners[salon].call(LOBBY + "CloseSalon", request.SerializeToString())
        except Declined:
            return
        self._done()

    async def _look(self, salon: str) -> None:
        """The last view of a salon, by which its log is judged."""
        request = GetViewRequest(salon_id=salon)
        with contextlib.suppress(Declined):
            await self._owners[salon].call(SALON + "GetView", request.SerializeToString())


def _settings(number: int) -> SalonSettings:
    """Salons of all kinds, by turns: games, bots, turn times, delays, invitations, stacks that last and that do not."""
    draw = number % 2 == 1
    deep = number % 3 != 0
    settings = SalonSettings(
        game=GAME_DRAW if draw else GAME_HOLDEM,
        seats=_SEATS,
        turn_time_ms=_TURN_TIMES[number % len(_TURN_TIMES)],
        time_bank_ms=2_000,
        between_hands_ms=1_000,
        timeouts_to_sit_out=3,
        spectator_delay=1 if number % 5 == 3 else 0,
        visibility=VISIBILITY_INVITATION if number % 7 == 5 else VISIBILITY_PUBLIC,
        bots=[BotSeat(level=level) for level in _BOTS[number // 2 % len(_BOTS)]],
        bot_speed=BOT_SPEED_INSTANT,
    )
    if draw:
        settings.hand_limit = 1_000_000
        settings.all_in = not deep
    if deep:
        settings.max_buy_in = 4_000 if draw else 2_000
        settings.min_buy_in = settings.max_buy_in // 2
    return settings
