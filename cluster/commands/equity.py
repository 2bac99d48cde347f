"""`croupier equity`: how often hands win, calculated in this process or by a cluster."""

import secrets
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Final

import typer

from bots.equity.chunks import NoDeal
from bots.equity.exact import TooManyDeals
from bots.equity.executor import InProcess
from bots.equity.paths import PathMissing
from bots.equity.sampling import OutOfTime
from cluster.calculator import Asked, answers
from cluster.client import RefusedCall
from cluster.codec.equity import NoQuestion, answer_to_message, asked
from cluster.commands.equity_question import Arguments, Wanted
from cluster.commands.equity_text import estimate_json, show_live, tables
from cluster.commands.guest import CaOption, Guest, NameOption, PlaintextOption, signed_in
from cluster.commands.terminal import Declined, Misused, out, run, say_json
from cluster.settings import SetupFault
from croupier.v1.equity_pb2 import EquityEstimate

NOT_BOTH = "--local is here and --address is elsewhere: leave one out"
_SEED_BITS: Final = 63


def equity(
    hands: Annotated[
        list[str],
        typer.Argument(
            metavar="HAND...",
            help="Hold'em: two to nine hands, ranges or random. Draw: your five cards, then how many each opponent "
            "drew (0 to 3, pat, random).",
            show_default=False,
        ),
    ],
    *,
    board: Annotated[str, typer.Option("--board", metavar="CARDS", help="The 3, 4 or 5 board cards.")] = "",
    dead: Annotated[str, typer.Option("--dead", metavar="CARDS", help="Other cards out of the deck.")] = "",
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="holdem or draw.")] = "holdem",
    discard: Annotated[
        str | None,
        typer.Option(
            "--discard",
            metavar="CARDS",
            help="Draw: what you give up, or pat. Default: all 26 ways, compared.",
        ),
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", help="Sample exactly so many deals.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count all deals, or say why not.")] = False,
    stderr: Annotated[
        float | None,
        typer.Option("--stderr", metavar="X", help="Until no standard error is above this, such as 0.001."),
    ] = None,
    deadline: Annotated[
        int | None, typer.Option("--deadline", metavar="MS", help="Stop after so many milliseconds.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Draw the samples that this seed gives.")
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="In this process, on all cores, without a server: the default.")
    ] = False,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="By the cluster of this gateway. CROUPIER_ADDRESS does not count here.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document for programs.")] = False,
    name: NameOption = None,
    ca: CaOption = None,
    plaintext: PlaintextOption = False,
) -> None:
    """How often each hand wins; exact where that takes a moment, else a million samples.

    A range is written as players do: QQ+, AKs, A2s-A5s, T9o, 22-99, AsKd, with a weight AA:0.25.

    Examples: croupier equity AhKh "QQ+, AKs"; croupier equity AhKh QQ+ random --board Qs7d2s --stderr 0.001;
    croupier equity --game draw AsAd7c8d2h; croupier equity --game draw AsAd7c8d2h 1 3 --discard 7c8d2h
    """
    wanted = Wanted(hands, game, board, dead, discard, samples, exact, stderr, deadline, seed)
    guest = None if address is None else Guest(address, name, ca, plaintext)
    run(_calculate(wanted, guest, local=local, as_json=as_json))


async def _calculate(wanted: Wanted, guest: Guest | None, *, local: bool, as_json: bool) -> None:
    """Read, answer and show. Raises Misused, SetupFault, Declined, RefusedCall, Unreachable."""
    if local and guest is not None:
        raise Misused(NOT_BOTH)
    arguments = Arguments(wanted)
    try:
        read = asked(arguments.question)
        found = _here(read) if guest is None else _there(arguments, guest)
        async with aclosing(found) as estimates:
            await _show(estimates, arguments, as_json=as_json)
    except NoQuestion as wrong:
        raise Misused(arguments.explained(wrong)) from None
    except (TooManyDeals, NoDeal, OutOfTime) as error:
        raise Declined(str(error)) from None
    except PathMissing as error:
        raise SetupFault(str(error)) from None


async def _show(estimates: AsyncIterator[EquityEstimate], arguments: Arguments, *, as_json: bool) -> None:
    if not as_json and sys.stdout.isatty():
        await show_live(estimates, arguments.question.budget, time.monotonic)
        return
    last = EquityEstimate()
    async for estimate in estimates:
        last = estimate
    if as_json:
        say_json(estimate_json(last))
    else:
        out().print(tables(last))


async def _here(read: Asked) -> AsyncGenerator[EquityEstimate, None]:
    """The estimates of this process."""
    seed = secrets.randbits(_SEED_BITS) if read.seed is None else read.seed
    async with aclosing(answers(read, InProcess(), seed=seed)) as found:
        async for answer in found:
            yield answer_to_message(answer, read, seed)


async def _there(arguments: Arguments, guest: Guest) -> AsyncGenerator[EquityEstimate, None]:
    """The estimates of a cluster."""
    async with signed_in(guest) as client:
        try:
            async for estimate in client.estimates(arguments.question):
                yield estimate
        except RefusedCall as error:
            field = error.refusal.metadata.get("field")
            if not field:
                raise
            raise NoQuestion(error.refusal.text, field=field) from None
