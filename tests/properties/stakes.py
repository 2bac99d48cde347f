"""Stakes: random settings of both games, from the least to the most that the table of settings allows."""

from random import Random
from typing import Any

from engine.game import Game
from engine.settings import Settings, make_settings

MOST = 10**9


def random_settings(rng: Random, game: Game | None = None) -> Settings:
    """Any settings that work, short buy-ins and small numbers as often as wide ones."""
    game = game or rng.choice((Game.HOLDEM, Game.DRAW))
    given = _holdem(rng) if game is Game.HOLDEM else _draw(rng)
    given |= {
        "turn_time": rng.choice((1_000, 20_000, 300_000)),
        "time_bank": rng.choice((0, 1_500, 30_000)),
        "between_hands": rng.choice((1, 1_000, 4_000)),
        "timeouts_to_sit_out": rng.choice((1, 2, 3)),
        "sit_out_evicts": rng.choice((60, 600)),
        "voluntary_reveal": rng.randint(0, 3) > 0,
        "time_limit": rng.choice((0, 0, 0, 60, 600)),
    }
    made = make_settings(game, given)
    assert isinstance(made, Settings), made
    return made


def _holdem(rng: Random) -> dict[str, Any]:
    big = rng.choice((1, 2, 3, 10, 10, 25, MOST))
    small = rng.choice((1, big // 2 or 1, big, rng.randint(1, big)))
    given: dict[str, Any] = {
        "seats": rng.randint(2, 9),
        "small_blind": small,
        "big_blind": big,
        "ante": rng.choice((0, 0, 1, big, rng.randint(0, big))),
        "hand_limit": rng.choice((0, 0, 3, 50)),
    }
    return given | _buy_ins(rng, big)


def _draw(rng: Random) -> dict[str, Any]:
    small = rng.choice((1, 2, 5, 10, 10, MOST // 2))
    given: dict[str, Any] = {
        "seats": rng.randint(2, 6),
        "small_bet": small,
        "big_bet": 2 * small,
        "ante": rng.choice((1, small, rng.randint(1, small))),
        "raise_cap": rng.choice((1, 2, 3, 3, 10)),
        "all_in": rng.randint(0, 3) > 0,
        "hand_limit": rng.choice((3, 50)),
    }
    if given["all_in"]:
        return given | _buy_ins(rng, 2 * small)
    cover = given["ante"] + (1 + given["raise_cap"]) * 3 * small
    return given | {"min_buy_in": cover, "max_buy_in": cover * rng.choice((1, 2, 5))}


def _buy_ins(rng: Random, unit: int) -> dict[str, int]:
    """A few units more often than the usual many, so that players are often all-in."""
    least = unit * rng.choice((1, 1, 1, 2, 20))
    return {"min_buy_in": least, "max_buy_in": least * rng.choice((1, 3, 10, 50))}
