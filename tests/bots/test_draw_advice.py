"""Advice at draw: equities against ranges, what they decide, and what is told of it."""

import pickle
import random
from dataclasses import replace

import pytest

from bots import draw_advice, five_cards
from bots.advice import Advice, drawn
from bots.draw_advice import Worth, advise, bluff_frequency
from bots.equity.paths import available, kernel
from bots.explanation import text_of
from bots.protocol import Observation, is_legal
from bots.styles import TEMPERS
from engine.cards import parse_cards
from engine.settings import BotStyle
from tests.bots.positions import at_draw, facing_a_bet, postdraw
from tests.bots.test_explanation import A_CARD

BALANCED = TEMPERS[BotStyle.BALANCED]
ACES, NOTHING, ROYAL = "As Ad 9c 5h 3d", "9s 7d 5c 4h 2d", "Ts Js Qs Ks As"


def advice(observation: Observation, seed: int = 1) -> Advice:
    found = advise(observation, BALANCED, seed)
    assert sum(option.chance for option in found.options) == pytest.approx(1)
    return found


def share(found: Advice, kind: str) -> float:
    return sum(option.chance for option in found.options if option.kind == kind)


def equity(observation: Observation) -> float:
    found = advice(observation).explanation.equity
    assert found is not None
    return found


def test_what_cannot_lose_wins_all_and_bets() -> None:
    for draws in ((3,), (0, 1), (3, 2, 1, 0, 3)):
        found = advice(postdraw(ROYAL, draws))
        assert found.explanation.equity == pytest.approx(1, abs=0.001), "another royal flush ties"
        assert share(found, "bet") == 1, "last to act it does not lie in wait"
    assert share(advice(facing_a_bet(ROYAL)), "raise") == 1
    first = replace(postdraw(ROYAL, (3, 1)), button=3)
    assert 0.9 < share(advice(first), "bet") < 1


def test_draw_counts_matter() -> None:
    """A pair of aces beats who drew three far more often than who drew one or stood pat."""
    wins = [equity(postdraw(ACES, (drew,))) for drew in (3, 1, 0)]
    assert wins[0] > wins[1] + 0.1
    assert wins[1] > wins[2] + 0.1


@pytest.mark.parametrize("lead, best", [(0.01, 0), (0.03, 1)])
def test_another_draw_than_the_standard_one_has_to_win_more_by_what_chance_may_be(
    monkeypatch: pytest.MonkeyPatch, lead: float, best: int
) -> None:
    seen = at_draw(ACES, players=3, street="draw", draw=True, draw_max=3)
    standard, *_ = choices = five_cards.best_draws(seen.cards)
    assert len(choices) > 1

    def worth(_: object, discard: tuple[int, ...], lines: object) -> Worth:
        return Worth(0.4 if discard == standard else 0.4 + lead, 0.02, 1000)

    monkeypatch.setattr("bots.draw_advice._Turn.worth", worth)
    (option,) = advice(seen).options
    assert option.cards == choices[best]


def test_more_opponents_take_more_pots() -> None:
    wins = [equity(at_draw(ACES, players=players)) for players in (2, 3, 6)]
    assert wins == sorted(wins, reverse=True)


def test_nothing_is_given_up_to_a_bet_and_better_than_its_price_is_not() -> None:
    assert share(advice(facing_a_bet(NOTHING)), "fold") > 0.8
    assert share(advice(facing_a_bet("Ks Kd 8c 8h 3d")), "fold") == 0


@pytest.mark.parametrize("players, most", [(2, 0.25), (3, 0.07), (4, 0.0), (6, 0.0)])
def test_bluffs_are_limited_and_rarer_against_more(players: int, most: float) -> None:
    """At a bet of s pots s / (1 + 2 s) of all bets; with three opponents or more none at all."""
    seen = postdraw(NOTHING, (1,) * (players - 1))
    bluffs = share(advice(seen), "bet")
    assert bluffs == pytest.approx(bluff_frequency(seen))
    assert bluffs <= most
    assert (bluffs > 0) == (most > 0)


@pytest.mark.parametrize("path", available())
@pytest.mark.parametrize("own", [ACES, "9s 9c 9d 6h 5c", "As Ad 9s 5s 3s", "Ks Kd 8c 8h 3d"])
def test_the_draw_that_wins_most_is_made(own: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_EQUITY_PATH", path)
    seen = at_draw(own, players=3, street="draw", draw=True, draw_max=3)
    found = advice(seen)
    (option,) = found.options
    assert option.cards in five_cards.best_draws(seen.cards)
    action = drawn(found, seen, random.Random(1))
    assert is_legal(action, seen)
    assert action.cards == option.cards
    assert action.explanation is not None
    assert action.explanation.drawn == f"draw {len(option.cards)}"


def test_advice_depends_on_observation_temper_and_seed_alone() -> None:
    seen = at_draw(ACES, players=4)
    assert advise(pickle.loads(pickle.dumps(seen)), BALANCED, 7) == advise(seen, BALANCED, 7)
    assert advise(seen, BALANCED, 8).explanation.equity != advise(seen, BALANCED, 7).explanation.equity


def test_an_explanation_tells_ranges_equity_error_odds_mix_and_lot_and_no_card() -> None:
    spots = (
        at_draw(ACES, players=4),
        facing_a_bet("Ks Kd 8c 8h 3d", (3, 1)),
        postdraw(NOTHING, (1,)),
        at_draw(ACES, players=3, street="draw", draw=True, draw_max=3),
    )
    for seen in spots:
        why = drawn(advice(seen), seen, random.Random(2)).explanation
        assert why is not None
        assert why.ranges.startswith("seat 2 ")
        assert why.equity is not None
        assert why.error is not None
        assert (why.samples > 0) == (why.error > 0)
        assert (why.pot_odds is None) == seen.draw
        assert why.mix
        assert why.lot is not None
        assert not A_CARD.search(text_of(why)), text_of(why)


def test_what_is_cheap_is_counted_exactly() -> None:
    why = advice(postdraw(ACES, (3,))).explanation
    assert why.samples
    why = advice(postdraw("Ks Kd 8c 8h 3d", (0,))).explanation
    assert (why.error, why.samples) == (0, 0)


def test_known_cards_are_never_dealt_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Own cards, those that the bot will discard, and cards that were turned up."""
    asked: list[set[int]] = []
    sample = kernel(available()[0]).draw_sample

    def noted(kept: bytes, opponents: object, dead: bytes, seed: int, samples: int) -> object:
        asked.append({*kept, *dead})
        return sample(kept, opponents, dead, seed, samples)  # type: ignore[arg-type]

    monkeypatch.setattr(draw_advice, "CHEAP", dict.fromkeys(available(), 0))
    monkeypatch.setattr(
        "bots.equity.questions.DrawQuestion.sample",
        lambda self, _k, seed, samples, wide: noted(self.kept, self.opponents, self.dead, seed, samples),
    )
    seen = at_draw(ACES, players=3, street="draw", draw=True, draw_max=3)
    shown = tuple(parse_cards("2c 2d"))
    seen = replace(seen, seats=(*seen.seats[:2], seen.seats[2]._replace(shown=shown)))
    advice(seen)
    assert asked
    assert all(known == {*seen.cards, *shown} for known in asked)


def test_ranges_that_leave_each_other_no_cards_still_have_an_answer() -> None:
    """Five opponents with three of a kind each, and most of the pairs turned up: the widest become any five cards."""
    seen = postdraw(ACES, (2, 2, 2, 2, 2), [("postdraw", seat, "raise", 4) for seat in range(2, 7)])
    gone = tuple(parse_cards("2c 2d 3c 4d 4c 5d 5c 6d 6c 7d 7c 8d 8c Tc Td Jc Jd Qc Qd Kc"))
    seen = replace(seen, seats=(seen.seats[0], seen.seats[1]._replace(shown=gone[:17]), *seen.seats[2:]))
    assert 0 <= equity(seen) <= 1
