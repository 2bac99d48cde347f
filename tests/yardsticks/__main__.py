"""Trains donksolver's blueprint: see donksolver_bot.py."""

import argparse

from tests.yardsticks.donksolver_bot import cache_place, train

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        "python -m tests.yardsticks", description="Train a blueprint of donksolver."
    )
    parser.add_argument("--players", type=int, choices=range(3, 7), default=3)
    parser.add_argument("--iterations", type=int, default=10_000_000)
    parser.add_argument("--threads", type=int, default=1)
    print(train(cache_place(), **vars(parser.parse_args())))
