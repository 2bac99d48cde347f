"""A bot knows nothing that is hidden from its seat: deal all of it anew, and not a byte of what the bot shows changes."""

import pickle
import random
from collections import Counter
from contextlib import aclosing

import pytest

from bots.arena import to_act
from bots.jobs import Job, parts, run_part
from bots.protocol import observe
from bots.roster import bot, hard_bot
from engine.cards import FULL_DECK, Card
from engine.game import Game
from engine.settings import BotLevel
from engine.view import SeatState
from tests.bots.cheats import CHEATS
from tests.bots.exposure import Play, honest, leaks
from tests.bots.hidden_cards import MOST, TURNS, Canary, Moment, exchanged, marked, moments, redealt

SEEDS = {BotLevel.EASY: 4, BotLevel.NORMAL: 4, BotLevel.HARD: 2}
"""Of the bot's own chance, in each turn: its decisions by all of them are the distribution, beside the mix."""


@pytest.mark.timeout(600)  # 15 s of CPU, which a busy machine may not have for long
@pytest.mark.parametrize("level", BotLevel)
@pytest.mark.parametrize("game", Game)
async def test_no_bot_changes_when_all_hidden_cards_are_dealt_anew(game: Game, level: BotLevel) -> None:
    """Observation, jobs, decision, mix and lot, thinking time (rules: a card in a bot's input, or by timing)."""
    turns = moments(game)
    assert len(turns) == TURNS >= 1_000
    found = leaks(honest(level), turns, seeds=SEEDS[level])
    assert [observe(moment.view) async for moment in found] == []


@pytest.mark.parametrize("cheat", CHEATS)
@pytest.mark.parametrize("game", Game)
async def test_a_cheating_bot_is_found_out(game: Game, cheat: Play) -> None:
    """The negative control: the very same check fails for whoever looks, in whatever way."""
    async with aclosing(leaks(cheat, moments(game), seeds=2)) as found:
        assert await anext(found, None)


@pytest.mark.parametrize("game", Game)
def test_turns_are_of_all_kinds(game: Game) -> None:
    """All streets, numbers of players, states of a seat and styles; raised pots."""
    seen = [observe(moment.view) for moment in moments(game)]
    streets = Counter(one.street for one in seen)
    assert min(streets.values()) >= TURNS // len(streets) - 1
    assert {len(one.seats) for one in seen} == set(range(2, MOST[game] + 1))
    states = Counter(seat.state for one in seen for seat in one.seats)
    assert min(states[state] for state in (SeatState.LIVE, SeatState.FOLDED, SeatState.ALL_IN)) > 50
    assert sum(any(act.kind == "raise" for act in one.history) for one in seen) > 50
    styles = Counter(moment.style for moment in moments(game))
    assert min(styles.values()) > TURNS / 4


@pytest.mark.parametrize("game", Game)
def test_nothing_is_turned_up_while_anybody_has_a_turn(game: Game) -> None:
    """S1: cards are turned up once the betting is over, so that no turn has any to see."""
    for moment in moments(game):
        assert moment.seat == to_act(moment.table)
        assert not any(moment.hand.shown)
        observation = observe(moment.view)
        assert observation.cards == moment.hand.cards[moment.seat]
        assert observation.board == moment.hand.board
        assert not any(seat.shown for seat in observation.seats)


@pytest.mark.parametrize("game", Game)
def test_a_redeal_changes_all_that_is_hidden_and_nothing_else(game: Game) -> None:
    """The control's control: others' cards, folded ones too, the rest of the deck, and what was discarded."""
    rng = random.Random(3)
    kept, dealt = Counter[str](), Counter[str]()
    for moment in moments(game)[:200]:
        other = redealt(moment, rng)
        assert set(other.hand.deck) == set(FULL_DECK)
        assert other.view == moment.view
        for where, before, after in (
            ("stub", moment.stub, other.stub),
            ("others", _others(moment), _others(other)),
            ("discards", _discards(moment), _discards(other)),
        ):
            dealt[where] += len(before)
            kept[where] += sum(a == b for a, b in zip(before, after, strict=True))
    assert (dealt["discards"] > 500) is (game is Game.DRAW)
    assert all(kept[where] < 0.1 * dealt[where] for where in dealt if dealt[where])


def _others(moment: Moment) -> list[Card]:
    """The cards of all other seats, those that folded too, one by one."""
    return [card for at, cards in enumerate(moment.hand.cards) if at != moment.seat for card in cards]


def _discards(moment: Moment) -> list[Card]:
    """Cards that were dealt and are nobody's any more, nor on the board."""
    there = {card for cards in moment.hand.cards for card in cards} | set(moment.hand.board)
    return [card for card in moment.hand.deck[: moment.hand.dealt] if card not in there]


@pytest.mark.parametrize("game", Game)
def test_no_hidden_card_is_carried_into_an_observation_or_a_job(game: Game) -> None:
    """Own cards and the board are plain numbers, and all others are canaries."""
    for moment in moments(game):
        observation = observe(marked(moment).view)
        job = hard_bot(game, moment.style).job(observation, random.Random(1))
        assert Canary.__name__.encode() not in pickle.dumps((observation, job))
    assert Canary.__name__.encode() in pickle.dumps(marked(moments(game)[0]).stub)


@pytest.mark.parametrize("game", Game)
def test_a_hard_decision_is_a_function_of_its_jobs_bytes_and_its_own_chance(game: Game) -> None:
    """What is not in the bytes cannot decide: worked out from them, it is what the bot in one piece decides."""
    jobs = 0
    for moment in moments(game)[:50]:
        observation = observe(moment.view)
        whole = bot(game, BotLevel.HARD, moment.style).decide(observation, random.Random(5))
        player, chance = hard_bot(game, moment.style), random.Random(5)
        job = player.job(observation, chance)
        if job is None:
            continue
        jobs += 1
        arrived: Job = pickle.loads(pickle.dumps(job))
        results = [run_part(arrived, part) for part in range(parts(arrived))]
        assert player.answer(observation, pickle.loads(pickle.dumps(results)), chance) == whole
    assert jobs > 15


def test_bytes_of_cards_exchanged_by_hand_are_those_of_the_same_deal() -> None:
    """Exchanging cards leaves the table that was given as it is."""
    moment = moments(Game.DRAW)[0]
    before = [*moment.hand.cards]
    exchanged(moment, {card: Card(51 - card) for card in FULL_DECK})
    assert moment.hand.cards == before
