"""The hard bot of draw: by the table heads-up, as often as it mixes, and by what was sampled where there is none."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path as File

import pytest

from bots.arena import seated
from bots.draw_solver.draw_table import DrawTable
from bots.draw_solver.shelf import Shelf
from bots.draw_solver.stakes import Stakes
from bots.draw_solver.table import file_name, load, save
from bots.draw_solver.trainer import train
from bots.explanation import Path, explanation_to_plain
from bots.hard import HardDraw, InOneGo, may_sample
from bots.protocol import is_legal
from bots.styles import TEMPERS, Temper
from engine.settings import BotStyle
from tests.bots.draw_solver.test_draw_table import at_random, felt, turns

STYLES = [TEMPERS[style] for style in BotStyle]
BALANCED = TEMPERS[BotStyle.BALANCED]


@pytest.mark.parametrize("temper", STYLES)
def test_heads_up_it_decides_as_often_as_the_table_mixes(temper: Temper) -> None:
    """In every style: what a table plays is not bent."""
    rng = random.Random(4)
    player, table = HardDraw(temper), DrawTable(load())
    for seen in turns(felt(), 20, at_random(6)):
        assert not may_sample(seen)
        assert player.job(seen, rng) is None
        counts = Counter(player.answer(seen, (), rng) for _ in range(2000))
        shares = {option.action: option.chance for option in table.mix(seen)}
        assert set(counts) <= set(shares)
        for action, share in shares.items():
            assert counts[action] / 2000 == pytest.approx(share, abs=0.05)


def test_a_decision_of_the_table_is_told_as_one() -> None:
    rng = random.Random(5)
    player = HardDraw(BALANCED)
    for seen in turns(felt(), 60, at_random(7)):
        why = player.answer(seen, (), rng).explanation
        assert why is not None
        assert (why.rule, why.path) == ("equilibrium", Path.TABLE.value)
        assert why.lot is not None
        assert (why.pot_odds is None) == seen.draw
        assert sum(share for _, share in why.mix) == pytest.approx(1)


def test_all_in_with_less_than_a_bet_it_samples() -> None:
    """What the table does not know."""
    rng = random.Random(6)
    short = seated(felt(given={"all_in": True, "min_buy_in": 4, "max_buy_in": 400}).settings, 2, 9)
    sampled = 0
    for seen in turns(short, 80, at_random(8)):
        action = InOneGo(HardDraw(BALANCED)).decide(seen, rng)
        assert is_legal(action, seen)
        why = action.explanation
        assert why is not None
        assert (why.path == Path.IN_PROCESS) == may_sample(seen)
        sampled += may_sample(seen)
    assert sampled


def test_other_stakes_are_sampled_until_their_table_is_there(tmp_path: File) -> None:
    stakes = Stakes(ante=2, small_bet=2, big_bet=4, raise_cap=1)
    wanted: list[Stakes] = []
    shelf = Shelf(tmp_path, wanted.append)
    player, rng = HardDraw(BALANCED, shelf), random.Random(7)
    seen = turns(felt(given={"ante": 2, "raise_cap": 1}), 40, at_random(9))
    for each in seen:
        assert may_sample(each, shelf)
        assert player.job(each, rng) is not None
    assert set(wanted) == {stakes.lowest}
    save(train(stakes, 2), tmp_path / file_name(stakes))
    for each in seen:
        assert not may_sample(each, shelf)
        assert player.job(each, rng) is None
        why = player.answer(each, (), rng).explanation
        assert why is not None
        assert why.path == Path.TABLE


def test_whether_it_samples_depends_on_public_facts_alone() -> None:
    rng = random.Random(8)
    tables = (felt(), felt(3), felt(given={"ante": 2}), felt(given={"raise_cap": 5}))
    for table in tables:
        for seen in turns(table, 100, at_random(10)):
            player = HardDraw(BALANCED)
            others = [replace(seen, cards=tuple(rng.sample(range(52), 5))) for _ in range(3)]
            for each in (seen, *others):
                assert may_sample(each) == may_sample(seen)
                assert (player.job(each, rng) is not None) == may_sample(seen)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_decision_is_legal_and_tells_plain_figures(players: int) -> None:
    rng = random.Random(9)
    given: dict[str, object] = {"ante": 2} if players == 2 else {}
    for seen in turns(felt(players, given=given), 60, at_random(11)):
        action = InOneGo(HardDraw(BALANCED)).decide(seen, rng)
        assert is_legal(action, seen), (action, seen)
        assert action.explanation is not None
        told = explanation_to_plain(action.explanation)
        assert {"rule", "ranges", "equity", "error", "mix", "lot", "path"} <= set(told)
