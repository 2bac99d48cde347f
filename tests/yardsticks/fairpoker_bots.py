"""fairpoker 1.2.0 (MIT): its medium and its hard bot, for two players and more.

It comes with `pip install 'croupier[bench]'`. Its modules are called `game`, its big blind is always 20 chips, a raise is
what comes on top of the call, and its chance is the module `random`. Its bots remember nothing from hand to hand: the
statistics of opponents that its hard bot knows are filled by nobody in its own game either.
"""

import random
from collections import Counter
from typing import Any, Final

from bots.protocol import BotAction, Observation
from bots.situation import own_seat, rivals
from tests.yardsticks.answers import YardstickMissing, fold, lift, stay

BIG_BLIND: Final = 20
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_PHASES: Final = {"preflop": "PRE_FLOP", "flop": "FLOP", "turn": "TURN", "river": "RIVER"}


class _Fairpoker:
    """One of its bots; `MODULE` and `CLASS` name it."""

    MODULE: str
    CLASS: str

    def __init__(self) -> None:
        try:
            import game.bot.hard
            import game.bot.medium
            import game.cards
            import game.poker
        except ModuleNotFoundError as error:
            raise YardstickMissing(
                f"fairpoker is not installed ({error}): pip install 'croupier[bench]'"
            ) from None
        self._module: Any = getattr(game.bot, self.MODULE)
        self._bot: Any = getattr(self._module, self.CLASS)()
        self._cards = [game.cards.Card(card // 4 + 2, _SUITS[card % 4]) for card in range(52)]
        self._phases: Any = game.poker.GamePhase
        self.notes: Counter[str] = Counter()

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        self._module.random = rng
        action, amount = self._bot.get_action(self.sees(observation))
        match action.value:
            case "fold":
                return fold(observation, self.notes)
            case "raise":
                own = own_seat(observation)
                behind = own.stack - observation.call
                to = observation.bet + min(self._ours(amount, observation), behind)
                return lift(observation, to, self.notes)
            case _:
                return stay(observation)

    def sees(self, observation: Observation) -> dict[str, Any]:
        """The state of its game; what it knows of itself is set on the bot."""
        own = own_seat(observation)
        least = observation.raise_min or observation.bet_min
        preflop, button = observation.street == "preflop", observation.seat == observation.button
        opponents = [(self._theirs(seat.stack, observation), seat.bet) for seat in rivals(observation)]
        pot, chips = self._theirs(observation.pot, observation), self._theirs(own.stack, observation)
        self._bot.hole_cards = [self._cards[card] for card in observation.cards]
        self._bot.chips, self._bot.current_bet = chips, self._theirs(own.bet, observation)
        self._bot.is_dealer = button
        return {
            "community_cards": [self._cards[card] for card in observation.board],
            "pot": pot,
            "current_bet": self._theirs(observation.bet, observation),
            "min_raise": self._theirs(least - observation.bet, observation) if least else BIG_BLIND,
            "phase": self._phases[_PHASES[observation.street]],
            "position": "OOP" if preflop == button else "IP",
            "num_opponents": len(opponents),
            "opponent_stacks": [stack for stack, _ in opponents],
            "opponent_bets": [self._theirs(bet, observation) for _, bet in opponents],
            "opponent_stack": opponents[0][0],
            "stack_to_pot": chips / pot,
        }

    def _theirs(self, chips: int, observation: Observation) -> int:
        """Chips in its units; none is lost where the big blind is a divisor of 20."""
        return round(chips * BIG_BLIND / observation.unit)

    def _ours(self, chips: int, observation: Observation) -> int:
        return round(chips * observation.unit / BIG_BLIND)


class FairpokerMedium(_Fairpoker):
    """Its tight and aggressive bot, and its least erratic one."""

    MODULE, CLASS = "medium", "MediumBot"


class FairpokerHard(_Fairpoker):
    """Its strongest by name: mixed frequencies by hand class, position and board."""

    MODULE, CLASS = "hard", "HardBot"
