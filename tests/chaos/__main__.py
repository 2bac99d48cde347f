"""Chaos for real, from the command line: a town is played in while its parts are cut, killed, frozen and drained.

    python -m tests.chaos                                   # 200 faults in 20 minutes or more
    python -m tests.chaos --faults 26 --minutes 4 --seed 7  # the schedule of that seed, scaled down
    python -m tests.chaos --judge build/chaos/THE-RUN       # what a run is judged by, judged again

The schedule is the seed's; what comes of it is the machine's. The report stands in the folder that is named at the
end, as text and as JSON. Where anything is wrong the transcripts, the salons' Valkey and the logs stand there too,
and the exit code is 1; of a run that is good what it is judged by is kept, packed. It ends early at Ctrl-C, without
a report.
"""

import argparse
import asyncio
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

from tests.chaos.crowd import Crowd, Unfinished
from tests.chaos.faults import Faults
from tests.chaos.judgement import TRANSCRIPTS, judge, judge_again, pack
from tests.chaos.recovery import Hangs, Happened
from tests.chaos.report import FULL, Asked, Report
from tests.chaos.schedule import Planned, plan
from tests.chaos.town import Town

FOLDER: Final = Path("build/chaos")
_WARM: Final = 5.0
"""Seconds of play before the first fault."""
_TELL: Final = 30.0
_INTERRUPTED: Final = 130
_LEAST_SALONS: Final = 12
"""With fewer no node beside the head lacks so many that any are moved to it: its host and it would not be hit."""


def main() -> int:
    """Run what was asked for."""
    given = _given()
    if given.judge is not None:
        findings = judge_again(given.judge)
        print(findings.text)
        return 0 if findings.clean else 1
    asked, folder = _asked(given)
    folder.mkdir(parents=True)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    try:
        report = asyncio.run(_run(asked, folder))
    except asyncio.CancelledError:
        shutil.rmtree(folder)
        return _INTERRUPTED
    if report.good:
        pack(folder)
    report.write(folder)
    print(report.text(), f"the report is in {folder}", sep="\n")
    return 0 if report.good else 1


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--faults", type=int, default=FULL, help="how many, of each kind as many as of any other"
    )
    parser.add_argument("--minutes", type=float, default=20.0, help="for at least how long")
    parser.add_argument("--salons", type=int, default=40, help="how many are played in")
    parser.add_argument("--seed", type=int, default=None, help="the schedule's; any one if it is not given")
    parser.add_argument(
        "--report", type=Path, default=None, help=f"a new folder; one in {FOLDER} if it is not given"
    )
    parser.add_argument("--judge", type=Path, default=None, help="a run's folder: nothing is run")
    given = parser.parse_args()
    if given.salons < _LEAST_SALONS:
        parser.error(
            f"--salons {given.salons} refused: it must be {_LEAST_SALONS} or more, for every node to get some"
        )
    if given.report is not None and given.report.exists():
        parser.error(f"{given.report} is there already: name a new one")
    return given


def _asked(given: argparse.Namespace) -> tuple[Asked, Path]:
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    folder = given.report or FOLDER / f"{time.strftime('%Y-%m-%d-%H%M%S')}-seed-{seed}"
    return Asked(given.faults, given.minutes, seed, given.salons), folder.absolute()


async def _run(asked: Asked, folder: Path) -> Report:
    """Let it happen, and judge what was written down. What breaks the run is in the report."""
    main_task = asyncio.current_task()
    assert main_task is not None
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, main_task.cancel)
    _say(f"seed {asked.seed}: the town begins")
    happened: list[Happened] = []
    broken: list[str] = []
    seconds = 0.0
    async with Town(folder) as town:
        crowd = Crowd(town.doors, asked.salons, folder / TRANSCRIPTS, asked.seed)
        try:
            await crowd.open()
            await crowd.play()
            began = time.monotonic()
            _say(f"{len(crowd.salons)} salons are open")
            await asyncio.sleep(_WARM)
            faults = Faults(town, crowd, began, asked.seed)
            telling = asyncio.create_task(_tell(crowd, happened, began))
            try:
                lanes = plan(asked.faults, asked.minutes * 60 - _WARM, asked.seed)
                async with asyncio.TaskGroup() as group:
                    for lane in lanes:
                        group.create_task(_lane(lane, faults, crowd, happened, began))
                await asyncio.sleep(max(0.0, began + asked.minutes * 60 - time.monotonic()))
            except* Hangs as hanging:
                broken += [str(each) for each in hanging.exceptions]
            finally:
                telling.cancel()
            seconds = time.monotonic() - began
            _say("the faults are over")
            await crowd.stop()
        except Unfinished as unfinished:
            broken.append(str(unfinished))
        finally:
            await crowd.end()
        acknowledged = crowd.acknowledged
        returned = tuple(town.returned)
    _say("the town is down; what was written down is judged")
    findings = await asyncio.to_thread(judge, folder)
    return Report(
        asked,
        tuple(happened),
        seconds,
        acknowledged,
        returned,
        findings,
        tuple(broken),
    )


async def _lane(
    lane: Sequence[Planned], faults: Faults, crowd: Crowd, happened: list[Happened], began: float
) -> None:
    """One fault after the other, each at its time or later. Raises Hangs, and what a player broke down with."""
    for planned in lane:
        await asyncio.sleep(max(0.0, began + _WARM + planned.at - time.monotonic()))
        crowd.check()
        over = await faults.happen(planned)
        happened.append(over)
        late = "   LATE" if over.late else ""
        _say(
            f"{over.at:7.1f} s {over.kind:15} healed {over.healed:5.1f}, somewhere {over.first:5.1f}, "
            f"everywhere {over.whole:5.1f}  {over.victim}{late}"
        )


async def _tell(crowd: Crowd, happened: Sequence[Happened], began: float) -> None:
    """Say how far it is, now and then."""
    while True:
        await asyncio.sleep(_TELL)
        minutes = (time.monotonic() - began) / 60
        _say(f"{minutes:.1f} minutes, {len(happened)} faults, {crowd.acknowledged} acknowledged commands")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
