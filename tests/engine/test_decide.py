"""Deciding: every command has its rule, every event its application, and nothing else happens."""

import random
from dataclasses import replace
from typing import get_args, get_type_hints

import pytest

from engine import apply_hand, apply_table
from engine.alarms import next_alarm
from engine.apply import apply
from engine.cards import FULL_DECK
from engine.commands import (
    AddBot,
    Call,
    Check,
    Command,
    Fold,
    Join,
    Leave,
    OpenSalon,
    SitIn,
    SitOut,
    StartHand,
    Sweep,
)
from engine.decide import RULES, Decision, decide
from engine.events import Event, SalonOpened
from engine.game import Game
from engine.record import table_to_plain
from engine.refusals import Reason, Refusal
from engine.settings import BotLevel, Settings, make_settings
from engine.table import Table
from engine.units import Chips, Millis, PlayerId, Seat
from tests.engine.house import OPENED, OWNER, House


def members(union: object) -> set[type]:
    """The classes of a union, of unions in it too."""
    parts = get_args(union)
    return set().union(*(members(part) for part in parts)) if parts else {union}  # type: ignore[arg-type]  # a class


def test_every_command_has_one_rule() -> None:
    """The dispatch is exhaustive: all but OpenSalon, which makes the table."""
    assert set(RULES) | {OpenSalon} == members(Command)
    assert OpenSalon not in RULES


@pytest.mark.parametrize("command", RULES, ids=lambda kind: kind.__name__)
def test_the_rule_takes_the_command(command: type) -> None:
    """What a type checker cannot say about the dispatch."""
    _, taken, answer = get_type_hints(RULES[command]).values()
    assert command in members(taken)
    assert answer == Refusal | None


def test_every_event_is_applied_by_one_function() -> None:
    """The two tables of events share no key, and together they have every event."""
    assert set(apply_table.TABLE_EVENTS) & set(apply_hand.HAND_EVENTS) == set()
    assert set(apply_table.TABLE_EVENTS) | set(apply_hand.HAND_EVENTS) == members(Event)


@pytest.mark.parametrize("event", apply_table.TABLE_EVENTS, ids=lambda kind: kind.__name__)
def test_the_application_takes_the_event(event: type) -> None:
    """As for commands."""
    hints = get_type_hints(apply_table.TABLE_EVENTS[event])
    assert list(hints.values()) == [Table, event, type(None)]


def test_opening_makes_a_table_and_nothing_else_does() -> None:
    """A table is opened once, from settings that are good."""
    settings = make_settings(Game.HOLDEM, {})
    assert isinstance(settings, Settings)
    opened = decide(None, OpenSalon(OWNER, settings), now=OPENED)
    assert isinstance(opened, Decision)
    assert opened.events == (SalonOpened(OWNER, settings, OPENED),)
    with pytest.raises(ValueError, match="there is one already"):
        decide(opened.table, OpenSalon(OWNER, settings), now=OPENED)
    with pytest.raises(ValueError, match="open the salon first"):
        decide(None, Sweep(), now=OPENED)


def test_settings_that_were_not_made_by_the_table_are_judged_again() -> None:
    """Whoever hands settings over cannot pass by their ranges."""
    settings = make_settings(Game.DRAW, {})
    assert isinstance(settings, Settings)
    answer = decide(None, OpenSalon(OWNER, replace(settings, min_buy_in=Chips(1))), now=OPENED)
    assert isinstance(answer, Refusal)
    assert answer.reason is Reason.SETTINGS_CONFLICT


def test_a_copy_shares_nothing_that_events_change() -> None:
    """The law of tables: the old state stays valid until the commit."""
    house = House(seated=(1, 2, 3)).deal()
    before, table = table_to_plain(house.table), house.table
    house.act(Call).act(Fold).act(Check).fold_out().leave(1).join(4).sit_out(2)
    assert table_to_plain(table) == before


COMMANDS_BESIDE_PLAY = ("join", "leave", "sit_out", "sit_in", "post", "top_up", "bot")


def stir(house: House, rng: random.Random) -> None:
    """One random command at a random seat, accepted or refused."""
    seat = rng.randint(1, house.table.settings.seats)
    holder = house.table.players[seat]
    kind = rng.choice(COMMANDS_BESIDE_PLAY)
    if holder is None:
        if kind == "bot":
            name = f"bot{rng.randint(1, 99)}"
            house.do_if_legal(AddBot(OWNER, PlayerId(name), name, BotLevel.EASY, seat=Seat(seat)))
        else:
            house.do_if_legal(Join(PlayerId(f"p{seat}"), f"P{seat}", Seat(seat)))
        return
    commands: dict[str, Command] = {
        "join": Join(holder.player, holder.name),
        "leave": Leave(holder.player),
        "sit_out": SitOut(holder.player),
        "sit_in": SitIn(holder.player),
        "post": SitIn(holder.player, post=True),
        "bot": Sweep(),
        "top_up": house.top_up_command(seat, rng.randint(1, 500)),
    }
    house.do_if_legal(commands[kind])


def play_on(house: House, rng: random.Random) -> None:
    """What the alarm says, or an action of the player to act."""
    alarm = next_alarm(house.table)
    if alarm is None:
        house.wait(1_000)
    elif house.turn and rng.random() < 0.9:
        house.wait(rng.randint(0, 30_000)).act_randomly(rng)
    else:
        house.now = Millis(max(house.now, alarm.at))
        deck = rng.sample(FULL_DECK, 52)
        house.do(alarm.command or StartHand(tuple(deck), rng.randrange(2_520)))


@pytest.mark.parametrize("seed", range(12))
def test_random_salons_lose_no_chip_and_replay_to_the_same_table(seed: int) -> None:
    """P9, B10, B12: joins, leaves, top-ups and evictions among random play; every refusal changes nothing."""
    rng = random.Random(seed)
    game = rng.choice(list(Game))
    given = {"all_in": True} if game is Game.DRAW and seed % 2 else {}
    house = House(game, seated=(1, 2, 3), hand_limit=100_000, sit_out_evicts=60, **given)
    for _ in range(600):
        if house.table.over:
            break
        stir(house, rng) if rng.random() < 0.25 else play_on(house, rng)
    assert table_to_plain(house.replayed()) == table_to_plain(house.table)
    assert house.table.hand_number > 5


def test_applying_leaves_the_given_table_as_it_was() -> None:
    """A replica keeps its old state while it folds."""
    house = House(seated=(1, 2))
    before = table_to_plain(house.table)
    table = apply(house.table, house.log[-1])
    assert table is not house.table
    assert table_to_plain(house.table) == before
