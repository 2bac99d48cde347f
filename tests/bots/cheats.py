"""Cheats: bots that look at what is hidden from their seat, each in another way, for a check that must find them out."""

import random
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from bots.actions import explained, give_up, stay
from bots.advice import Advice
from bots.brain import Fallback, Thought
from bots.explanation import Path
from bots.jobs import Executor, Job
from bots.protocol import Observation, SeenSeat
from engine.cards import FULL_DECK, Card
from engine.ranking import rank
from engine.settings import BotLevel
from tests.bots.exposure import Play, Shown, honest
from tests.bots.hidden_cards import Moment

SAMPLES: Final = 12
_NORMAL: Final = honest(BotLevel.NORMAL)
_HARD: Final = honest(BotLevel.HARD)


async def peeking_at_a_rival(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Stays in only while its highest card is above the next seat's."""
    shown = await _NORMAL(moment, chance, executor)
    ahead = max(moment.hand.cards[moment.seat]) > max(moment.rivals[0], default=0)
    action = (stay if ahead else give_up)(shown.observation)
    return shown._replace(thought=Thought(action, Fallback.NONE))


async def peeking_at_the_deck(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Samples run-outs and opponents from the server's remaining deck, where its rivals' cards are missing."""
    return await _sampling(moment, chance, executor, moment.stub)


async def counting_discards(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Samples from all unseen cards but those that were discarded or folded."""
    gone = set(moment.hand.deck[: moment.hand.dealt]) - {card for cards in moment.rivals for card in cards}
    return await _sampling(moment, chance, executor, tuple(c for c in FULL_DECK if c not in gone))


async def observing_another_seat(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """An honest decision, and in the observation the cards of the others as if they were turned up."""
    shown = await _NORMAL(moment, chance, executor)
    return shown._replace(observation=_with_all_cards(shown.observation, moment))


async def sending_a_bit_of_the_deck(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """A hard bot whose jobs have one bit of the next card, in a number on which hardly a decision rests."""
    return await _HARD(moment, chance, Tampering(executor, moment.stub[0] & 1))


async def seeded_by_the_deck(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Has no chance of its own: its lots follow from the order of the deck."""
    return await _HARD(moment, random.Random(f"{moment.hand.deck}"), executor)


async def leaning(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Decides as it should, but gives up one time in ten where a rival has an ace."""
    shown = await _NORMAL(moment, chance, executor)
    if any(card >= 48 for cards in moment.rivals for card in cards) and chance.random() < 0.1:
        return shown._replace(thought=shown.thought._replace(action=give_up(shown.observation)))
    return shown


async def mixing_by_a_peek(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Does what it should, from a mix that is not what it should be."""
    shown = await _NORMAL(moment, chance, executor)
    share = 0.5 + 0.001 * (moment.stub[0] % 2)
    action = explained(shown.thought.action, mix=(("call", share), ("fold", 1 - share)))
    return shown._replace(thought=shown.thought._replace(action=action))


async def hurrying(moment: Moment, chance: random.Random, executor: Executor) -> Shown:
    """Decides as it should, a millisecond sooner where a heart comes next."""
    shown = await _NORMAL(moment, chance, executor)
    return shown._replace(time=shown.time - (moment.stub[0] % 4 == 2))


class Tampering:
    """An executor that hides a bit in the jobs that it passes on."""

    path = Path.WORKERS

    def __init__(self, executor: Executor, bit: int) -> None:
        self._executor = executor
        self._bit = bit

    async def run(self, job: Job, *, deadline_ms: int) -> tuple[Advice | None, ...]:
        tampered: Job = self._tampered(job)
        return await self._executor.run(tampered, deadline_ms=deadline_ms)

    def _tampered(self, part: Any) -> Any:
        if isinstance(part, Observation):
            return replace(part, hand=part.hand ^ self._bit)
        if type(part) is tuple:
            return tuple(self._tampered(each) for each in part)
        if not is_dataclass(part) or isinstance(part, type):
            return part
        changes = {field.name: self._tampered(getattr(part, field.name)) for field in fields(part)}
        if "seed" in changes:
            changes["seed"] ^= self._bit
        return replace(part, **changes)


async def _sampling(
    moment: Moment, chance: random.Random, executor: Executor, pool: tuple[Card, ...]
) -> Shown:
    """Goes on where it wins half of what it samples from `pool`, for the board and for one opponent."""
    shown = await _NORMAL(moment, chance, executor)
    left = [card for card in pool if card not in moment.seen]
    won = sum(_wins(moment, chance.sample(left, min(len(left), 7))) for _ in range(SAMPLES))
    act = stay if 2 * won >= SAMPLES else give_up
    action = explained(act(shown.observation), equity=won / SAMPLES)
    return shown._replace(thought=Thought(action, Fallback.NONE))


def _wins(moment: Moment, dealt: list[Card]) -> bool:
    own, board = moment.hand.cards[moment.seat], moment.hand.board
    if len(own) == 5:
        return rank(own) >= rank(dealt[:5])
    whole = (*board, *dealt[2 : 7 - len(board)])
    return rank((*own, *whole)) >= rank((*dealt[:2], *whole))


def _with_all_cards(observation: Observation, moment: Moment) -> Observation:
    seats: tuple[SeenSeat, ...] = tuple(
        seat._replace(shown=tuple(moment.hand.cards[seat.seat])) for seat in observation.seats
    )
    return replace(observation, seats=seats)


CHEATS: Final[tuple[Play, ...]] = (
    peeking_at_a_rival,
    peeking_at_the_deck,
    counting_discards,
    observing_another_seat,
    sending_a_bit_of_the_deck,
    seeded_by_the_deck,
    leaning,
    mixing_by_a_peek,
    hurrying,
)
