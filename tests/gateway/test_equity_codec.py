"""Questions of equity, read and refused, and what is written in answer to them."""

import math
from typing import Any

import pytest

from bots.equity.budget import Budget, Exactness
from bots.equity.combos import COMBOS, combo_text
from bots.equity.discards import discards
from bots.equity.holdings import ANY, drew
from bots.equity.paths import Path
from bots.equity.ranges import parse_range
from bots.equity.spots import DrawSpot, HoldemSpot
from bots.equity.tally import Estimate, PlayerEquity, Stop
from cluster.calculator import Answer
from cluster.codec.equity import NoQuestion, answer_to_message, asked
from croupier.v1 import equity_pb2
from croupier.v1.equity_pb2 import Discard, EquityBudget, EquityQuestion, HoldemPlayer
from croupier.v1.equity_pb2 import DrawSpot as DrawMessage
from croupier.v1.equity_pb2 import HoldemSpot as HoldemMessage
from engine.cards import parse_cards
from tests.gateway.equity_questions import ACES, draw, holdem, weighted


def test_hands_are_read_as_players_write_them_and_kept_as_they_were() -> None:
    read = asked(holdem("qq+ , aks", "AhKh", board="Qs 7d 2s", dead="10c"))
    assert read.spot == HoldemSpot(
        (parse_range("QQ+,AKs"), parse_range("AhKh")), parse_cards("Qs7d2s"), parse_cards("Tc")
    )
    assert read.hands == ("qq+ , aks", "AhKh")
    assert (read.budget, read.seed, read.choices) == (Budget(), 7, ())


def test_combos_have_weights_of_any_size() -> None:
    read = asked(weighted(("Ks Kd", 3.0), ("Qs Qd", 1.5), ("Js Jd", 0.0)))
    assert isinstance(read.spot, HoldemSpot)
    assert read.spot.players[1] == parse_range("KsKd,QsQd:0.5")
    assert read.hands[1] == str(read.spot.players[1])


def test_every_combo_may_be_written_out_with_its_weight_and_no_question_may_be_much_longer() -> None:
    """Long texts take long to read, and what is longer repeats itself."""
    combos = list(map(combo_text, range(len(COMBOS))))
    for given in (", ".join(combos), ", ".join(f"{combo}:0.125" for combo in combos)):
        spot = asked(holdem(given, "AA")).spot
        assert isinstance(spot, HoldemSpot)
        assert spot.players[0].combos == tuple(range(len(COMBOS)))
    for ranges in (["AA", "22+," * 4_000], ["AA," * 2_700] * 2):
        with pytest.raises(NoQuestion, match="at most 16000 are right") as wrong:
            asked(holdem(*ranges))
        assert wrong.value.field == "holdem.players"


def test_at_draw_one_discard_is_asked_about_or_all() -> None:
    read = asked(draw(ACES, (3, None), discard="7c 8d 2h", dead="Kc"))
    assert read.spot == DrawSpot(
        parse_cards(ACES), parse_cards("7c 8d 2h"), (drew(3), ANY), parse_cards("Kc")
    )
    assert read.hands == ("AsAd7c8d2h", "drew 3", "random")
    assert read.choices == (parse_cards("7c 8d 2h"),)
    assert asked(draw(ACES, (1,), discard="")).choices == ((),)
    assert len(asked(draw(ACES, (1,))).choices) == 26
    assert asked(draw(ACES)).hands == ()


@pytest.mark.parametrize(
    "budget, read",
    [
        ({}, Budget()),
        ({"samples": 5}, Budget(samples=5, exact=Exactness.NEVER)),
        (
            {"samples": 5, "exactness": equity_pb2.EXACTNESS_IF_CHEAP},
            Budget(samples=5, exact=Exactness.IF_CHEAP),
        ),
        ({"standard_error": 0.001, "deadline_ms": 50}, Budget(error=0.001, deadline_ms=50)),
        ({"exactness": equity_pb2.EXACTNESS_ALWAYS}, Budget(exact=Exactness.ALWAYS)),
        ({"exactness": equity_pb2.EXACTNESS_NEVER}, Budget(exact=Exactness.NEVER)),
    ],
)
def test_a_number_of_samples_is_a_wish_for_samples(budget: dict[str, Any], read: Budget) -> None:
    assert asked(holdem("AhKh", "random", **budget)).budget == read


def test_a_seed_that_is_not_set_is_anyones() -> None:
    assert asked(holdem("AhKh", "random", seed=None)).seed is None
    assert asked(holdem("AhKh", "random", seed=0)).seed == 0


@pytest.mark.parametrize(
    "question, field, words",
    [
        (EquityQuestion(), "spot", "set holdem or draw"),
        (holdem("AhKh"), "holdem.players", "1 player: 2 to 9"),
        (holdem(*["random"] * 10), "holdem.players", "10 players: 2 to 9"),
        (holdem("AhKh", "AhQh"), "holdem", "Ah"),
        (holdem("AhKh", "random", board="Ah 7d 2s"), "holdem", "Ah is in player 1's hand and on the board"),
        (holdem("AhKh", "random", board="Qs Qs 2s"), "holdem", "Qs is on the board twice"),
        (holdem("AhKh", "random", board="Qs 7d 2s", dead="Qs"), "holdem", "among the dead cards"),
        (holdem("AhKh", "random", board="Qs 7d"), "holdem.board", "a board of 2 cards"),
        (holdem("AhKh", "random", board="Qs 7d 1s"), "holdem.board[2]", "'1s' is no card"),
        (holdem("AhKh", "random", dead="Qs x"), "holdem.dead[1]", "'x' is no card"),
        (holdem("AA", "AA", "AA"), "holdem", "at once"),
        (holdem("AA", "KK", dead="As Ad Ac"), "holdem", "nothing is left"),
        (EquityQuestion(holdem=HoldemMessage(players=[HoldemPlayer()] * 2)), "holdem.players[0]", "no hand"),
        (weighted(("Ks Kd", math.nan)), "holdem.players[1].combos", "nan"),
        (weighted(("Ks Kd", math.inf)), "holdem.players[1].combos", "inf"),
        (weighted(("Ks Kd", -1.0)), "holdem.players[1].combos", "-1"),
        (weighted(("Ks Kd", 0.0)), "holdem.players[1].combos", "without combos"),
        (weighted(), "holdem.players[1].combos", "without combos"),
        (weighted(("Ks Kd", 1.0), ("Kd Ks", 1.0)), "holdem.players[1].combos", ""),
        (weighted(("Ks Ks", 1.0)), "holdem.players[1].combos.combos[0].cards", "Ks twice"),
        (weighted(("Ks", 1.0)), "holdem.players[1].combos.combos[0].cards", "1 cards: a combo is two"),
        (holdem("AA", "KK", samples=0), "budget.samples", "samples is 0"),
        (holdem("AA", "KK", samples=-5), "budget.samples", "samples is -5"),
        (holdem("AA", "KK", standard_error=math.nan), "budget.standard_error", "nan"),
        (holdem("AA", "KK", standard_error=0.0), "budget.standard_error", "0.0"),
        (holdem("AA", "KK", deadline_ms=0), "budget.deadline_ms", "deadline_ms is 0"),
        (holdem("AA", "KK", deadline_ms=-1), "budget.deadline_ms", "deadline_ms is -1"),
        (holdem("AA", "KK", exactness=99), "budget.exactness", "99"),
        (draw("As Ad 7c 8d"), "draw.cards", "a hand of 4 cards"),
        (draw("As Ad 7c 8d 2h 3h"), "draw.cards", "a hand of 6 cards"),
        (draw("As As 7c 8d 2h"), "draw", "As is in the own hand twice"),
        (draw(ACES, [1] * 6), "draw.opponents", "6 opponents"),
        (draw(ACES, [4]), "draw.opponents[0].drew", "nobody draws 4"),
        (draw(ACES, [1, -1]), "draw.opponents[1].drew", "nobody draws -1"),
        (draw(ACES, [1], discard="Kc"), "draw", "Kc is discarded and not in the hand"),
        (draw(ACES, [1], discard="As Ad 7c 8d"), "draw", "4 discards"),
        (draw(ACES, [1], discard="7c 7c"), "draw", "7c is among the discards twice"),
        (draw(ACES, [1], dead="7c"), "draw", "7c"),
        (EquityQuestion(draw=DrawMessage(discard=Discard())), "draw.cards", "a hand of 0 cards"),
    ],
)
def test_nonsense_is_refused_by_its_field(question: EquityQuestion, field: str, words: str) -> None:
    with pytest.raises(NoQuestion) as wrong:
        asked(question)
    assert wrong.value.field == field
    assert words in str(wrong.value)
    assert wrong.value.place == 0


@pytest.mark.parametrize(
    "text, place, length",
    [("QQ+, AXs", 6, 3), ("AhAh", 1, 4), ("AA:nan", 4, 3), ("AA:0", 4, 1), ("", 1, 0), ("KK,,QQ", 4, 1)],
)
def test_a_range_that_is_none_is_refused_by_its_place(text: str, place: int, length: int) -> None:
    with pytest.raises(NoQuestion) as wrong:
        asked(holdem("AhKh", text))
    assert wrong.value.field == "holdem.players[1].range"
    assert (wrong.value.place, wrong.value.length) == (place, length)


def test_an_error_is_no_longer_than_a_header_may_be() -> None:
    with pytest.raises(NoQuestion) as wrong:
        asked(holdem("AhKh", "x" * 60_000))
    assert len(str(wrong.value)) <= 400
    with pytest.raises(NoQuestion) as wrong:
        asked(holdem("AhKh", "random", dead="x" * 60_000))
    assert len(str(wrong.value)) <= 400


def test_there_must_be_cards_enough_for_the_longest_draw() -> None:
    """Five opponents and an own hand are 30 cards of the 52 less those that are dead, and three own discards."""
    dead = [f"{rank}{suit}" for rank in "34569" for suit in "cdhs"]
    assert len(asked(draw(ACES, [None] * 5, dead=" ".join(dead[:19]))).choices) == 26
    with pytest.raises(NoQuestion) as wrong:
        asked(draw(ACES, [None] * 5, dead=" ".join(dead)))
    assert wrong.value.field == "draw"
    assert len(asked(draw(ACES, [None] * 5, discard="7c", dead=" ".join(dead))).choices) == 1


def _estimate(samples: int, equity: float, *, exact: bool = False) -> Estimate:
    error = 0.0 if exact else 0.01
    own, other = PlayerEquity(equity, 0.0, equity, error), PlayerEquity(1 - equity, 0.0, 1 - equity, error)
    return Estimate(exact, samples, (own, other), Path.C, Stop.EXACT if exact else Stop.SAMPLES)


def test_an_answer_tells_how_it_was_come_by() -> None:
    read = asked(holdem("AhKh", "random"))
    message = answer_to_message(Answer(Stop.SAMPLES, _estimate(100, 0.6)), read, 12)
    assert (message.exact, message.samples, message.standard_error, message.seed) == (False, 100, 0.01, 12)
    assert (message.path, message.stop) == (equity_pb2.EQUITY_PATH_C, equity_pb2.EQUITY_STOP_SAMPLES)
    assert [player.hand for player in message.players] == ["AhKh", "random"]
    assert not message.HasField("discard")
    assert answer_to_message(Answer(Stop.NONE, _estimate(100, 0.6)), read, 12).stop == 0


def test_a_comparison_tells_the_best_so_far_and_what_is_still_to_come() -> None:
    read = asked(draw(ACES, (1,)))
    rows = discards(ACES)
    weighed = (_estimate(100, 0.4), _estimate(50, 0.6, exact=True))
    answer = Answer(Stop.NONE, weighed[1], rows[1].cards, rows, weighed)
    message = answer_to_message(answer, read, 12)
    assert (message.exact, message.samples, message.standard_error) == (False, 150, 0.01)
    assert list(message.discard.cards) == ["As"]
    assert [row.HasField("own") for row in message.discards] == [True] * 2 + [False] * 24
    assert [(row.exact, row.samples) for row in message.discards[:3]] == [
        (False, 100),
        (True, 50),
        (False, 0),
    ]
    assert message.discards[1].own.equity == message.players[0].equity == 0.6
    for row in message.discards:
        assert [each.category for each in row.chances] == list(range(1, 10))
        assert math.isclose(sum(each.chance for each in row.chances), 1.0)


def test_to_stand_pat_is_a_discard_too() -> None:
    rows = discards(ACES)
    answer = Answer(Stop.SAMPLES, _estimate(100, 0.4), (), rows[:1], (_estimate(100, 0.4),))
    message = answer_to_message(answer, asked(draw(ACES, (1,), discard="")), 12)
    assert message.HasField("discard")
    assert list(message.discard.cards) == []


def test_every_name_has_its_number() -> None:
    for path in Path:
        assert equity_pb2.EquityPath.Value(f"EQUITY_PATH_{path.name}")
    assert EquityBudget().exactness == equity_pb2.EXACTNESS_UNSPECIFIED
