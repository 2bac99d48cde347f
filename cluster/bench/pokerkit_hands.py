"""PokerKit's side of the engine's benchmark, and the one module that imports it (the extra `bench`).

Hands of the same games on the same table, with all its automations on; PokerKit shuffles its deck when it makes a
state, and says before every action what is legal, with the amounts, as the product does. None of its ready-made
games is draw with fixed limits and high hands (the nearest, NoLimitDeuceToSevenLowballSingleDraw, is played with
blinds, without limits and for the low hand), so its `State` gets the streets of five-card draw: the same game on
both sides.
"""

import random
from typing import Final, NamedTuple

from pokerkit import (
    Automation,
    BettingStructure,
    Deck,
    NoLimitTexasHoldem,
    Opening,
    StandardHighHand,
    State,
    Street,
)

from cluster.bench.policy import (
    ANTE,
    BIG_BET,
    BIG_BLIND,
    FOLD,
    MOST_DRAWN,
    PASS,
    PLAYERS,
    RAISE_CAP,
    SMALL_BET,
    SMALL_BLIND,
    STACK,
    a_kind,
    between,
)
from engine.game import Game

NAMES: Final = {
    Game.HOLDEM: "NoLimitTexasHoldem",
    Game.DRAW: "State of a fixed-limit five-card draw (single draw, high hand)",
}
"""What of PokerKit each game is measured against."""
_AUTOMATIONS: Final = tuple(Automation)
_HOLDEM: Final = NoLimitTexasHoldem(_AUTOMATIONS, True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND)
_BETS: Final = 1 + RAISE_CAP
_DRAW: Final = (
    Street(False, (False,) * 5, 0, False, Opening.POSITION, SMALL_BET, _BETS),
    Street(False, (), 0, True, Opening.POSITION, BIG_BET, _BETS),
)


class PokerKitHands:
    """Hands of a game in PokerKit."""

    def __init__(self, game: Game) -> None:
        """Play `game`."""
        self._new = _holdem if game is Game.HOLDEM else _draw

    def play(self, rng: random.Random) -> int:
        """Play one hand; the number of actions."""
        state = self._new()
        actions = 0
        while state.status:
            if state.stand_patter_or_discarder_index is None:
                _act(state, rng)
            else:
                _exchange(state, state.stand_patter_or_discarder_index, rng)
            actions += 1
        return actions


def _holdem() -> State:
    return _HOLDEM(STACK, PLAYERS)


def _draw() -> State:
    structure = BettingStructure.FIXED_LIMIT
    hands = (StandardHighHand,)
    return State(_AUTOMATIONS, Deck.STANDARD, hands, _DRAW, structure, True, ANTE, 0, 0, STACK, PLAYERS)


class Legal(NamedTuple):
    """What the product's legal actions say of a betting turn: the kinds of action, and their amounts."""

    fold: bool
    passes: bool
    call: int
    lift: bool
    low: int
    high: int


def legal_actions(state: State) -> Legal:
    """All that PokerKit says is legal now."""
    return Legal(
        state.can_fold(),
        state.can_check_or_call(),
        state.checking_or_calling_amount or 0,
        state.can_complete_bet_or_raise_to(),
        state.min_completion_betting_or_raising_to_amount or 0,
        state.max_completion_betting_or_raising_to_amount or 0,
    )


def _act(state: State, rng: random.Random) -> None:
    legal = legal_actions(state)
    kind = a_kind(rng, legal.call, legal.high)
    if kind is FOLD:
        state.fold()
    elif kind is PASS:
        state.check_or_call()
    else:
        state.complete_bet_or_raise_to(between(rng, legal.low, legal.high))


def _exchange(state: State, player: int, rng: random.Random) -> None:
    state.stand_pat_or_discard(tuple(state.hole_cards[player][: between(rng, 0, MOST_DRAWN)]))
