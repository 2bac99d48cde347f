"""The bot protocol: an allow-list of what a bot sees, and actions that become commands."""

from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import pytest

from bots.arena import deal, seated, to_act
from bots.protocol import (
    BotAction,
    NotYourTurn,
    Observation,
    SeenAction,
    SeenSeat,
    is_legal,
    observe,
    to_command,
)
from engine.cards import FULL_DECK, Card
from engine.commands import AllIn, BetTo, Call, Check, Draw, Fold, RaiseTo, TurnCommand
from engine.game import Game
from engine.refusals import Refusal
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import Chips, HandNumber, PlayerId, Seat, Turn
from engine.view import TableView, view_of

ALLOWED = {
    "game", "hand", "turn", "street", "seat", "cards", "board", "seats", "history", "button", "small_blind",
    "big_blind", "unit", "ante", "pot", "bet", "fold", "check", "call", "call_to", "bet_min", "bet_max",
    "raise_min", "raise_max", "all_in", "draw", "draw_max", "turn_time", "big_bet", "raise_cap",
}  # fmt: skip
"""What a bot may be shown. Adding a name here says: a player in that seat sees it, and it is not hidden from him."""


def settings_of(game: Game, **given: object) -> Settings:
    settings = make_settings(game, given)
    assert not isinstance(settings, Refusal), settings
    return settings


def dealt(game: Game = Game.HOLDEM, players: int = 3) -> Table:
    return deal(seated(settings_of(game), players), FULL_DECK)


def view_to_act(game: Game = Game.HOLDEM, players: int = 3) -> TableView:
    table = dealt(game, players)
    return view_of(table, to_act(table))


def test_an_observation_has_the_allowed_fields_and_no_others() -> None:
    """A new field has to be allowed here on purpose (design: a bot sees what its seat sees)."""
    assert {field.name for field in fields(Observation)} == ALLOWED
    assert SeenSeat._fields == ("seat", "state", "stack", "bet", "contribution", "drawn", "shown")
    assert SeenAction._fields == ("street", "seat", "kind", "amount")


@pytest.mark.parametrize("game", Game)
def test_an_observation_holds_nothing_but_numbers_and_words(game: Game) -> None:
    def check(value: object) -> None:
        if isinstance(value, tuple):
            for part in value:
                check(part)
        else:
            assert type(value) in (int, str, bool), value

    observation = observe(view_to_act(game))
    for field in fields(observation):
        check(getattr(observation, field.name))


def test_an_observation_cannot_be_changed() -> None:
    observation = observe(view_to_act())
    with pytest.raises(FrozenInstanceError):
        observation.pot = 0  # type: ignore[misc]  # what is tried here is what the type forbids


def test_an_observation_is_of_the_own_cards_and_public_numbers() -> None:
    table = dealt(players=3)
    seat = to_act(table)
    observation = observe(view_of(table, seat))
    assert table.hand is not None
    assert observation.cards == table.hand.cards[seat]
    assert len(observation.seats) == 3
    assert all(seen.shown == () for seen in observation.seats)
    assert (observation.pot, observation.bet, observation.call, observation.unit) == (3, 2, 2, 2)


def test_nothing_is_observed_out_of_turn() -> None:
    table = dealt(players=3)
    waiting = next(Seat(seat) for seat in (1, 2, 3) if seat != to_act(table))
    with pytest.raises(NotYourTurn, match=str(waiting)):
        observe(view_of(table, waiting))
    with pytest.raises(NotYourTurn):
        observe(view_of(table, Seat(0)))


TURN = (PlayerId("ann"), HandNumber(1), Turn(1))


@pytest.mark.parametrize(
    "action, command",
    [
        (BotAction("fold"), Fold(*TURN)),
        (BotAction("check"), Check(*TURN)),
        (BotAction("call"), Call(*TURN)),
        (BotAction("bet", to=6), BetTo(*TURN, Chips(6))),
        (BotAction("raise", to=9), RaiseTo(*TURN, Chips(9))),
        (BotAction("all_in"), AllIn(*TURN)),
        (BotAction("draw", cards=(3, 4)), Draw(*TURN, (Card(3), Card(4)))),
    ],
)
def test_an_action_becomes_the_command_of_the_turn_seen(action: BotAction, command: TurnCommand) -> None:
    assert to_command(action, view_to_act(), PlayerId("ann")) == command


def test_an_action_that_no_turn_has_is_an_error() -> None:
    with pytest.raises(ValueError, match="straddle"):
        to_command(BotAction("straddle"), view_to_act(), PlayerId("ann"))


@pytest.mark.parametrize(
    "action, legal",
    [
        (BotAction("fold"), True),
        (BotAction("check"), False),
        (BotAction("call"), True),
        (BotAction("bet", to=4), False),
        (BotAction("raise", to=3), False),
        (BotAction("raise", to=4), True),
        (BotAction("raise", to=201), False),
        (BotAction("all_in"), True),
        (BotAction("draw"), False),
        (BotAction("straddle"), False),
    ],
)
def test_legality_is_what_the_observation_says(action: BotAction, legal: bool) -> None:
    assert is_legal(action, observe(view_to_act())) is legal


@pytest.mark.parametrize(
    "cards, legal",
    [((), True), ((1,), True), ((1, 2, 3), True), ((1, 2, 3, 4), False), ((1, 1), False), ((9,), False)],
)
def test_a_draw_is_of_few_own_cards_each_once(cards: tuple[int, ...], legal: bool) -> None:
    """D11."""
    observation = observe(view_to_act(Game.DRAW))
    drawing = replace(observation, cards=(1, 2, 3, 4, 5), draw=True, draw_max=3)
    assert is_dataclass(drawing)
    assert is_legal(BotAction("draw", cards=cards), drawing) is legal
