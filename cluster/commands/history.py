"""`croupier history`: the finished hands of a salon, as you may see them."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from cluster.commands.explained_hand import NOTHING_EXPLAINED, told
from cluster.commands.finished_hands import Format, finished_hands
from cluster.commands.guest import (
    AddressOption,
    CaOption,
    Guest,
    NameOption,
    PlaintextOption,
    operator_token,
    signed_in,
)
from cluster.commands.salons import SalonArgument, whole_id
from cluster.commands.table_text import Names, level_name, sentences
from cluster.commands.terminal import plain, run, say, say_json
from croupier.v1.history_pb2 import GetHandRequest, HandRecord, ListHandsRequest

NO_HANDS = "no hand is finished yet"
LISTED = "hand {hand}  {at}"
PLAYED = "hand {hand} of salon {salon_id}, begun {at}"
ONE_HAND = "it is for one hand in words: name it with --hand, without --format and --reveal-all"
FOR_EXPLAIN = "it goes with --explain; --reveal-all shows every card"
PLAYER = "  seat {seat} {name}{kind}: {stack}"


def history(
    salon_id: SalonArgument,
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
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="With --hand: why bots did what they did, if they showed their cards."
        ),
    ] = False,
    as_operator: Annotated[
        bool,
        typer.Option(
            "--as-operator", help="For operators, with --explain: every bot's, by CROUPIER_OPERATOR_TOKEN."
        ),
    ] = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """List the finished hands of a salon, newest first, show one, or export them.

    Examples: croupier history i7tn; croupier history i7tn --hand 3 --explain; croupier history i7tn --format phh
    """
    if explain and (not hand or form or reveal_all):
        raise typer.BadParameter(ONE_HAND, param_hint="--explain")
    if as_operator and not explain:
        raise typer.BadParameter(FOR_EXPLAIN, param_hint="--as-operator")
    guest = Guest(address, name, ca, plaintext)
    asked = ListHandsRequest(salon_id=salon_id, invitation_code=code)
    if form or reveal_all:
        from cluster.commands.export import say_export  # noqa: PLC0415 - Redis's client is slow to import

        source = None if reveal_all else guest
        run(say_export(source, asked, hand=hand or 0, limit=limit, form=form or Format.TEXT))
    elif hand:
        one = GetHandRequest(salon_id=salon_id, hand=hand, invitation_code=code, explain=explain)
        run(_show(guest, one, as_json=as_json, as_operator=as_operator))
    else:
        run(_list(guest, asked, limit, as_json=as_json))


async def _list(guest: Guest, request: ListHandsRequest, limit: int, *, as_json: bool) -> None:
    async with signed_in(guest) as client:
        request.salon_id = await whole_id(client, request.salon_id)
        found = await finished_hands(client, request, limit)
    if as_json:
        say_json({"hands": [plain(hand) for hand in found]})
    elif not found:
        say(NO_HANDS)
    else:
        for hand in found:
            say(LISTED.format(hand=hand.hand, at=_when(hand.at_ms)))


async def _show(guest: Guest, request: GetHandRequest, *, as_json: bool, as_operator: bool) -> None:
    token = operator_token() if as_operator else ""
    async with signed_in(guest) as client:
        request.salon_id = await whole_id(client, request.salon_id)
        client.operator_token = token
        record = (await client.call(client.history.GetHand, request)).record
    if as_json:
        say_json(plain(record))
        return
    for line in hand_lines(record, request.salon_id):
        say(line)
    if request.explain and not record.explanations:
        say(NOTHING_EXPLAINED)


def hand_lines(record: HandRecord, salon_id: str) -> list[str]:
    """A finished hand in words, with the explanations that it has."""
    names = Names()
    lines = [PLAYED.format(hand=record.hand, salon_id=salon_id, at=_when(record.at_ms))]
    for player in record.players:
        names.learn(player.seat, player.name)
        kind = level_name(player.level)
        kind = f" ({kind} bot)" if kind else ""
        lines.append(PLAYER.format(seat=player.seat, name=player.name, kind=kind, stack=player.stack))
    return lines + [line for event, whys in told(record) for line in (*sentences(event, names), *whys)]


def _when(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
