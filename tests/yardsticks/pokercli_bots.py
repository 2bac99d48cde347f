"""poker-cli 0.11.2 (MIT): two profiles of its offline bot, for any number of players.

It wants another release of rich than we do, and its bots want none: so it is in no extra, and is installed without its
dependencies into a directory of its own, which `make setup` does:

    pip install --no-deps --target "$(python -c 'import sys; print(sys.prefix)')/yardsticks" poker-cli==0.11.2

Its bot asks for the equity of its cards against random hands, by 450 samples in Python that take a second a hand. Here
they are taken on our kernel: as many independent samples of the same thing, from the bot's own chance.
"""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bots.equity.paths import Path as EquityPath
from bots.equity.paths import chosen, kernel
from bots.protocol import BotAction, Observation
from bots.situation import own_seat, rivals
from engine.cards import Card, parse_card, text_of
from tests.yardsticks.answers import YardstickMissing, fold, lift, stay

PLACE: Final = Path(sys.prefix) / "yardsticks"
MISSING: Final = (
    "poker-cli is not installed: make setup, or pip install --no-deps --target {place} poker-cli==0.11.2"
)


def estimate_equity(
    hole: Sequence[Any],
    community: Sequence[Any],
    *,
    opponents: int = 1,
    samples: int = 700,
    rng: random.Random | None = None,
) -> float:
    """What its function of this name estimates: the share of the pot won against random hands, ties divided."""
    if opponents < 1:
        return 1.0
    path, seed = chosen(), (rng or random.Random()).getrandbits(63)
    own, board = (bytes(parse_card(card.code()) for card in cards) for cards in (hole, community))
    players = [(own, None), *[None] * opponents]
    wide = path is EquityPath.AVX512
    outcomes = kernel(path).holdem_sample(players, board, b"", seed, samples, wide)
    return sum(count / winners for winners, count in enumerate(outcomes[: len(players)], 1)) / samples


class _PokerCli:
    """Its offline bot with the profile `PROFILE`."""

    PROFILE: str

    def __init__(self) -> None:
        if str(PLACE) not in sys.path:
            sys.path.append(str(PLACE))
        try:
            import poker_cli.controllers
            import poker_cli.models
        except ModuleNotFoundError:
            raise YardstickMissing(MISSING.format(place=PLACE)) from None
        poker_cli.controllers.estimate_equity = estimate_equity
        self._models: Any = poker_cli.models
        self._bot: Any = poker_cli.controllers.OfflineBot(self.PROFILE)
        self.notes: Counter[str] = Counter()

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """See `Bot.decide`."""
        self._bot.rng = rng
        action = self._bot.act(self.sees(observation))
        match action.kind.value:
            case "fold":
                return fold(observation, self.notes)
            case "raise":
                return lift(observation, action.amount, self.notes)
            case _:
                return stay(observation)

    def sees(self, observation: Observation) -> Any:
        """Its observation. Amounts are chips as they are, raises are totals in its game too."""
        own, others = own_seat(observation), rivals(observation)
        least = observation.raise_min or observation.bet_min
        legal = self._models.LegalActions(
            can_fold=observation.call > 0,
            can_check=observation.check,
            call_amount=observation.call,
            min_raise_to=least or None,
            max_raise_to=(observation.raise_max or observation.bet_max) or None,
        )
        return self._models.Observation(
            hand_id=observation.hand,
            street=self._models.Street(observation.street),
            actor=_name(observation.seat),
            hole_cards=tuple(text_of(Card(card)) for card in observation.cards),
            community_cards=tuple(text_of(Card(card)) for card in observation.board),
            pot=observation.pot,
            stack=own.stack,
            opponent_name=_name(others[0].seat),
            opponent_stack=others[0].stack,
            own_street_bet=own.bet,
            opponent_street_bet=others[0].bet,
            button=_name(observation.button),
            small_blind=observation.unit // 2,
            big_blind=observation.unit,
            history=tuple(
                {"street": a.street, "actor": _name(a.seat), "action": a.kind, "amount": a.amount}
                for a in observation.history
            ),
            legal_actions=legal,
            active_opponents=len(others),
        )


class PokerCliBalanced(_PokerCli):
    """Its balanced profile."""

    PROFILE = "balanced"


class PokerCliTight(_PokerCli):
    """Its tight profile."""

    PROFILE = "tight"


def _name(seat: int) -> str:
    return f"seat {seat}"
