"""The salons that `croupier up` opens at its first start: both games, every level of bot, and seats for people.

They are remembered in the data directory, so that a restart finds the same ones going on.
"""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from cluster.client import Client, RefusedCall, new_request_id
from cluster.commands.salon_settings import parse_bots, parse_settings
from croupier.v1.lobby_pb2 import CreateSalonRequest
from croupier.v1.salon_pb2 import GetViewRequest


@dataclass(frozen=True, slots=True)
class DemoSalon:
    """A salon to open, in the words of `croupier create`."""

    game: str
    settings: tuple[str, ...]
    bots: str


ALWAYS_ON = ("plays_unwatched=on", "bot_speed=fast", "between_hands_ms=2000")
DRAW_HANDS = "hand_limit=1000000"
DEMO_SALONS = (
    DemoSalon("holdem", ("big_blind=2", *ALWAYS_ON), "easy,normal:loose,hard"),
    DemoSalon("holdem", ("small_blind=5", "big_blind=10", *ALWAYS_ON), "easy:loose,normal,normal:tight,hard"),
    DemoSalon("draw", (DRAW_HANDS, *ALWAYS_ON), "easy,normal:loose,hard"),
    DemoSalon(
        "draw", ("small_bet=10", "big_bet=20", "ante=5", DRAW_HANDS, *ALWAYS_ON), "easy,normal:tight,hard"
    ),
)


async def open_salons(client: Client, memory: Path) -> list[str]:
    """The ids of the demo salons: those that `memory` knows and that go on, and new ones for the rest.

    Raises:
        RefusedCall, Unreachable.
    """
    kept = _read(memory)
    kept += [{"request_id": new_request_id()} for _ in range(len(DEMO_SALONS) - len(kept))]
    going = await asyncio.gather(*(_goes_on(client, entry.get("salon_id", "")) for entry in kept))
    for entry, goes_on in zip(kept, going, strict=True):
        if entry.get("salon_id") and not goes_on:
            entry.clear()
            entry["request_id"] = new_request_id()
    _write(memory, kept)  # before anything is asked for, so that a salon is asked for once
    for entry, salon in zip(
        kept, DEMO_SALONS, strict=True
    ):  # in turn: a host's start is most of a core's second
        await _create(client, entry, salon)
    _write(memory, kept)
    return [entry["salon_id"] for entry in kept]


async def _create(client: Client, entry: dict[str, str], salon: DemoSalon) -> None:
    if "salon_id" in entry:
        return
    settings = parse_settings(salon.game, list(salon.settings))
    settings.bots.extend(parse_bots(salon.bots))
    request = CreateSalonRequest(request_id=entry["request_id"], settings=settings)
    entry["salon_id"] = (await client.call(client.lobby.CreateSalon, request)).salon_id


async def _goes_on(client: Client, salon_id: str) -> bool:
    """Whether a salon deals still; asking wakes it."""
    if not salon_id:
        return False
    try:
        answer = await client.call(client.salon.GetView, GetViewRequest(salon_id=salon_id))
    except RefusedCall:
        return False
    return not answer.view.over and not answer.view.closing


def _read(memory: Path) -> list[dict[str, str]]:
    try:
        kept = json.loads(memory.read_text())
    except (OSError, ValueError):
        return []
    return [dict(entry) for entry in kept][: len(DEMO_SALONS)] if isinstance(kept, list) else []


def _write(memory: Path, kept: list[dict[str, str]]) -> None:
    memory.write_text(json.dumps(kept))
