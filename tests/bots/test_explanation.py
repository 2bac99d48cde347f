"""Explanations: every decision has one, it tells the truth about the lot, and it names no card."""

import random
import re
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from bots.arena import act, deal, seated, shuffled, to_act
from bots.explanation import (
    Explanation,
    Path,
    completed,
    explanation_from_plain,
    explanation_to_plain,
    text_of,
)
from bots.protocol import BotAction, observe
from bots.roster import bot
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.view import TableView

FULL = Explanation(
    rule="raises from 60%",
    ranges="seat 2: 22+ A2s+ (18%)",
    equity=0.4312,
    error=0.0124,
    samples=1600,
    pot_odds=0.25,
    mix=(("raise", 0.7), ("call", 0.3)),
    lot=0.812,
    path=Path.WORKERS.value,
    fallback="partial",
)
A_CARD = re.compile(r"(?<![0-9A-Za-z])[2-9TJQKA][cdhs]")


@pytest.mark.parametrize(
    "explanation",
    [Explanation(), Explanation("a pair"), Explanation(pot_odds=0.0, lot=0.0, equity=0.0, error=0.0), FULL],
)
def test_an_explanation_is_read_as_it_was_written(explanation: Explanation) -> None:
    assert explanation_from_plain(explanation_to_plain(explanation)) == explanation


def test_plain_data_holds_only_what_is_said() -> None:
    assert explanation_to_plain(Explanation("a pair")) == {"rule": "a pair"}
    assert explanation_to_plain(Explanation(pot_odds=0.0)) == {"pot_odds": 0.0}


def test_what_numpy_has_counted_is_plain_too() -> None:
    """Msgpack takes Python's own numbers alone, and an explanation must not break a commit."""
    numbers: Any = {
        "equity": np.float32(0.5),
        "samples": np.int64(7),
        "mix": ((Path.TABLE, np.float64(1.0)),),
    }
    plain = explanation_to_plain(Explanation(Path.RULES, **numbers))
    assert plain == {"rule": "rules", "equity": 0.5, "samples": 7, "mix": [["table", 1.0]]}
    assert {type(each) for each in plain.values()} == {str, float, int, list}
    assert {type(each) for each in plain["mix"][0]} == {str, float}


def test_every_field_is_written() -> None:
    assert set(explanation_to_plain(FULL)) == {field.name for field in fields(Explanation)}


def test_a_text_of_an_earlier_version_is_a_rule_and_an_unknown_field_of_a_later_one_is_left_out() -> None:
    assert explanation_from_plain("wins 40%") == Explanation("wins 40%")
    assert explanation_from_plain({"rule": "a pair", "mood": 7}) == Explanation("a pair")


def test_completing_keeps_what_was_said() -> None:
    assert completed(None, rule="a pair") == Explanation("a pair")
    assert completed(FULL, rule="another", path="rules") == FULL
    assert completed(Explanation(pot_odds=0.0), pot_odds=0.5) == Explanation(pot_odds=0.0)


@pytest.mark.parametrize(
    "explanation,line",
    [
        (Explanation(), ""),
        (Explanation("a pair", path="rules"), "a pair; ran: rules"),
        (Explanation(equity=0.5, error=0.0), "equity 50.0%, exactly"),
        (Explanation(equity=1.0, error=0.0, samples=50), "equity 100.0%, standard error 0.0% over 50 samples"),
        (Explanation(equity=0.43), "equity about 43%"),
        (Explanation(pot_odds=0.0, fallback="normal"), "nothing to call; by the normal bot, for want of samples"),
        (Explanation(path="in_process", fallback="passive"), "ran: in process; by giving up, for want of a decision"),
        (Explanation(fallback="a later word"), "a later word"),
        (Explanation(mix=(("bet", 1.0),)), "mix 100.0% bet"),
        (
            FULL,
            "raises from 60%; equity 43.1%, standard error 1.2% over 1600 samples; pot odds 25.0%; "  # noqa: ISC004 - one line
            "mix 70.0% raise, 30.0% call, lot 0.812: call; ranges seat 2: 22+ A2s+ (18%); ran: workers; "
            "with fewer samples than asked for",
        ),
    ],
)  # fmt: skip
def test_an_explanation_is_one_line(explanation: Explanation, line: str) -> None:
    assert text_of(explanation) == line


@pytest.mark.parametrize("lot,drawn", [(0.0, "raise"), (0.699, "raise"), (0.7, "call"), (0.999, "call")])
def test_a_lot_falls_on_the_action_whose_share_it_lies_in(lot: float, drawn: str) -> None:
    assert Explanation(mix=FULL.mix, lot=lot).drawn == drawn


def decisions(game: Game, level: BotLevel, style: BotStyle, deals: int) -> list[BotAction]:
    """What bots of a level do in some hands of their own."""
    rng = random.Random(f"{game} {level} {style}")
    player = bot(game, level, style)
    taken: list[BotAction] = []

    def choose(view: TableView) -> BotAction:
        taken.append(player.decide(observe(view), rng))
        return taken[-1]

    for _ in range(deals):
        settings = make_settings(game, {"seats": 4, "hand_limit": 100})
        assert isinstance(settings, Settings)
        table = deal(seated(settings, rng.randint(2, 4)), shuffled(rng))
        while to_act(table):
            table = act(table, choose)
    return taken


@pytest.mark.parametrize("style", BotStyle)
@pytest.mark.parametrize("level", [BotLevel.EASY, BotLevel.NORMAL])
@pytest.mark.parametrize("game", Game)
def test_every_decision_says_which_rule_took_it_and_what_was_drawn(
    game: Game, level: BotLevel, style: BotStyle
) -> None:
    """The mix adds up, and the lot lies where the action is: what is told is what was done."""
    mixed = 0
    for action in decisions(game, level, style, 60):
        said = completed(action.explanation, rule=action.why)
        assert said.rule
        assert not A_CARD.search(text_of(said)), "an explanation names no card"
        assert action.kind == "draw" or said.pot_odds is not None
        assert (said.lot is None) == (not said.mix)
        if said.mix:
            mixed += 1
            assert sum(share for _, share in said.mix) == pytest.approx(1.0)
            assert said.drawn == action.kind
    assert mixed
