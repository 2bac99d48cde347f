"""Exporting finished hands: what a player may see comes from the gateway, what an operator may from Redis.

Who reaches the cluster's Redis is an operator: no gateway hands out a card that its caller may not see.
"""

from collections.abc import Callable, Sequence
from typing import Final

from cluster.client import Client
from cluster.codec.messages import event_from_message, record_to_message, settings_from_message
from cluster.commands.finished_hands import Format, finished_hands
from cluster.commands.guest import Guest, signed_in
from cluster.commands.salons import whole_id
from cluster.commands.terminal import Declined, plain, say, say_json
from cluster.envelope import SalonId
from cluster.journal.log import LogCorrupt, LogFault
from cluster.journal.redis_journal import Journal
from cluster.local.datadir import DataDir
from cluster.redis_door import connect
from cluster.settings import SetupFault, load_settings, variable_of
from croupier.v1.history_pb2 import GetHandRequest, HandRecord, ListHandsRequest
from croupier.v1.salon_pb2 import GetViewRequest
from engine.history.finished import FinishedHand
from engine.history.phh import phh_text, phhs_text
from engine.history.text import histories_text
from engine.settings import Settings, rules_of
from engine.units import HandNumber, Seat
from engine.value import value

NO_REDIS = "{variable} is not set and no `croupier up` runs here: --reveal-all reads the cluster's Redis; name it there"
NO_SUCH_HAND = "no such finished hand is kept"


@value
class Export:
    """Finished hands of one salon, the oldest first, and what their records do not tell."""

    salon: str
    settings: Settings
    records: tuple[HandRecord, ...]


async def say_export(
    guest: Guest | None, asked: ListHandsRequest, *, hand: int, limit: int, form: Format
) -> None:
    """Print hand `hand`, or the newest `limit` ones for 0, as `guest` may see them; None is an operator.

    Raises:
        Misused, SetupFault, Declined, RefusedCall, Unreachable.
    """
    if guest is None:
        export = await _full_export(asked.salon_id, hand, limit)
    else:
        async with signed_in(guest) as client:
            asked.salon_id = await whole_id(client, asked.salon_id)
            found = [hand] if hand else [each.hand for each in await finished_hands(client, asked, limit)]
            export = await _seen_export(client, asked, found)
    if form is Format.JSON:
        for record in export.records:
            say_json(plain(record))
    elif export.records:
        say(written(export, form).rstrip("\n"))


async def _seen_export(client: Client, asked: ListHandsRequest, hands: Sequence[int]) -> Export:
    """The hands as the caller may see them."""
    code = asked.invitation_code
    view = await client.call(
        client.salon.GetView, GetViewRequest(salon_id=asked.salon_id, invitation_code=code)
    )
    records = []
    for hand in sorted(hands):
        request = GetHandRequest(salon_id=asked.salon_id, hand=hand, invitation_code=code)
        records.append((await client.call(client.history.GetHand, request)).record)
    return Export(asked.salon_id, settings_from_message(view.view.settings), tuple(records))


async def _full_export(salon_id: str, hand: int, limit: int) -> Export:
    """Hand `hand`, or the newest `limit` ones for 0, with every private card."""
    redis = connect(_redis_url())
    journal, salon = Journal(redis), SalonId(salon_id)
    try:
        numbers = [HandNumber(hand)] if hand else (await journal.hands(salon))[:limit]
        found = [await journal.hand(salon, number) for number in sorted(numbers)]
        snapshots = await journal.snapshots(salon)
    except (LogFault, LogCorrupt) as fault:
        raise SetupFault(str(fault)) from None
    finally:
        await redis.aclose()
    kept = [record for record in found if record is not None]
    if not kept or not snapshots:
        raise Declined(NO_SUCH_HAND)
    records = tuple(record_to_message(record, record.events) for record in kept)
    return Export(salon_id, snapshots[0].table.settings, records)


def _redis_url() -> str:
    """The cluster's Redis: as the settings name it, or that of the `croupier up` of this user."""
    settings = load_settings()
    if settings.redis_url:
        return settings.redis_url
    recorded = DataDir(settings.data_dir).recorded()
    if recorded is None:
        raise SetupFault(NO_REDIS.format(variable=variable_of("redis_url")))
    return f"unix://{recorded[0] / 'valkey.sock'}"


def written(export: Export, form: Format) -> str:
    """The hands as PHH (a section a hand, or the one hand alone) or as text, for every format but JSON."""
    hands = [_finished(export, record) for record in export.records]
    return _WRITERS[form](hands)


def _phh(hands: list[FinishedHand]) -> str:
    return phh_text(hands[0]) if len(hands) == 1 else phhs_text(hands)


_WRITERS: Final[dict[Format, Callable[[list[FinishedHand]], str]]] = {
    Format.PHH: _phh,
    Format.TEXT: histories_text,
}


def _finished(export: Export, record: HandRecord) -> FinishedHand:
    events = (event_from_message(event) for event in record.events)
    return FinishedHand(
        export.salon,
        export.settings.seats,
        rules_of(export.settings),
        {Seat(player.seat): player.name for player in record.players},
        tuple(event for event in events if event is not None),
    )
