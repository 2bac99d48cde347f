"""A thousand hands of each game, played by clients over real gRPC, Ray and Valkey to the salons' hand limit."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cluster.client import Client, new_request_id
from cluster.play_stream import PlayStream
from croupier.v1 import lobby_pb2, refusal_pb2, salon_pb2, settings_pb2, turn_pb2, watch_pb2
from tests.integration.gateways import Running
from tests.integration.ledger import Ledger

SALONS = 50
HANDS = 20
PLAYERS = 4
_TOO_LATE = (refusal_pb2.REASON_SALON_CLOSING, refusal_pb2.REASON_SALON_OVER)
"""Who busts in the last hand buys no chips any more."""


@pytest.fixture
async def address(ray_cluster: None, redis_url: str, store: object) -> AsyncIterator[str]:
    """A gateway whose hosts run fifty salons each."""
    gateway = Running(redis_url, salons_per_actor=SALONS)
    await gateway.start()
    yield gateway.address
    await gateway.stop()
    await gateway.kill_hosts()


class RandomPlayer:
    """One guest with a seat in every salon and one Play stream, who acts at random but legally."""

    def __init__(self, client: Client, stream: PlayStream, salons: list[str], seed: int) -> None:
        self._client = client
        self._stream = stream
        self._salons = salons
        self._random = random.Random(seed)
        self._seats: dict[str, int] = {}
        self._ended: set[str] = set()

    async def play(self) -> None:
        """Sit in every salon and act until each is over."""
        async with asyncio.TaskGroup() as self._sending:
            for salon in self._salons:
                self._stream.watch(salon)
                self._command(salon, join=salon_pb2.JoinRequest())
            while len(self._ended) < len(self._salons):
                self._see(await self._stream.update())

    def _see(self, update: watch_pb2.SalonUpdate) -> None:
        content = update.WhichOneof("content")
        if content == "snapshot":
            self._seats[update.salon_id] = update.snapshot.viewer
            if update.snapshot.HasField("your_turn"):
                self._act(update.salon_id, update.snapshot.your_turn)
        elif content == "commit":
            for event in update.commit.events:
                self._note(update.salon_id, event)
            if update.commit.HasField("your_turn"):
                self._act(update.salon_id, update.commit.your_turn)
        elif content == "ended":
            raise AssertionError(f"the watch of {update.salon_id} ended: {update.ended.text}")

    def _note(self, salon: str, event: Any) -> None:
        if event.WhichOneof("event") == "salon_ended":
            self._ended.add(salon)
        elif event.HasField("sat_out") and event.sat_out.seat == self._seats[salon]:
            # Busted: the chips bought let the seat be dealt in again.
            self._command(salon, top_up=salon_pb2.TopUpRequest(to=event.sat_out.need))

    def _act(self, salon: str, turn: turn_pb2.YourTurn) -> None:
        self._command(salon, act=salon_pb2.ActRequest(turn_id=turn.turn_id, **self._choice(turn.legal)))

    def _choice(self, legal: turn_pb2.LegalActions) -> dict[str, Any]:
        if legal.draw:
            return {"draw": turn_pb2.Draw()}
        kinds = [kind for kind, offered in (("check", legal.check), ("call", legal.call)) if offered]
        kinds += [kind for kind, most in (("bet", legal.bet_max), ("raise", legal.raise_max)) if most]
        if not legal.check:
            kinds.append("fold")
        kind = self._random.choice(kinds)
        if kind == "bet":
            return {"bet_to": turn_pb2.BetTo(to=self._random.randint(legal.bet_min, legal.bet_max))}
        if kind == "raise":
            return {"raise_to": turn_pb2.RaiseTo(to=self._random.randint(legal.raise_min, legal.raise_max))}
        quiet = {"check": turn_pb2.Check(), "call": turn_pb2.Call(), "fold": turn_pb2.Fold()}
        return {kind: quiet[kind]}

    def _command(self, salon: str, **command: Any) -> None:
        ((kind, request),) = command.items()
        request.salon_id = salon
        request.request_id = new_request_id()
        self._sending.create_task(self._send(salon_pb2.PlayCommand(**{kind: request})))

    async def _send(self, command: salon_pb2.PlayCommand) -> None:
        answer = await self._stream.send(command)
        too_late = command.HasField("top_up") and answer.refusal.reason in _TOO_LATE
        assert too_late or not answer.HasField("refusal"), answer.refusal.text


async def _sign_in(address: str, name: str) -> Client:
    client = Client(address)
    await client.sign_in(name, new_request_id())
    return client


async def _open(client: Client, game: str) -> str:
    settings = settings_pb2.SalonSettings(
        game=settings_pb2.Game.Value(f"GAME_{game}"), hand_limit=HANDS, between_hands_ms=1_000
    )
    if game == "DRAW":
        # Nobody can run out of the cover for twenty hands, so that the salon reaches its limit by itself.
        settings.min_buy_in = settings.max_buy_in = 4_000
    request = lobby_pb2.CreateSalonRequest(request_id=new_request_id(), settings=settings)
    created: lobby_pb2.CreateSalonResponse = await client.call(client.lobby.CreateSalon, request)
    return created.salon_id


async def _keep(client: Client, salons: list[str], opened: asyncio.Event) -> dict[str, Ledger]:
    """Watch every salon from outside until it is over, booking each event; `opened` once all are seen."""
    ledgers = {salon: Ledger() for salon in salons}
    last: dict[str, int] = {}
    open_salons = set(salons)
    async with PlayStream(client) as stream:
        for salon in salons:
            stream.watch(salon)
        while open_salons:
            update = await stream.update()
            salon = update.salon_id
            if update.WhichOneof("content") == "snapshot":
                ledgers[salon].open(update.snapshot)
                if update.snapshot.over:
                    open_salons.discard(salon)
            else:
                assert update.seq == last[salon] + 1, "a gap"
            last[salon] = update.seq
            if len(last) == len(salons):
                opened.set()
            for event in update.commit.events:
                assert not event.HasField("hole_cards_dealt"), "a private card for a spectator"
                assert not event.HasField("cards_replaced"), "a private card for a spectator"
                ledgers[salon].enter(event)
                if event.HasField("salon_ended"):
                    open_salons.discard(salon)
    return ledgers


@pytest.mark.integration
@pytest.mark.timeout(600)
@pytest.mark.parametrize("game", ["HOLDEM", "DRAW"])
async def test_a_thousand_hands_are_played_by_clients_and_no_chip_is_lost(address: str, game: str) -> None:
    """P9, L1: after every one of the events of 1,000 hands all chips are accounted for."""
    clients = [await _sign_in(address, name) for name in ("ledger", *"abcd"[:PLAYERS])]
    observer, *guests = clients
    try:
        salons = [await _open(observer, game) for _ in range(SALONS)]
        async with asyncio.TaskGroup() as tasks:
            opened = asyncio.Event()
            keeping = tasks.create_task(_keep(observer, salons, opened))
            await opened.wait()
            for seed, client in enumerate(guests):
                tasks.create_task(_play(client, salons, seed))
        ledgers = keeping.result()
    finally:
        for client in clients:
            await client.__aexit__()
    hands = sum(ledger.hands for ledger in ledgers.values())
    assert hands == SALONS * HANDS
    assert all(ledger.hands == HANDS for ledger in ledgers.values())


async def _play(client: Client, salons: list[str], seed: int) -> None:
    async with PlayStream(client) as stream:
        await RandomPlayer(client, stream, salons, seed).play()
