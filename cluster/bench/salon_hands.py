"""The product's side of the engine's benchmark: hands through the same `decide` that a salon calls.

As in a salon every hand is dealt from a shuffle of the operating system's chance, every command makes its events
and the next table while the last one stays valid, and the legal actions are asked for at every turn, as the view
of the player to act does.
"""

import random

from cluster.bench.policy import (
    ANTE,
    BIG_BET,
    BIG_BLIND,
    FOLD,
    PASS,
    PLAYERS,
    RAISE_CAP,
    SMALL_BET,
    SMALL_BLIND,
    STACK,
    a_kind,
    between,
)
from cluster.chance import hand_start, shuffled_deck
from engine.apply import apply
from engine.betting import legal_actions
from engine.commands import BetTo, Call, Check, Command, Draw, Fold, Join, OpenSalon, RaiseTo
from engine.decide import Decision, decide
from engine.events import ToppedUp
from engine.game import Game
from engine.hand import Hand
from engine.ranking import rank
from engine.refusals import Refusal
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import Chips, Millis, PlayerId, Seat

_OWNER = PlayerId("bench")
_DECKS_RANKED = 10_000
_STAKES = {
    Game.HOLDEM: {"small_blind": SMALL_BLIND, "big_blind": BIG_BLIND},
    Game.DRAW: {"ante": ANTE, "small_bet": SMALL_BET, "big_bet": BIG_BET, "raise_cap": RAISE_CAP},
}


def rank_many() -> None:
    """Fill the ranking's table with what a salon's process has met after its first minutes.

    PokerKit fills its own when it is imported.
    """
    for _ in range(_DECKS_RANKED):
        deck = shuffled_deck()
        for start in range(0, 49, 7):
            rank(deck[start : start + 7])
            rank(deck[start : start + 5])


class SalonHands:
    """A salon's table whose every hand starts with full stacks, in the middle of the salon's life."""

    def __init__(self, game: Game) -> None:
        """Open the salon and seat its players; their first hand, which nobody plays, is over."""
        settings = make_settings(game, {"seats": PLAYERS, **_STAKES[game]})
        if isinstance(settings, Refusal):
            raise ValueError(settings.text)
        self._players = [PlayerId(f"player{seat}") for seat in range(PLAYERS + 1)]
        self._now = Millis(0)
        self._ready = self._between_hands(settings)
        rank_many()

    def play(self, rng: random.Random) -> int:
        """Play one hand; the number of actions."""
        now, actions = self._now, 0
        decision = decide(self._ready, hand_start(), now=now)
        while type(decision) is Decision:
            table = decision.table
            hand = table.hand
            if hand is None or not hand.to_act:
                return actions
            decision = decide(table, self._command(table, hand, rng), now=now)
            actions += 1
        raise ValueError(f"a legal command was refused: {decision}")

    def _between_hands(self, settings: Settings) -> Table:
        table = self._decide(None, OpenSalon(_OWNER, settings))
        for seat, player in enumerate(self._players[1:], 1):
            table = self._decide(table, Join(player, player, Seat(seat), Chips(STACK)))
        self._now = table.next_hand_at
        table = self._decide(table, hand_start())
        while (hand := table.hand) is not None and hand.to_act:
            table = self._decide(table, Fold(self._players[hand.to_act], hand.hand, hand.turn))
        for seat in range(1, PLAYERS + 1):
            missing = STACK - table.stacks[seat]
            table = apply(table, ToppedUp(Seat(seat), Chips(missing), Chips(STACK)))
        self._now = table.next_hand_at
        return table

    def _decide(self, table: Table | None, command: Command) -> Table:
        decision = decide(table, command, now=self._now)
        if isinstance(decision, Refusal):
            raise ValueError(decision.text)
        return decision.table

    def _command(self, table: Table, hand: Hand, rng: random.Random) -> Command:
        legal = legal_actions(table)
        player, number, turn = self._players[hand.to_act], hand.hand, hand.turn
        if legal.draw:
            return Draw(player, number, turn, hand.cards[hand.to_act][: between(rng, 0, legal.draw_max)])
        kind = a_kind(rng, legal.call, legal.bet_max or legal.raise_max)
        if kind is FOLD:
            return Fold(player, number, turn)
        if kind is PASS:
            return Check(player, number, turn) if legal.check else Call(player, number, turn)
        if legal.bet_max:
            return BetTo(player, number, turn, Chips(between(rng, legal.bet_min, legal.bet_max)))
        return RaiseTo(player, number, turn, Chips(between(rng, legal.raise_min, legal.raise_max)))
