"""A guest of the recovery benchmark: he has a seat in many salons, and what each answers must be what comes next there."""

import asyncio
import time
from typing import Final

from cluster.bench.own_cluster import OwnCluster
from cluster.client import Client, new_request_id
from cluster.envelope import SalonId
from cluster.journal.redis_journal import Journal
from cluster.play_stream import PlayStream
from cluster.redis_door import connect
from croupier.v1.lobby_pb2 import CreateSalonRequest
from croupier.v1.refusal_pb2 import REASON_RECOVERING
from croupier.v1.salon_pb2 import Answer, JoinRequest, PlayCommand, SitInRequest, SitOutRequest
from croupier.v1.settings_pb2 import GAME_DRAW, GAME_HOLDEM, SalonSettings

_GAMES: Final = (GAME_HOLDEM, GAME_DRAW)
_AT_ONCE: Final = 8
_PAUSE: Final = 0.02


class Lost(Exception):
    """A salon did not go on where it was."""


class Sitter:
    """A guest with a seat in each of his salons, who sits out and in again: commands that are always legal."""

    def __init__(self, stream: PlayStream) -> None:
        self._stream = stream
        self._places: dict[str, tuple[int, int]] = {}
        """The epoch and the seq of each salon's last answer."""
        self._out: dict[str, bool] = {}

    async def sit_down(self, salon: str) -> None:
        """Take a seat. Raises Lost where it is refused."""
        answer = await self._answer(
            PlayCommand(join=JoinRequest(request_id=new_request_id(), salon_id=salon))
        )
        self._places[salon], self._out[salon] = (answer.epoch, answer.seq), False

    async def hosts(self, cluster: OwnCluster) -> set[str]:
        """The names of the hosts that have the salons now."""
        redis = connect(cluster.redis_url)
        try:
            journal = Journal(redis)
            heads = [await journal.head(SalonId(salon)) for salon in self._places]
            return {head.host for head in heads if head}
        finally:
            await redis.aclose()

    async def ask_all(self, *, anew: bool = False) -> list[float]:
        """Have every salon execute a command; when each answered, by the clock of `time.perf_counter`.

        Raises:
            Lost: a salon did not go on where it was, or with `anew` under the epoch that it had.
        """
        return await asyncio.gather(*(self.ask(salon, anew=anew) for salon in self._places))

    async def ask(self, salon: str, *, anew: bool = False) -> float:
        """Have one salon execute a command; see `ask_all`."""
        self._out[salon] = not self._out[salon]
        request = new_request_id()
        command = (
            PlayCommand(sit_out=SitOutRequest(request_id=request, salon_id=salon))
            if self._out[salon]
            else PlayCommand(sit_in=SitInRequest(request_id=request, salon_id=salon))
        )
        answer = await self._answer(command)
        at = time.perf_counter()
        epoch, seq = self._places[salon]
        if answer.seq != seq + 1:
            raise Lost(f"salon {salon} went on with commit {answer.seq} after {seq}")
        if anew and answer.epoch == epoch:
            raise Lost(f"salon {salon} went on under epoch {epoch}, which its host's death should have ended")
        self._places[salon] = answer.epoch, answer.seq
        return at

    async def _answer(self, command: PlayCommand) -> Answer:
        """The answer to a command, which is sent again as it is while its salon is on its way."""
        while True:
            answer = await self._stream.send(command)
            if not answer.HasField("refusal"):
                return answer
            if answer.refusal.reason != REASON_RECOVERING:
                raise Lost(answer.refusal.text)
            await asyncio.sleep(_PAUSE)


async def opened(client: Client, salons: int) -> list[str]:
    """So many new salons of both games."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(number: int) -> str:
        async with limit:
            settings = SalonSettings(game=_GAMES[number % len(_GAMES)])
            request = CreateSalonRequest(request_id=new_request_id(), settings=settings)
            return (await client.call(client.lobby.CreateSalon, request)).salon_id

    return await asyncio.gather(*(one(number) for number in range(salons)))
