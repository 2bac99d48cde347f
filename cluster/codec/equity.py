"""Questions of equity, read from messages, and their answers, written to them.

Law of this file: whatever a message says, it is read to a question that has an answer or refused with the field
that is wrong, and where that is a text with the place in it.
"""

from collections.abc import Sequence
from typing import Any, Final

from bots.equity.budget import Budget, BudgetError, Exactness
from bots.equity.combos import combo
from bots.equity.discards import Discard, ways_to_draw
from bots.equity.holdings import ANY, Holdings, drew
from bots.equity.paths import Path
from bots.equity.ranges import Range, RangeError, parse_range
from bots.equity.spots import (
    MOST_OPPONENTS,
    MOST_PLAYERS,
    HoldemSpot,
    SpotError,
    make_draw_spot,
    make_holdem_spot,
)
from bots.equity.tally import Estimate, PlayerEquity, Stop
from cluster.calculator import Answer, Asked
from croupier.v1 import equity_pb2
from engine.cards import Card, parse_card, text_of
from engine.ranking import Category

_RANDOM: Final = "random"
"""The hand of an opponent at draw of whom nothing is known, in an answer."""
_LONGEST: Final = 400
"""Characters of an error: it travels in headers, which are not long."""
_LONGEST_RANGES: Final = 16_000
"""Characters of a question's ranges together. All 1,326 combos written out are 7,954, with a weight of three decimals
each 15,910; the time that it takes to read a text grows with its length."""
_HAND: Final = 5
_BOARDS: Final = (0, 3, 4, 5)
_Texts = Sequence[str]


class NoQuestion(ValueError):
    """A question that cannot be read or has no answer; the message says what is wrong and what would be right."""

    def __init__(self, text: str, *, field: str, place: int = 0, length: int = 0) -> None:
        """`place`, from 1, and `length` are those of the characters meant, where the field is a text; else 0."""
        super().__init__(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")
        self.field = field
        self.place = place
        self.length = length


# Reading


def asked(question: equity_pb2.EquityQuestion) -> Asked:
    """What a message asks. Raises NoQuestion."""
    budget = _budget(question.budget)
    seed = question.seed if question.HasField("seed") else None
    match question.WhichOneof("spot"):
        case "holdem":
            spot, hands = _holdem(question.holdem)
            return Asked(spot, hands, (), budget, seed)
        case "draw":
            return _draw(question.draw, budget, seed)
        case _:
            raise NoQuestion("no spot: set holdem or draw", field="spot")


def _holdem(message: equity_pb2.HoldemSpot) -> tuple[HoldemSpot, tuple[str, ...]]:
    if len(message.players) > MOST_PLAYERS:  # before the time is spent to read them
        raise NoQuestion(
            f"{len(message.players)} players: 2 to {MOST_PLAYERS} are right", field="holdem.players"
        )
    length = sum(len(player.range) for player in message.players)
    if length > _LONGEST_RANGES:
        text = f"ranges of {length} characters: at most {_LONGEST_RANGES} are right; longer ones may come as combos"
        raise NoQuestion(text, field="holdem.players")
    players = [_player(player, f"holdem.players[{at}]") for at, player in enumerate(message.players)]
    board = _cards(message.board, "holdem.board")
    dead = _cards(message.dead, "holdem.dead")
    try:
        spot = make_holdem_spot(players, board=board, dead=dead)
    except SpotError as error:
        if len(players) < 2:
            field = "holdem.players"
        else:
            field = "holdem.board" if len(board) not in _BOARDS else "holdem"
        raise NoQuestion(str(error), field=field) from error
    hands = [
        player.range if player.HasField("range") else str(held)
        for player, held in zip(message.players, players, strict=True)
    ]
    return spot, tuple(hands)


def _player(message: equity_pb2.HoldemPlayer, field: str) -> Range:
    match message.WhichOneof("held"):
        case "range":
            try:
                return parse_range(message.range)
            except RangeError as error:
                field = f"{field}.range"
                raise NoQuestion(str(error), field=field, place=error.at + 1, length=error.length) from error
        case "combos":
            return _combos(message.combos, f"{field}.combos")
        case _:
            raise NoQuestion('no hand: set range, such as "QQ+, AKs" or "random", or combos', field=field)


def _combos(message: equity_pb2.Combos, field: str) -> Range:
    weights: list[tuple[int, float]] = []
    for at, each in enumerate(message.combos):
        cards = _cards(each.cards, f"{field}.combos[{at}].cards")
        if len(cards) != 2:
            raise NoQuestion(f"{len(cards)} cards: a combo is two", field=f"{field}.combos[{at}].cards")
        try:
            weights.append((combo(*cards), each.weight))
        except ValueError:
            text = f"{text_of(cards[0])} twice: a combo is two different cards"
            raise NoQuestion(text, field=f"{field}.combos[{at}].cards") from None
    try:
        return Range.weighted(weights)
    except ValueError as error:
        raise NoQuestion(str(error), field=field) from error


def _draw(message: equity_pb2.DrawSpot, budget: Budget, seed: int | None) -> Asked:
    if len(message.opponents) > MOST_OPPONENTS:
        text = f"{len(message.opponents)} opponents: up to {MOST_OPPONENTS} are right"
        raise NoQuestion(text, field="draw.opponents")
    own = _cards(message.cards, "draw.cards")
    opponents = [_opponent(each, f"draw.opponents[{at}]") for at, each in enumerate(message.opponents)]
    named = message.HasField("discard")
    discard = _cards(message.discard.cards, "draw.discard.cards")
    dead = _cards(message.dead, "draw.dead")
    try:
        spot = make_draw_spot(own, opponents=opponents or [ANY], discard=discard, dead=dead)
        if not named:
            spot.discarding(ways_to_draw(spot.cards)[-1])  # there must be cards enough for the longest draw
    except SpotError as error:
        raise NoQuestion(str(error), field="draw.cards" if len(own) != _HAND else "draw") from error
    hands = ("".join(map(text_of, own)), *map(_drew, message.opponents)) if opponents else ()
    return Asked(spot, hands, (discard,) if named else ways_to_draw(spot.cards), budget, seed)


def _opponent(message: equity_pb2.DrawOpponent, field: str) -> Holdings:
    if not message.HasField("drew"):
        return ANY
    try:
        return drew(message.drew)
    except ValueError as error:
        raise NoQuestion(str(error), field=f"{field}.drew") from error


def _drew(message: equity_pb2.DrawOpponent) -> str:
    return f"drew {message.drew}" if message.HasField("drew") else _RANDOM


def _cards(texts: _Texts, field: str) -> tuple[Card, ...]:
    cards: list[Card] = []
    for at, text in enumerate(texts):
        try:
            cards.append(parse_card(text[:4]))
        except ValueError as error:
            raise NoQuestion(str(error), field=f"{field}[{at}]") from error
    return tuple(cards)


def _budget(message: equity_pb2.EquityBudget) -> Budget:
    samples = message.samples if message.HasField("samples") else None
    error = message.standard_error if message.HasField("standard_error") else None
    deadline = message.deadline_ms if message.HasField("deadline_ms") else None
    each: dict[str, Any] = {
        "samples": {"samples": samples},
        "standard_error": {"error": error},
        "deadline_ms": {"deadline_ms": deadline},
    }
    for field, rule in each.items():
        try:
            Budget(**rule)
        except BudgetError as wrong:
            raise NoQuestion(str(wrong), field=f"budget.{field}") from wrong
    return Budget(samples=samples, error=error, deadline_ms=deadline, exact=_exactness(message))


def _exactness(message: equity_pb2.EquityBudget) -> Exactness:
    if message.exactness == equity_pb2.EXACTNESS_UNSPECIFIED:
        return Exactness.NEVER if message.HasField("samples") else Exactness.IF_CHEAP
    known = _EXACTNESS.get(message.exactness)
    if known is None:
        text = f"{message.exactness} is no exactness: set EXACTNESS_IF_CHEAP, _ALWAYS, _NEVER or nothing"
        raise NoQuestion(text, field="budget.exactness")
    return known


# Writing


def answer_to_message(answer: Answer, question: Asked, seed: int) -> equity_pb2.EquityEstimate:
    """The answer, partial or final, to `question`."""
    estimates = ([] if answer.estimate is None else [answer.estimate]) + list(answer.weighed)
    counts = answer.weighed or estimates
    message = equity_pb2.EquityEstimate(
        exact=all(each.exact for each in estimates),
        samples=sum(each.samples for each in counts),
        standard_error=max((each.stderr for each in estimates), default=0.0),
        path=_PATHS[estimates[0].path] if estimates else equity_pb2.EQUITY_PATH_UNSPECIFIED,
        stop=_STOPS[answer.stop],
        seed=seed,
    )
    if answer.estimate is not None:
        own = zip(question.hands, answer.estimate.players, strict=True)
        message.players.extend(_equity(hand, player) for hand, player in own)
    weighed: list[Estimate | None] = [
        *answer.weighed,
        *(None for _ in answer.discards[len(answer.weighed) :]),
    ]
    hand = question.hands[0] if question.hands else ""
    for row, estimate in zip(answer.discards, weighed, strict=True):
        message.discards.append(_discard(row, estimate, hand))
    if answer.estimate is not None and answer.discards:
        best = [text_of(Card(card)) for card in answer.best]
        message.discard.CopyFrom(equity_pb2.Discard(cards=best))
    return message


def _equity(hand: str, player: PlayerEquity) -> equity_pb2.PlayerEquity:
    return equity_pb2.PlayerEquity(
        hand=hand, win=player.win, tie=player.tie, equity=player.equity, standard_error=player.error
    )


def _discard(row: Discard, estimate: Estimate | None, hand: str) -> equity_pb2.DiscardEquity:
    message = equity_pb2.DiscardEquity(
        cards=[text_of(Card(card)) for card in row.cards],
        chances=[
            equity_pb2.CategoryChance(category=_CATEGORIES[kind], chance=chance)
            for kind, chance in zip(Category, row.chances, strict=True)
        ],
    )
    if estimate is not None:
        message.own.CopyFrom(_equity(hand, estimate.players[0]))
        message.exact = estimate.exact
        message.samples = estimate.samples
    return message


def _named(enum: Any, prefix: str, members: Any) -> dict[Any, Any]:
    """The members of an enum of ours and the numbers of those of the same names in the protos."""
    return {member: enum.Value(f"{prefix}_{member.name}") for member in members}


_EXACTNESS: Final[dict[int, Exactness]] = {
    number: member for member, number in _named(equity_pb2.Exactness, "EXACTNESS", Exactness).items()
}
_PATHS: Final = _named(equity_pb2.EquityPath, "EQUITY_PATH", Path)
_STOPS: Final = {
    Stop.NONE: equity_pb2.EQUITY_STOP_UNSPECIFIED,
    **_named(equity_pb2.EquityStop, "EQUITY_STOP", [stop for stop in Stop if stop is not Stop.NONE]),
}
_CATEGORIES: Final = _named(equity_pb2.HandCategory, "HAND_CATEGORY", Category)
