"""A bot knows nothing that is hidden from its seat: re-deal all of it, and nothing about the bot changes."""

import random
from collections.abc import Callable

import pytest

from bots.arena import act, deal, seated, shuffled, to_act
from bots.manners import thinking_time
from bots.protocol import Observation, observe
from bots.roster import bot
from engine.cards import FULL_DECK, Card
from engine.commands import LOTS
from engine.game import Game
from engine.settings import BotLevel, BotSpeed, BotStyle, Settings, make_settings
from engine.table import Table
from engine.units import Seat
from engine.view import view_of

STATES = {BotLevel.EASY: 400, BotLevel.NORMAL: 400, BotLevel.HARD: 120}
REDEALS = 2
Outcome = tuple[object, ...]
Play = Callable[[Table, Seat, int], Outcome]
"""All that a bot shows of itself in a turn: what it saw, did and took, from a seed of its own."""


def redealt(table: Table, seat: Seat, rng: random.Random) -> Table:
    """The same table with every card that `seat` may not see exchanged for another of them."""
    assert table.hand is not None
    hand = table.hand
    seen = {*hand.cards[seat], *hand.board, *(card for shown in hand.shown for card in shown)}
    hidden = [card for card in FULL_DECK if card not in seen]
    other = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    copy = table.copy()
    assert copy.hand is not None
    copy.hand.cards = [tuple(other.get(card, card) for card in cards) for cards in hand.cards]
    copy.hand.deck = tuple(other.get(card, card) for card in hand.deck)
    return copy


def turns(game: Game, count: int, rng: random.Random) -> list[Table]:
    """Reachable states in which somebody is to act: all streets, all numbers of players."""
    tables: list[Table] = []
    while len(tables) < count:
        players = rng.randint(2, 6)
        settings = make_settings(game, {"seats": players, "hand_limit": 100})
        assert isinstance(settings, Settings)
        table = deal(seated(settings, players), shuffled(rng), rng.randrange(LOTS))
        player = bot(game, rng.choice((BotLevel.EASY, BotLevel.NORMAL)), BotStyle.LOOSE)
        while to_act(table):
            tables.append(table)
            table = act(table, lambda view, player=player: player.decide(observe(view), rng))  # type: ignore[misc]
    return rng.sample(tables, count)


def honest(level: BotLevel, style: BotStyle) -> Play:
    def play(table: Table, seat: Seat, seed: int) -> Outcome:
        observation = observe(view_of(table, seat))
        rng = random.Random(seed)
        action = bot(Game(observation.game), level, style).decide(observation, rng)
        time = thinking_time(observation, BotSpeed.NATURAL, rng)
        return observation, action, action.why, action.explanation, time

    return play


def differences(play: Play, game: Game, states: int) -> int:
    """In how many states a re-deal of the hidden cards changes the outcome."""
    rng = random.Random(f"{game} {states}")
    found = 0
    for table in turns(game, states, rng):
        seat, seed = to_act(table), rng.getrandbits(32)
        before = play(table, seat, seed)
        found += any(play(redealt(table, seat, rng), seat, seed) != before for _ in range(REDEALS))
    return found


@pytest.mark.parametrize("level", BotLevel)
@pytest.mark.parametrize("game", Game)
def test_no_bot_changes_when_all_hidden_cards_are_dealt_anew(game: Game, level: BotLevel) -> None:
    """Observation, action, explanation and thinking time (rules: a card in a bot's input, or by timing)."""
    style = list(BotStyle)[len(level) % 3]
    assert differences(honest(level, style), game, STATES[level]) == 0


def peeking_at_a_rival(table: Table, seat: Seat, seed: int) -> Outcome:
    """A bot that is handed the table, and calls only when it is ahead of the next seat's highest card."""
    assert table.hand is not None
    rival = next(cards for at, cards in enumerate(table.hand.cards) if cards and at != seat)
    return (max(table.hand.cards[seat]) > max(rival),)


def peeking_at_the_deck(table: Table, seat: Seat, seed: int) -> Outcome:
    """A bot that samples from the server's remaining deck instead of from all unseen cards."""
    assert table.hand is not None
    stub = table.hand.deck[table.hand.dealt :]
    return tuple(random.Random(seed).sample(sorted(stub), 5))


def leaking_observation(table: Table, seat: Seat, seed: int) -> Outcome:
    """An honest bot whose observation was made with another seat's view beside its own."""
    observation = observe(view_of(table, seat))
    others = (view_of(table, Seat(at)).seats for at in range(1, len(table.players)))
    return observation, tuple(seen.cards for seats in others for seen in seats)


@pytest.mark.parametrize("cheat", [peeking_at_a_rival, peeking_at_the_deck, leaking_observation])
@pytest.mark.parametrize("game", Game)
def test_a_cheating_bot_is_found_out(game: Game, cheat: Play) -> None:
    """The negative control: the test above can fail."""
    assert differences(cheat, game, 60) > 10


def test_a_redeal_keeps_a_full_deck_and_what_the_seat_sees() -> None:
    """The control's control: nothing else is changed."""
    rng = random.Random(3)
    for table in turns(Game.HOLDEM, 50, rng):
        seat = to_act(table)
        other = redealt(table, seat, rng)
        assert table.hand is not None
        assert other.hand is not None
        assert set(other.hand.deck) == set(FULL_DECK)
        assert other.hand.cards[seat] == table.hand.cards[seat]
        assert other.hand.board == table.hand.board


def all_seen(observation: Observation) -> list[Card]:
    return [Card(card) for card in (*observation.cards, *observation.board)]


def test_an_observation_names_no_card_but_the_own_and_the_boards() -> None:
    """Before anything is turned up, whatever looks like a card elsewhere would be a leak."""
    rng = random.Random(4)
    for table in turns(Game.HOLDEM, 100, rng):
        observation = observe(view_of(table, to_act(table)))
        assert table.hand is not None
        assert all_seen(observation) == [*table.hand.cards[to_act(table)], *table.hand.board]
        assert not any(seat.shown for seat in observation.seats)
