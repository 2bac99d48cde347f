"""Comparing: a replay held against what its record says came out.

Law of this file: it decides nothing about a hand; it only tells what differs, and which differences a rule
explains. A record raked by the house agrees if what the pots paid and the rake make the engine's pots.
"""

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Any

from engine.replay.recorded import BadRecord, Outcome, RecordedHand, Unreadable
from engine.replay.replay import Played, Stopped, replay
from engine.units import Chips, Seat
from engine.value import value


class Status(StrEnum):
    """What became of a recorded hand."""

    OK = "ok"
    MISMATCH = "mismatch"
    PLAYED = "played"
    """The file does not say how it came out."""
    REFUSED = "refused"
    """The engine's rules do not allow what was recorded."""
    UNSUPPORTED = "unsupported"
    """The file holds no hand that could be played here."""


@value
class Report:
    """One hand's replay beside its record; without stacks and winnings where nothing decides them."""

    file: str
    id: str
    status: Status
    finish: Mapping[Seat, Chips] | None = None
    won: Mapping[Seat, Chips] | None = None
    returned: Mapping[Seat, Chips] | None = None
    detail: str = ""


def report_on(hand: RecordedHand | Unreadable) -> Report:
    """Replay a hand as it was read, and compare."""
    if isinstance(hand, Unreadable):
        return Report(hand.file, hand.id, Status.UNSUPPORTED, detail=hand.why)
    try:
        played = replay(hand)
    except BadRecord as error:
        return Report(hand.file, hand.id, Status.UNSUPPORTED, detail=str(error))
    if isinstance(played, Stopped):
        return Report(hand.file, hand.id, Status.REFUSED, detail=played.why)
    status, detail = compare(played, hand.outcome)
    if not played.winners_known:
        undecided = "its cards do not decide who wins"
        return Report(
            hand.file,
            hand.id,
            status,
            returned=played.returned,
            detail=f"{undecided}; {detail}" if detail else undecided,
        )
    return Report(hand.file, hand.id, status, played.finish, played.won, played.returned, detail)


def report_plain(report: Report) -> dict[str, Any]:
    """The report as JSON takes it."""
    return {
        "file": report.file,
        "id": report.id,
        "status": report.status.value,
        "finish": _plain(report.finish),
        "won": _plain(report.won),
        "returned": _plain(report.returned),
        "detail": report.detail,
    }


def _plain(chips: Mapping[Seat, Chips] | None) -> dict[str, int] | None:
    return None if chips is None else {str(seat): amount for seat, amount in chips.items()}


def compare(played: Played, outcome: Outcome | None) -> tuple[Status, str]:
    """Whether `played` agrees with `outcome`, and what there is to say about it."""
    if outcome is None:
        return Status.PLAYED, ""
    differences: list[str] = []
    remarks: list[str] = []
    _compare_pots(played, outcome, differences, remarks)
    if played.winners_known:
        _compare_winnings(played, outcome, differences)
        _compare_stacks(played, outcome, differences, remarks)
    if differences:
        return Status.MISMATCH, "; ".join(differences)
    return Status.OK, "; ".join(remarks)


def _compare_pots(played: Played, outcome: Outcome, differences: list[str], remarks: list[str]) -> None:
    """Returns and pots. Where a record lists no pot, its return may run up to what a sole survivor put in."""
    if outcome.returned is not None and dict(outcome.returned) != dict(played.returned):
        text = f"returned {_text(played.returned)}, recorded {_text(outcome.returned)}"
        if not played.winners_known and not outcome.pots and _is_walkover(played, outcome):
            remarks.append(f"{text}: by N17 only what nobody matched comes back")
        else:
            differences.append(text)
    if outcome.pots and dict(outcome.pots) != dict(played.pots):
        differences.append(f"pots {_pots(played.pots)}, recorded {_pots(outcome.pots)}")


def _is_walkover(played: Played, outcome: Outcome) -> bool:
    """Whether one seat gets all there is, so that its return and its pot are one sum."""
    seats = {seat for eligible in played.pots for seat in eligible} | set(played.returned)
    return len(seats) == 1 and set(outcome.returned or ()) == seats


def _compare_winnings(played: Played, outcome: Outcome, differences: list[str]) -> None:
    """What the pots paid, the rake added: the same winners, each short of at most the rake, and all of it in sum."""
    if outcome.won is None:
        return
    won = {seat: amount for seat, amount in outcome.won.items() if amount}
    short = {
        seat: played.won.get(seat, 0) - won.get(seat, Fraction(0)) for seat in played.won.keys() | won.keys()
    }
    agrees = (
        won.keys() == played.won.keys()
        and sum(short.values()) == outcome.rake
        and all(0 <= missing <= outcome.rake for missing in short.values())
    )
    if not agrees:
        rake = f" and the rake of {outcome.rake}" if outcome.rake else ""
        differences.append(f"won {_text(played.won)}, recorded {_text(won)}{rake}")


def _compare_stacks(played: Played, outcome: Outcome, differences: list[str], remarks: list[str]) -> None:
    """Stacks after the hand: equal but for the rake, and for chips that only the record breaks (P5)."""
    if outcome.finish is None:
        return
    broken = []
    for seat, stack in played.finish.items():
        recorded = outcome.finish.get(seat, Fraction(-1))
        missing = stack - recorded
        if missing == 0 or (outcome.rake and _is_rake(missing, seat, played, outcome)):
            continue
        if recorded.denominator != 1 and abs(missing) < 1 and played.split and seat in played.won:
            broken.append(f"seat {seat} has {stack}, recorded {float(recorded):g}")
            continue
        differences.append(f"seat {seat} ends with {stack}, recorded {recorded}")
    if broken and not differences:
        remarks.append(
            f"{', '.join(broken)}: an odd chip is not broken but goes clockwise from the button (P5)"
        )


def _is_rake(missing: Fraction, seat: Seat, played: Played, outcome: Outcome) -> bool:
    """Whether a stack misses what the house took from its winnings."""
    if outcome.won is None:
        return seat in played.won and 0 < missing <= outcome.rake
    return missing == played.won.get(seat, 0) - outcome.won.get(seat, Fraction(0))


def _text(chips: Mapping[Seat, Chips] | Mapping[Seat, Fraction]) -> str:
    return ", ".join(f"{amount} to seat {seat}" for seat, amount in chips.items()) or "nothing"


def _pots(pots: Mapping[tuple[Seat, ...], Chips] | Mapping[tuple[Seat, ...], Fraction]) -> str:
    return ", ".join(f"{amount} for {list(seats)}" for seats, amount in pots.items()) or "none"
