"""`croupier salons`, `create` and `close`: the lobby from the command line."""

from collections.abc import AsyncIterator
from typing import Annotated

import typer
from rich.table import Column, Table

from cluster.client import Client, new_request_id
from cluster.commands.guest import AddressOption, CaOption, Guest, NameOption, PlaintextOption, signed_in
from cluster.commands.salon_settings import SETTING_KEYS, parse_bots, parse_game, parse_settings
from cluster.commands.terminal import Misused, command, out, plain, run, say, say_json
from croupier.v1.lobby_pb2 import (
    CloseSalonRequest,
    CreateSalonRequest,
    ListSalonsRequest,
    SalonRow,
)
from croupier.v1.settings_pb2 import GAME_DRAW, GAME_HOLDEM, Game

COLUMNS = ("game", "stakes", "people", "bots", "free", "hand", "state")
GAMES = {GAME_HOLDEM: "hold'em", GAME_DRAW: "draw"}
NONE_FOUND = "no salon fits; make one: croupier create holdem --bots normal,normal"
CREATED = "salon {salon_id} is open; sit down with:\n{croupier} play {salon_id}"
INVITATION = "it is by invitation; the code for others is {code}"
CLOSED = "salon {salon_id} deals no more hands"

SEVERAL = "{text} begins the ids of {count} salons: write more of it"

PAGE = 100
ID_LENGTH = 20
"""Characters of a whole id."""
SalonArgument = Annotated[
    str, typer.Argument(metavar="SALON", help="The salon's id, or enough of its beginning.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document for programs.")]


def salons(
    *,
    game: Annotated[str | None, typer.Option("--game", help="holdem or draw; both if left out.")] = None,
    free: Annotated[int, typer.Option("--free", min=0, help="With at least this many free seats.")] = 0,
    as_json: JsonOption = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """List the salons of the lobby, newest first.

    Examples: croupier salons; croupier salons --game draw --free 1; croupier salons --json
    """
    run(_list(Guest(address, name, ca, plaintext), game, free, as_json=as_json))


def create(
    game: Annotated[str, typer.Argument(metavar="GAME", help="holdem or draw.")],
    *,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--setting",
            "-s",
            metavar="KEY=VALUE",
            help=f"A setting, such as big_blind=10. Repeatable. Keys: {', '.join(SETTING_KEYS)}.",
        ),
    ] = None,
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            help="Bots to seat: easy, normal or hard, with a style (tight, balanced, loose) if you like: "
            "hard,easy:loose.",
        ),
    ] = "",
    as_json: JsonOption = False,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """Create a salon, which is yours to close.

    Examples: croupier create holdem --bots hard,normal,easy:loose;
    croupier create draw -s small_bet=5 -s big_bet=10 -s hand_limit=500 --bots normal
    """
    run(_create(Guest(address, name, ca, plaintext), (game, setting or [], bots), as_json=as_json))


def close(
    salon_id: SalonArgument,
    *,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """Close a salon that you created: the hand in progress is finished.

    Example: croupier close i7tn
    """
    run(_close(Guest(address, name, ca, plaintext), salon_id))


def game_name(game: "Game.ValueType") -> str:
    """A game, as people read it."""
    return GAMES.get(game, "?")


def stakes(row: SalonRow) -> str:
    """The blinds or bets of a salon."""
    low, high = (row.small_bet, row.big_bet) if row.game == GAME_DRAW else (row.small_blind, row.big_blind)
    return f"{low}/{high}" + (f" ante {row.ante}" if row.ante else "")


def state(row: SalonRow) -> str:
    """What a salon is doing, in a word."""
    if row.over:
        return "over"
    if row.closing:
        return "closing"
    return "playing" if row.playing else "waiting"


async def whole_id(client: Client, text: str) -> str:
    """The id in the lobby that begins with `text`; `text` where none does, for the lobby does not show every salon.

    Raises:
        Misused: several begin so.
        RefusedCall, Unreachable.
    """
    if len(text) >= ID_LENGTH:
        return text
    found = [row.salon_id async for row in rows(client, ListSalonsRequest()) if row.salon_id.startswith(text)]
    if text in found or not found:
        return text
    if len(found) > 1:
        raise Misused(SEVERAL.format(text=text, count=len(found)))
    return found[0]


async def rows(client: Client, request: ListSalonsRequest) -> AsyncIterator[SalonRow]:
    """The salons of all pages."""
    request.page_size = PAGE
    while True:
        page = await client.call(client.lobby.ListSalons, request)
        for row in page.salons:
            yield row
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


async def _list(guest: Guest, game: str | None, free: int, *, as_json: bool) -> None:
    request = ListSalonsRequest(min_free_seats=free)
    if game:
        request.game = parse_game(game)
    async with signed_in(guest) as client:
        found = [row async for row in rows(client, request)]
    if as_json:
        say_json({"salons": [plain(row) for row in found]})
    elif not found:
        say(NONE_FOUND)
    else:
        out().print(salons_table(found))


def salons_table(found: list[SalonRow]) -> Table:
    """Salons as people read them. An id is never cut, however narrow the terminal: it is there to be copied."""
    widest = max((len(row.salon_id) for row in found), default=0)
    salon = Column("salon", no_wrap=True, min_width=widest)
    table = Table(salon, *(Column(name, no_wrap=True) for name in COLUMNS), box=None, pad_edge=False)
    for row in found:
        free = row.seats - row.people - row.bots
        numbers = (row.people, row.bots, free, row.hand)
        table.add_row(row.salon_id, game_name(row.game), stakes(row), *map(str, numbers), state(row))
    return table


async def _create(guest: Guest, asked: tuple[str, list[str], str], *, as_json: bool) -> None:
    game, pairs, bots = asked
    settings = parse_settings(game, pairs)
    settings.bots.extend(parse_bots(bots))
    async with signed_in(guest) as client:
        request = CreateSalonRequest(request_id=new_request_id(), settings=settings)
        answer = await client.call(client.lobby.CreateSalon, request)
    if as_json:
        say_json({"salon_id": answer.salon_id, "invitation_code": answer.invitation_code})
        return
    say(CREATED.format(salon_id=answer.salon_id, croupier=command()))
    if answer.invitation_code:
        say(INVITATION.format(code=answer.invitation_code))


async def _close(guest: Guest, salon_id: str) -> None:
    async with signed_in(guest) as client:
        salon_id = await whole_id(client, salon_id)
        await client.call(
            client.lobby.CloseSalon, CloseSalonRequest(request_id=new_request_id(), salon_id=salon_id)
        )
    say(CLOSED.format(salon_id=salon_id))
