"""`croupier watch`: what happens in a salon, in words or as JSON."""

from typing import Annotated

import typer

from cluster.client import RefusedCall
from cluster.commands.guest import AddressOption, CaOption, Guest, NameOption, PlaintextOption, signed_in
from cluster.commands.salons import SalonArgument, whole_id
from cluster.commands.table_text import Names, sentences, table_lines
from cluster.commands.terminal import plain, run, say, say_json
from croupier.v1.watch_pb2 import SalonUpdate


def watch(
    salon_id: SalonArgument,
    *,
    code: Annotated[str, typer.Option("--code", help="The code of a salon by invitation.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object an update, for programs.")] = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """Watch a salon until it is over or you press Ctrl-C; a broken connection is resumed.

    Examples: croupier watch i7tn; croupier watch i7tn --json | jq .commit
    """
    run(_watch(Guest(address, name, ca, plaintext), salon_id, code, as_json=as_json))


async def _watch(guest: Guest, salon_id: str, code: str, *, as_json: bool) -> None:
    names = Names()
    async with signed_in(guest) as client:
        salon_id = await whole_id(client, salon_id)
        async for update in client.watch(salon_id, invitation_code=code):
            if as_json:
                say_json(plain(update))
            else:
                for line in update_lines(update, names):
                    say(line)
            if update.WhichOneof("content") == "ended":
                raise RefusedCall(update.ended)
            if is_over(update):
                return


def is_over(update: SalonUpdate) -> bool:
    """Whether the salon is over after an update: nothing follows."""
    if update.WhichOneof("content") == "snapshot":
        return update.snapshot.over
    return any(event.WhichOneof("event") == "salon_ended" for event in update.commit.events)


def update_lines(update: SalonUpdate, names: Names) -> list[str]:
    """An update in words; `names` is kept up."""
    match update.WhichOneof("content"):
        case "snapshot":
            names.show(update.snapshot)
            return table_lines(update.snapshot)
        case "commit":
            return [line for event in update.commit.events for line in sentences(event, names)]
        case _:
            return []
