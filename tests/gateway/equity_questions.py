"""Questions of equity, as messages."""

from collections.abc import Sequence
from typing import Any

from croupier.v1.equity_pb2 import (
    Combo,
    Combos,
    Discard,
    DrawOpponent,
    DrawSpot,
    EquityBudget,
    EquityQuestion,
    HoldemPlayer,
    HoldemSpot,
)

ACES = "As Ad 7c 8d 2h"


def holdem(
    *ranges: str, board: str = "", dead: str = "", seed: int | None = 7, **budget: Any
) -> EquityQuestion:
    players = [HoldemPlayer(range=text) for text in ranges]
    spot = HoldemSpot(players=players, board=board.split(), dead=dead.split())
    return EquityQuestion(holdem=spot, seed=seed, budget=EquityBudget(**budget))


def draw(
    cards: str = ACES,
    drew: Sequence[int | None] = (),
    *,
    discard: str | None = None,
    dead: str = "",
    seed: int | None = 7,
    **budget: Any,
) -> EquityQuestion:
    """`drew` None: nothing is known of that opponent."""
    spot = DrawSpot(
        cards=cards.split(), opponents=[DrawOpponent(drew=each) for each in drew], dead=dead.split()
    )
    if discard is not None:
        spot.discard.CopyFrom(Discard(cards=discard.split()))
    return EquityQuestion(draw=spot, seed=seed, budget=EquityBudget(**budget))


def weighted(*combos: tuple[str, float]) -> EquityQuestion:
    """A range of combos against aces."""
    listed = [Combo(cards=cards.split(), weight=weight) for cards, weight in combos]
    spot = HoldemSpot(players=[HoldemPlayer(range="AA"), HoldemPlayer(combos=Combos(combos=listed))])
    return EquityQuestion(holdem=spot, seed=7)
