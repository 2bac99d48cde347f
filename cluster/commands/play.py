"""`croupier play`: a seat at a table in line mode, for terminals, screen readers and pipes.

From a pipe the lines are a script: a line that needs your turn waits for it, and the end of the input leaves
the salon. From a terminal such a line is answered at once.
"""

import asyncio
import contextlib
import sys
from typing import Annotated

import typer

from cluster.client import Client, RefusedCall, new_request_id
from cluster.commands.guest import AddressOption, CaOption, Guest, NameOption, PlaintextOption, signed_in
from cluster.commands.lines import Lines
from cluster.commands.play_words import HELP_TEXT, TURN_WORDS, Unclear, Wish, Word, parse
from cluster.commands.salon_settings import parse_game
from cluster.commands.salons import rows, whole_id
from cluster.commands.seat import Seat
from cluster.commands.terminal import Declined, command, run, say
from cluster.play_stream import PlayStream
from croupier.v1.lobby_pb2 import ListSalonsRequest
from croupier.v1.salon_pb2 import JoinRequest

NO_SEAT = "no salon has a free seat; make one: croupier create holdem --bots normal,normal"
SITTING = "you sit in salon {salon_id}; h lists the keys"
NOT_YOUR_TURN = "it is not your turn"
LEFT = "you have left salon {salon_id}"
QUIT = "your seat stays and its clock runs; come back with:\n{croupier} play {salon_id}"


def play(
    salon_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[SALON]",
            help="The salon's id, or enough of its beginning; one with bots and a free seat if left out.",
        ),
    ] = None,
    *,
    game: Annotated[
        str | None, typer.Option("--game", help="holdem or draw, where no salon is named.")
    ] = None,
    seat: Annotated[int, typer.Option("--seat", min=0, help="The seat; 0 is any free one.")] = 0,
    buy_in: Annotated[int, typer.Option("--buy-in", min=0, help="Chips; 0 is the usual buy-in.")] = 0,
    code: Annotated[str, typer.Option("--code", help="The code of a salon by invitation.")] = "",
    plain: Annotated[bool, typer.Option("--plain", help="Line mode, the only mode there is now.")] = True,
    address: AddressOption = None,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    r"""Sit down and play, by typed lines; h lists the keys.

    Examples: croupier play; croupier play i7tn --name Ada; printf 'call\nleave\n' | croupier play --game draw
    """
    del plain
    request = JoinRequest(salon_id=salon_id or "", seat=seat, buy_in=buy_in, invitation_code=code)
    run(_play(Guest(address, name, ca, plaintext), request, game))


async def _play(guest: Guest, join: JoinRequest, game: str | None) -> None:
    async with signed_in(guest) as client, PlayStream(client) as stream:
        seat = Seat(client, stream, say)
        if join.salon_id:
            join.salon_id = await whole_id(client, join.salon_id)
            await seat.sit(join)
        else:
            await _sit_somewhere(client, seat, join, game)
        say(SITTING.format(salon_id=seat.salon_id))
        stayed = await _table(seat)
    if stayed:
        say(QUIT.format(salon_id=seat.salon_id, croupier=command()))
    elif not seat.over:
        say(LEFT.format(salon_id=seat.salon_id))


async def _sit_somewhere(client: Client, seat: Seat, join: JoinRequest, game: str | None) -> None:
    """Take the first seat that is to be had, in a salon with bots if there is one."""
    request = ListSalonsRequest(min_free_seats=1)
    if game:
        request.game = parse_game(game)
    found = [row async for row in rows(client, request) if not row.closing and not row.over]
    for row in sorted(found, key=lambda row: row.bots == 0):
        join.salon_id = row.salon_id
        with contextlib.suppress(RefusedCall):  # somebody was quicker
            await seat.sit(join)
            return
    raise Declined(NO_SEAT)


async def _table(seat: Seat) -> bool:
    """Play until the seat is given up; whether it was kept, because the player only went away."""
    following = asyncio.create_task(seat.follow())
    typing = asyncio.create_task(_type(seat))
    try:
        await asyncio.wait({following, typing}, return_when=asyncio.FIRST_COMPLETED)
        if typing.done() and typing.result() is Word.LEAVE:
            await following
        if following.done():
            following.result()
            return False
        return True
    finally:
        for task in (following, typing):
            task.cancel()
        await asyncio.gather(following, typing, return_exceptions=True)


async def _type(seat: Seat) -> Word:
    """Do what is typed, until that is to leave or to quit."""
    lines = Lines()
    patient = not sys.stdin.isatty()
    while True:
        line = await lines.next()
        try:
            wish = parse(line) if line is not None else Wish(Word.LEAVE)
            if wish is None:
                continue
            if wish.word in TURN_WORDS and patient:
                await seat.my_turn.wait()
            if await _do(seat, wish):
                return wish.word
        except Unclear as unclear:
            say(str(unclear))


async def _do(seat: Seat, wish: Wish) -> bool:
    """Do one thing; whether it was the last."""
    match wish.word:
        case Word.QUIT:
            return True
        case Word.HELP:
            say(HELP_TEXT)
        case Word.TABLE:
            await seat.show_table()
        case Word.LEAVE:
            return await seat.leave(new_request_id())
        case word if word in TURN_WORDS:
            if seat.turn is None:
                say(NOT_YOUR_TURN)
            else:
                await seat.act(wish, seat.turn)
        case _:
            await seat.ask(wish)
    return False
