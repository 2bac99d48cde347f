"""`croupier history`: the finished hands of a salon, as you may see them."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from cluster.client import Client
from cluster.commands.export import Export, Format, full_export, seen_export, written
from cluster.commands.guest import AddressOption, CaOption, Guest, NameOption, PlaintextOption, signed_in
from cluster.commands.table_text import Names, level_name, sentences
from cluster.commands.terminal import plain, run, say, say_json
from croupier.v1.history_pb2 import GetHandRequest, HandRecord, HandSummary, ListHandsRequest

NO_HANDS = "no hand is finished yet"
LISTED = "hand {hand}  {at}"
PLAYED = "hand {hand} of salon {salon_id}, ended {at}"
PLAYER = "  seat {seat} {name}{kind}: {stack}"


def history(
    salon_id: Annotated[str, typer.Argument(metavar="SALON", help="The salon's id.")],
    *,
    hand: Annotated[
        int | None, typer.Option("--hand", min=1, help="Show this hand; all are listed if left out.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="List at most this many.")] = 20,
    code: Annotated[str, typer.Option("--code", help="The code of a salon by invitation.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document for programs.")] = False,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="Export the hand, or all that are listed, oldest first."),
    ] = None,
    reveal_all: Annotated[
        bool, typer.Option("--reveal-all", help="For operators: export every private card, from Redis.")
    ] = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """List the finished hands of a salon, newest first, show one, or export them.

    Examples: croupier history 4kq2; croupier history 4kq2 --hand 17; croupier history 4kq2 --format phh
    """
    guest = Guest(address, name, ca, plaintext)
    if reveal_all:
        _say_export(run(full_export(salon_id, hand or 0, limit)), form or Format.TEXT)
    elif form:
        asked = ListHandsRequest(salon_id=salon_id, invitation_code=code)
        _say_export(run(_export(guest, asked, hand or 0, limit)), form)
    elif hand:
        run(_show(guest, GetHandRequest(salon_id=salon_id, hand=hand, invitation_code=code), as_json=as_json))
    else:
        run(_list(guest, ListHandsRequest(salon_id=salon_id, invitation_code=code), limit, as_json=as_json))


async def _export(guest: Guest, asked: ListHandsRequest, hand: int, limit: int) -> Export:
    async with signed_in(guest) as client:
        hands = [hand] if hand else [each.hand for each in await _hands(client, asked, limit)]
        return await seen_export(client, asked, hands)


def _say_export(export: Export, form: Format) -> None:
    if form is Format.JSON:
        for record in export.records:
            say_json(plain(record))
    elif export.records:
        say(written(export, form).rstrip("\n"))


async def _list(guest: Guest, request: ListHandsRequest, limit: int, *, as_json: bool) -> None:
    async with signed_in(guest) as client:
        found = await _hands(client, request, limit)
    if as_json:
        say_json({"hands": [plain(hand) for hand in found]})
    elif not found:
        say(NO_HANDS)
    else:
        for hand in found:
            say(LISTED.format(hand=hand.hand, at=_when(hand.at_ms)))


async def _hands(client: Client, request: ListHandsRequest, limit: int) -> list[HandSummary]:
    found: list[HandSummary] = []
    while len(found) < limit:
        request.page_size = min(100, limit - len(found))
        page = await client.call(client.history.ListHands, request)
        found.extend(page.hands)
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    return found


async def _show(guest: Guest, request: GetHandRequest, *, as_json: bool) -> None:
    async with signed_in(guest) as client:
        record = (await client.call(client.history.GetHand, request)).record
    if as_json:
        say_json(plain(record))
        return
    for line in hand_lines(record, request.salon_id):
        say(line)


def hand_lines(record: HandRecord, salon_id: str) -> list[str]:
    """A finished hand in words."""
    names = Names()
    lines = [PLAYED.format(hand=record.hand, salon_id=salon_id, at=_when(record.at_ms))]
    for player in record.players:
        names.learn(player.seat, player.name)
        kind = level_name(player.level)
        kind = f" ({kind} bot)" if kind else ""
        lines.append(PLAYER.format(seat=player.seat, name=player.name, kind=kind, stack=player.stack))
    return lines + [line for event in record.events for line in sentences(event, names)]


def _when(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
