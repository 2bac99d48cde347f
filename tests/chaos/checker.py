"""The checker: what was written, and what all clients were told, held to every law, salon by salon."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Final

from cluster.envelope import Accepted, Envelope, Epoch, SalonId, Seq
from cluster.journal.log import REPLIES_KEPT
from croupier.v1.refusal_pb2 import Reason
from croupier.v1.salon_pb2 import ActRequest, SitOutRequest
from engine.commands import Sweep
from engine.units import PlayerId
from tests.chaos.findings import Findings, Law
from tests.chaos.settling import Settled, settle
from tests.chaos.sight import Sight
from tests.chaos.testimony import Asked, Declined, Done, Hearsay, Status, Testimony, heard
from tests.chaos.watches import Watches
from tests.chaos.written import Salon, Written
from tests.simulation.witness import Chronicle

_FAULTS: Final = frozenset(
    {
        Reason.REASON_FAULT,
        Reason.REASON_QUARANTINED,
        Reason.REASON_REQUEST_ID_REUSED,
        Reason.REASON_MALFORMED,
        Reason.REASON_SIGN_IN_REQUIRED,
        Reason.REASON_UNKNOWN_SALON,
    }
)
"""What nobody may be told who does nothing wrong."""
_STUCK: Final = 30_000
"""Milliseconds after its turn's time is up in which a hand goes on, although its salon has to be taken up elsewhere."""


def check(written: Written, transcripts: Iterable[Path]) -> Findings:
    """Everything that is wrong. `transcripts` are files, or folders of them."""
    return judge(written, heard(transcripts))


def judge(written: Written, testimony: Testimony) -> Findings:
    """As `check`, of transcripts that were read."""
    findings = Findings()
    findings.counts["lines of transcripts"] = testimony.lines
    findings.counts["commands sent, retries included"] = testimony.tries
    for player, refusal in testimony.refused:
        if refusal.reason in _FAULTS:
            findings.violate(Law.FAULTS, f"{player} was told {refusal.text}")
    for stray in testimony.strays:
        findings.violate(Law.SHOWN, stray)
    running: dict[SalonId, int] = {}
    last = 0
    for name in written.salons | testimony.salons:
        salon, hearsay = written.salons.get(name, Salon()), testimony.salons.get(name, Hearsay())
        settled = _salon(name, salon, hearsay, findings)
        last = max(last, settled.last_at)
        if settled.due:
            running[name] = settled.due
    for name, due in running.items():
        findings.counts["hands in progress at the end"] += 1
        if last > due + _STUCK:
            findings.violate(
                Law.HANDS, f"{name}: its hand should have gone on {(last - due) / 1000:.0f} s ago"
            )
    return findings


def _salon(name: SalonId, salon: Salon, hearsay: Hearsay, findings: Findings) -> Settled:
    findings.counts["salons"] += 1
    settled = settle(name, salon, hearsay, findings)
    chronicle = settled.chronicle
    if chronicle is None:
        for asked in hearsay.asked.values():
            if asked.done:
                findings.violate(Law.LOST, f"{name}: the salon was opened, and nothing is in its log")
        return settled
    sight = Sight(settled, chronicle, findings)
    for asked in hearsay.asked.values():
        _answers(settled, asked, findings)
        _refusals(settled, chronicle, asked, hearsay, findings)
        for done in asked.done:
            sight.answered(asked.player, done)
    for status in hearsay.statuses:
        _status(name, chronicle, status, findings)
    Watches(name, chronicle, sight, findings).judge(hearsay.showings, list(hearsay.asked.values()))
    for look in hearsay.looks:
        sight.looked(look)
    _stale(name, hearsay, findings)
    return settled


def _answers(settled: Settled, asked: Asked, findings: Findings) -> None:
    """What a client was answered is what the log has of his command."""
    request_id = asked.request.request_id
    # The salon keeps nothing of the command but its request_id: any stands for it.
    envelope = Envelope(settled.salon, asked.player, request_id, Sweep())
    for done in asked.done:
        place = Accepted(Epoch(done.place[0]), Seq(done.place[1]))
        settled.witness.answered(envelope, place, known=(Epoch(0), Seq(0)))
    written = settled.witness.is_written(envelope)
    findings.counts["commands"] += 1
    findings.counts["commands done"] += bool(asked.done)
    findings.counts["answers"] += len(asked.done) + len(asked.declined)
    if not asked.done and not asked.declined:
        findings.counts["commands without a definite answer"] += 1
    if asked.declined and written and not asked.done:
        findings.counts["commands refused and done"] += 1
        # A command without a turn may be refused, and be done after all by an earlier try that came late.
        if isinstance(asked.request, ActRequest) or len(asked.sent) == 1:
            findings.violate(Law.LOST, f"{settled.salon}: {request_id} was refused, and is in the log")


def _refusals(
    settled: Settled, chronicle: Chronicle, asked: Asked, hearsay: Hearsay, findings: Findings
) -> None:
    """Who sends again what was done is told that it was done: a refusal says that it was decided another time."""
    request = (asked.player, asked.request.request_id)
    place = chronicle.requests.get(request)
    for declined in asked.declined:
        said = [done for done in asked.done if _contradict(asked, done, declined)]
        if said and place and not _is_forgotten(chronicle, request, place[1], declined.at, hearsay):
            text = (
                f"{settled.salon}: {request[1]} was done as {place}, and was refused: {declined.refusal.text}"
            )
            findings.violate(Law.TWICE, text)


def _contradict(asked: Asked, done: Done, declined: Declined) -> bool:
    """Whether a refusal cannot have come before the command was done.

    Of tries that went at the same time either may have been first, unless what the refusal says would have kept the
    command from being done for good.
    """
    reason = declined.refusal.reason
    for_good = isinstance(asked.request, ActRequest) or reason == Reason.REASON_STALE_TURN
    # Who sits out comes back by his own command alone, and nobody of a crowd has two under way.
    for_good |= isinstance(asked.request, SitOutRequest) and reason == Reason.REASON_ALREADY_SITTING_OUT
    return for_good or declined.sent > done.at


def _is_forgotten(
    chronicle: Chronicle, request: tuple[PlayerId, str], seq: int, at: float, hearsay: Hearsay
) -> bool:
    """Whether so many later commands of the same player may have been done by then that the answer is not kept."""
    player = request[0]
    later = [
        asked
        for (sender, number), asked in hearsay.asked.items()
        if sender == player
        and min(asked.sent, default=at) < at
        and (place := chronicle.requests.get((sender, number))) is not None
        and place[1] > seq
    ]
    return len(later) >= REPLIES_KEPT


def _status(name: SalonId, chronicle: Chronicle, status: Status, findings: Findings) -> None:
    """What a client was told of a command of his is what the log had of it then."""
    findings.counts["statuses"] += 1
    answer = status.answer
    place = chronicle.requests.get((status.player, status.request_id))
    if answer.HasField("done"):
        if place != (answer.done.epoch, answer.done.seq):
            findings.violate(
                Law.LOST, f"{name}: {status.request_id} was said to be {answer.done}, and is {place}"
            )
    elif place is not None and answer.not_known.complete_after_seq < place[1] <= answer.seq:
        findings.violate(Law.LOST, f"{name}: {status.request_id} was said not to be done, and is {place}")


def _stale(name: SalonId, hearsay: Hearsay, findings: Findings) -> None:
    """A view shows no less than what anybody was answered before it was asked for, unless it is to come late (V2)."""
    told = sorted((done.at, done.place[1]) for asked in hearsay.asked.values() for done in asked.done)
    times = [at for at, _ in told]
    highest = list(accumulate((seq for _, seq in told), max))
    for look in hearsay.looks:
        before, view = bisect_left(times, look.sent), look.view
        late = view.settings.spectator_delay and not view.viewer and not view.over
        if before and not late and view.seq < highest[before - 1]:
            text = f"{name}: {look.player} was shown {view.seq} after somebody was answered {highest[before - 1]}"
            findings.violate(Law.SHOWN, text)
