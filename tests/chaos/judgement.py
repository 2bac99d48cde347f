"""The judgement on a run's folder: what the checker finds in it, and figures beside that."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Final

from cluster.client import reason_name
from tests.chaos import checker
from tests.chaos.findings import Findings
from tests.chaos.testimony import heard
from tests.chaos.written import Activation, Written, read

VALKEY: Final = "valkey"
TRANSCRIPTS: Final = "transcripts"


def judge(folder: Path) -> Findings:
    """The findings, with the moves of salons and the refusals by their reasons counted too."""
    written = read(folder / VALKEY / "appendonlydir")
    testimony = heard([folder / TRANSCRIPTS])
    findings = checker.judge(written, testimony)
    findings.counts["moves to another host"] = _moves(written)
    reasons = Counter(reason_name(refusal) for _, refusal in testimony.refused)
    findings.counts.update({f"refusals: {reason}": count for reason, count in reasons.items()})
    return findings


def _moves(written: Written) -> int:
    """How often a salon was given to another host than it had."""
    moves = 0
    for salon in written.salons.values():
        hosts = [write.host for write in salon.writes if isinstance(write, Activation) and write.host]
        moves += sum(before != after for before, after in pairwise(hosts))
    return moves
