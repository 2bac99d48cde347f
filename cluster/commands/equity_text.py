"""Estimates of equity for people: tables of players and discards, a bar while it goes on; and for programs."""

from collections.abc import AsyncIterator, Callable
from math import isfinite
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from bots.equity.budget import DEFAULT_SAMPLES
from cluster.commands.terminal import out
from croupier.v1.equity_pb2 import (
    EQUITY_PATH_UNSPECIFIED,
    EQUITY_STOP_UNSPECIFIED,
    DiscardEquity,
    EquityBudget,
    EquityEstimate,
    EquityPath,
    EquityStop,
    HandCategory,
    PlayerEquity,
)

EXACT = "exact: {samples:,} deals counted"
SAMPLED = "sampled: {samples:,} deals{error}, seed {seed}"
ERROR = ", standard error {error} %"
STOPPED = {
    EquityStop.EQUITY_STOP_SAMPLES: "stopped at the number of samples",
    EquityStop.EQUITY_STOP_ERROR: "stopped at the standard error",
    EquityStop.EQUITY_STOP_DEADLINE: "stopped at the deadline",
}
ON_PATH = "path {path}"
BEST = "best: {discard}"
AFTER = "after: {discard}"
GIVE_UP = "discard {cards}"
PAT = "stand pat"
CHANCES = ("high", "pair", "2 pr", "3 k", "str", "flu", "full", "4 k", "s fl")
"""The nine categories in the heads of narrow columns."""
_REFRESH: Final = 10


def estimate_json(estimate: EquityEstimate) -> dict[str, Any]:
    """The estimate for programs; `stderr` is null where a single sample leaves it open."""
    found: dict[str, Any] = {
        "exact": estimate.exact,
        "samples": estimate.samples,
        "stderr": estimate.standard_error if isfinite(estimate.standard_error) else None,
        "players": [{"hand": player.hand, **_parts(player)} for player in estimate.players],
    }
    if estimate.discards:
        found["discards"] = [_discard_json(row) for row in estimate.discards]
    return found


def _discard_json(row: DiscardEquity) -> dict[str, Any]:
    chances = {_category(each.category): each.chance for each in row.chances}
    own = _parts(row.own) if row.HasField("own") else {}
    return {"discard": list(row.cards), "chances": chances, **own}


def _parts(player: PlayerEquity) -> dict[str, float]:
    return {"win": player.win, "tie": player.tie, "equity": player.equity}


def _category(category: HandCategory.ValueType) -> str:
    return HandCategory.Name(category).removeprefix("HAND_CATEGORY_").lower()


async def show_live(
    estimates: AsyncIterator[EquityEstimate], budget: EquityBudget, clock: Callable[[], float]
) -> None:
    """A table that follows the estimates on a terminal, with a bar until the last one."""
    began = clock()
    with Live(console=out(), refresh_per_second=_REFRESH) as live:
        live.update(_waiting(0.0))
        async for estimate in estimates:
            done = 1.0 if estimate.stop else share_done(estimate, budget, clock() - began)
            live.update(tables(estimate) if estimate.stop else Group(tables(estimate), _waiting(done)))


def share_done(estimate: EquityEstimate, budget: EquityBudget, seconds: float) -> float:
    """About how much of the work is done, 0 to 1: by the rule that will be met first."""
    shares = [0.0]
    rows = len(estimate.discards)
    if rows > 1:
        shares.append(sum(row.HasField("own") for row in estimate.discards) / rows)
    elif budget.HasField("samples") or not (
        budget.HasField("standard_error") or budget.HasField("deadline_ms")
    ):
        shares.append(estimate.samples / (budget.samples or DEFAULT_SAMPLES))
    if rows <= 1 and budget.HasField("standard_error") and estimate.standard_error:
        shares.append((budget.standard_error / estimate.standard_error) ** 2)
    if budget.HasField("deadline_ms"):
        shares.append(1000 * seconds / budget.deadline_ms)
    return min(1.0, max(shares))


def _waiting(done: float) -> RenderableType:
    """A bar; one that pulses where it is not known how much is done."""
    return ProgressBar(total=1.0, completed=done, width=60, pulse=not done)


def tables(estimate: EquityEstimate) -> RenderableType:
    """The estimate as people read it."""
    parts: list[RenderableType] = []
    if estimate.discards:
        parts.append(_discards(estimate))
    if estimate.players:
        if estimate.HasField("discard"):
            several = len(estimate.discards) > 1
            parts.append(Text((BEST if several else AFTER).format(discard=_given_up(estimate.discard.cards))))
        parts.append(_players(estimate))
        parts.append(Text(_how(estimate)))
    return Group(*parts)


def _players(estimate: EquityEstimate) -> Table:
    heads = ["win %", "tie %", "equity %"] + ([] if estimate.exact else ["+-"])
    table = Table(Column("hand", overflow="fold"), *(_number(head) for head in heads), box=None)
    for player in estimate.players:
        numbers = [percent(player.win), percent(player.tie), percent(player.equity)]
        error = [] if estimate.exact else [_two_digits(player.standard_error)]
        table.add_row(Text(player.hand), *numbers, *error)
    return table


def _discards(estimate: EquityEstimate) -> Table:
    """The best first where it is known how often they win."""
    weighed = bool(estimate.players)
    heads = (["win %", "equity %"] if weighed else []) + list(CHANCES)
    table = Table("discard", *(_number(head) for head in heads), box=None, padding=(0, 1, 0, 0))
    rows = sorted(estimate.discards, key=lambda row: -row.own.equity) if weighed else estimate.discards
    for row in rows:
        own = [percent(row.own.win), percent(row.own.equity)] if row.HasField("own") else ["", ""]
        chances = [_short(each.chance) for each in row.chances]
        table.add_row(Text(" ".join(row.cards) or PAT), *(own if weighed else []), *chances)
    return table


def _number(head: str) -> Column:
    return Column(head, justify="right", no_wrap=True)


def _given_up(cards: Any) -> str:
    return GIVE_UP.format(cards=" ".join(cards)) if cards else PAT


def _how(estimate: EquityEstimate) -> str:
    """How the numbers were come by, in a line."""
    error = estimate.standard_error
    said = (
        EXACT.format(samples=estimate.samples)
        if estimate.exact
        else SAMPLED.format(
            samples=estimate.samples,
            error=ERROR.format(error=_two_digits(error)) if isfinite(error) else "",
            seed=estimate.seed,
        )
    )
    parts = [said]
    if estimate.stop != EQUITY_STOP_UNSPECIFIED and estimate.stop in STOPPED:
        parts.append(STOPPED[estimate.stop])
    if estimate.path != EQUITY_PATH_UNSPECIFIED:
        parts.append(ON_PATH.format(path=EquityPath.Name(estimate.path).removeprefix("EQUITY_PATH_").lower()))
    return "; ".join(parts)


def percent(part: float) -> str:
    """A part of 1 with two decimals of a percent; nothing where it is not known."""
    return f"{100 * part:.2f}" if isfinite(part) else ""


def _two_digits(part: float) -> str:
    """A small part of 1 as a percentage; nothing where it is not known."""
    return f"{100 * part:.2g}" if isfinite(part) else ""


def _short(part: float) -> str:
    """A part of 1 as a percentage of four characters, nothing for 0."""
    number = 100 * part
    if not part:
        return ""
    if number < 0.005:
        return "<.01"
    if number < 9.995:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 99.95 else "100"
