"""The figures of bots' decisions: what they take by game and level, and what works out those of the hard level."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from bots.brain import Fallback
from bots.explanation import Path
from cluster.bench.bots import Decided
from engine.game import Game
from engine.settings import BotLevel


@dataclass(slots=True)
class Level:
    """What the decisions of one level were."""

    taken: list[Decided] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """As JSON takes them; times are milliseconds."""
        walls = [one.wall for one in self.taken]
        return {
            "decisions": len(self.taken),
            "mean_ms": _mean(walls),
            "p50_ms": quantile(walls, 0.5),
            "p99_ms": quantile(walls, 0.99),
            "cpu_ms": _mean([one.cpu for one in self.taken]),
            "observing_ms": _mean([one.observing for one in self.taken]),
        }

    def made_by(self) -> dict[str, float]:
        """The share of the decisions that each path made."""
        return _shares(Counter(one.path for one in self.taken))


def levels(taken: Iterable[Decided]) -> dict[BotLevel, Level]:
    """The decisions by level."""
    found = {level: Level() for level in BotLevel}
    for one in taken:
        found[one.level].taken.append(one)
    return found


def report(taken: Mapping[Game, Iterable[Decided]]) -> dict[str, Any]:
    """What was measured in this process, by game and level."""
    return {game.value: _of_game(levels(of_game)) for game, of_game in taken.items()}


def on_workers(taken: Iterable[Decided]) -> dict[str, Any]:
    """What became of hard decisions where workers were to make all that no table does; times are milliseconds."""
    outside = [one for one in taken if one.level is BotLevel.HARD and one.path is not Path.TABLE]
    walls = [one.wall for one in outside if one.path is Path.WORKERS]
    return {
        "outside_tables": len(outside),
        "by_workers": round(len(walls) / len(outside), 4) if outside else None,
        "made_by": _shares(Counter(one.path for one in outside)),
        "fallbacks": {
            fallback.value: sum(one.fallback is fallback for one in outside) for fallback in Fallback
        },
        "p50_ms": quantile(walls, 0.5),
        "p99_ms": quantile(walls, 0.99),
    }


def quantile(nanoseconds: list[int], share: float) -> float | None:
    """Milliseconds that `share` of the times do not exceed; None without any."""
    if not nanoseconds:
        return None
    return _ms(sorted(nanoseconds)[max(0, ceil(share * len(nanoseconds)) - 1)])


def _of_game(found: Mapping[BotLevel, Level]) -> dict[str, Any]:
    figures = {level.value: of_level.figures() for level, of_level in found.items()}
    figures[BotLevel.HARD.value]["made_by"] = found[BotLevel.HARD].made_by()
    return figures


def _shares(counts: Mapping[Path, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {path.value: round(counts.get(path, 0) / total, 4) if total else 0.0 for path in Path}


def _mean(nanoseconds: list[int]) -> float | None:
    return _ms(sum(nanoseconds) / len(nanoseconds)) if nanoseconds else None


def _ms(nanoseconds: float) -> float:
    return float(f"{nanoseconds / 1e6:.4g}")
