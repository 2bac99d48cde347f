"""Six-seat tables for the commands' benchmark: opened and filled by guests, all over the gateway as anybody would."""

import asyncio
from collections.abc import Sequence
from typing import Final

from cluster.client import Client, new_request_id
from cluster.play_stream import PlayStream
from croupier.v1.lobby_pb2 import CreateSalonRequest
from croupier.v1.salon_pb2 import JoinRequest, PlayCommand
from croupier.v1.settings_pb2 import GAME_HOLDEM, SalonSettings
from engine.value import value

SEATS: Final = 6
_AT_ONCE: Final = 16
_TURN_TIME: Final = 300_000
"""Nobody's turn runs out while the other side is measured."""
PAUSE_MS: Final = 1_000
"""Between hands: the least where people sit."""
_BIG_BLINDS: Final = 1_000
"""Nobody goes broke."""
_SETTINGS: Final = SalonSettings(
    game=GAME_HOLDEM,
    seats=SEATS,
    small_blind=1,
    big_blind=2,
    max_buy_in=2 * _BIG_BLINDS,
    turn_time_ms=_TURN_TIME,
    between_hands_ms=PAUSE_MS,
)


class NotSeated(Exception):
    """A seat could not be taken."""


@value
class Guests:
    """Players by their numbers, and where they sit."""

    tokens: tuple[str, ...]
    salons: tuple[tuple[str, ...], ...]
    """Of each player."""

    @property
    def tables(self) -> frozenset[str]:
        """All salons."""
        return frozenset(salon for salons in self.salons for salon in salons)


async def seated(address: str, tokens: Sequence[str], *, salons_each: int) -> Guests:
    """So many tables that each player has about `salons_each` seats, all at different tables.

    Raises:
        NotSeated: a seat was refused.
    """
    count = -(-len(tokens) * salons_each // SEATS)
    clients = [Client(address, plaintext=True) for _ in tokens]
    for client, token in zip(clients, tokens, strict=True):
        client.token = token
    streams = [PlayStream(client) for client in clients]
    salons: list[list[str]] = [[] for _ in tokens]
    limit = asyncio.Semaphore(_AT_ONCE)

    async def table(number: int) -> None:
        async with limit:
            seats = [(number * SEATS + seat) % len(tokens) for seat in range(SEATS)]
            owner = clients[seats[0]]
            request = CreateSalonRequest(request_id=new_request_id(), settings=_SETTINGS)
            salon = (await owner.call(owner.lobby.CreateSalon, request)).salon_id
            # Together, so that the first hand finds them all there.
            await asyncio.gather(
                *(_join(streams[player], salon, seat) for seat, player in enumerate(seats, 1))
            )
            for player in seats:
                salons[player].append(salon)

    for stream in streams:
        await stream.__aenter__()
    try:
        await asyncio.gather(*(table(number) for number in range(count)))
    finally:
        for stream, client in zip(streams, clients, strict=True):
            await stream.__aexit__()
            await client.__aexit__()
    return Guests(tuple(tokens), tuple(tuple(of_player) for of_player in salons))


async def _join(stream: PlayStream, salon: str, seat: int) -> None:
    join = JoinRequest(request_id=new_request_id(), salon_id=salon, seat=seat, buy_in=2 * _BIG_BLINDS)
    answer = await stream.send(PlayCommand(join=join))
    if answer.HasField("refusal"):
        raise NotSeated(f"seat {seat} of {salon}: {answer.refusal.text}")
