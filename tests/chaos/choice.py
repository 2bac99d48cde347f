"""Choices: what a player of the crowd does with a turn, legal by what the wire says of it, and quick to find."""

from random import Random

from bots.protocol import observe
from bots.roster import bot
from cluster.codec.messages import view_from_message
from croupier.v1.salon_pb2 import ActRequest
from croupier.v1.turn_pb2 import AllIn, BetTo, Call, Check, Draw, Fold, LegalActions, RaiseTo, TurnId
from croupier.v1.view_pb2 import SalonView
from engine.cards import Card, text_of
from engine.settings import BotLevel, BotStyle


def choose(request: ActRequest, legal: LegalActions, cards: list[str], rng: Random) -> None:
    """Put an action into `request`: mostly what lets a hand go on, now and then everything else."""
    roll = rng.random()
    if legal.draw:
        most = min(legal.draw_max, len(cards))
        request.draw.CopyFrom(Draw(cards=rng.sample(cards, rng.randint(0, most))))
    elif roll < 0.01 and legal.all_in:
        request.all_in.CopyFrom(AllIn())
    elif roll < 0.12 and legal.raise_max:
        request.raise_to.CopyFrom(RaiseTo(to=_amount(legal.raise_min, legal.raise_max, rng)))
    elif roll < 0.2 and legal.bet_max:
        request.bet_to.CopyFrom(BetTo(to=_amount(legal.bet_min, legal.bet_max, rng)))
    elif legal.check:
        request.check.CopyFrom(Check())
    elif roll > 0.9:
        request.fold.CopyFrom(Fold())
    else:
        request.call.CopyFrom(Call())


def forbid(request: ActRequest, legal: LegalActions) -> None:
    """Put something into `request` that must be refused, and leaves the turn open."""
    if legal.check:
        request.call.CopyFrom(Call())
    else:
        request.raise_to.CopyFrom(RaiseTo(to=10**12))


def think(shown: SalonView, rng: Random) -> ActRequest:
    """What a bot of the product would do with the turn that a view shows, at a level and in a style by chance."""
    view = view_from_message(shown)
    plays = bot(view.settings.game, rng.choice((BotLevel.EASY, BotLevel.NORMAL)), rng.choice(list(BotStyle)))
    action = plays.decide(observe(view), rng)
    act = ActRequest(turn_id=TurnId(hand=view.hand, turn=view.turn))
    match action.kind:
        case "fold":
            act.fold.CopyFrom(Fold())
        case "check":
            act.check.CopyFrom(Check())
        case "call":
            act.call.CopyFrom(Call())
        case "bet":
            act.bet_to.CopyFrom(BetTo(to=action.to))
        case "raise":
            act.raise_to.CopyFrom(RaiseTo(to=action.to))
        case "all_in":
            act.all_in.CopyFrom(AllIn())
        case _:
            act.draw.CopyFrom(Draw(cards=[text_of(Card(card)) for card in action.cards]))
    return act


def _amount(least: int, most: int, rng: Random) -> int:
    """Mostly near the least, so that stacks last."""
    return min(most, least + int(rng.expovariate(1 / (1 + least))))
