"""The judgement on a run's folder: what the checker finds in it, and figures beside that.

What is judged stands in the folder as it was written, or packed as evidence that can be judged again.
"""

import shutil
import tarfile
import tempfile
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
_AOF: Final = f"{VALKEY}/appendonlydir"
_EVIDENCE: Final = "evidence.tar.gz"


def pack(folder: Path) -> None:
    """Leave nothing in a run's folder but what it is judged by, in one file."""
    packed = folder / _EVIDENCE
    with tarfile.open(packed, "w:gz") as evidence:
        for part in (TRANSCRIPTS, _AOF):
            evidence.add(folder / part, part)
    for rest in folder.iterdir():
        if rest.is_dir():
            shutil.rmtree(rest)
        elif rest != packed:
            rest.unlink()


def judge_again(folder: Path) -> Findings:
    """As `judge`, also where all is packed. Raises OSError."""
    packed = folder / _EVIDENCE
    if not packed.exists():
        return judge(folder)
    with tempfile.TemporaryDirectory() as place, tarfile.open(packed) as evidence:
        evidence.extractall(place, filter="data")
        return judge(Path(place))


def judge(folder: Path) -> Findings:
    """The findings, with the moves of salons and the refusals by their reasons counted too."""
    written = read(folder / _AOF)
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
