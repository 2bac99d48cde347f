"""What the best responder wins: `python -m tests.bots.draw_solver.figures [TABLE]` prints it, in a few minutes."""

import sys
import time
from pathlib import Path

from bots.draw_solver.table import PACKAGED, load
from tests.bots.draw_solver.meeting import Rules
from tests.bots.draw_solver.opponents import Opponent, TableOpponent, pair_or_better, textbook
from tests.bots.draw_solver.responder import Effort, gain

EFFORT = Effort(learn=2_000_000, draw=4_000_000, play=2_000_000)
SEED = 1


def main() -> None:
    table = load(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGED)
    stakes = table.stakes
    rules = Rules(stakes.ante / stakes.small_bet, stakes.big_bet / stakes.small_bet, stakes.raise_cap)
    opponents: dict[str, Opponent] = {
        "table": TableOpponent(table),
        "textbook": textbook(stakes.raise_cap),
        "pair or better": pair_or_better(stakes.raise_cap),
    }
    print(f"{stakes}, seed {SEED}, {EFFORT}")
    for name, opponent in opponents.items():
        started = time.process_time()
        found = gain(opponent, rules, EFFORT, SEED)
        seconds = time.process_time() - started
        print(
            f"{name:15} loses {found.mean:7.1f} +- {found.ci95:.1f} milli small bets a hand ({seconds:.0f} s)"
        )


if __name__ == "__main__":
    main()
