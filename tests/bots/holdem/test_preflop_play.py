"""Before the flop: tables by position, price and stack, which a salon plays without numpy."""

import random
import subprocess
import sys
from collections import Counter

import pytest

from bots.holdem.opening_chart import Plan, Spot, on_line, plan, raising, staying
from bots.holdem.order import place
from bots.holdem.preflop_play import decide
from bots.holdem.preflop_story import story
from bots.holdem.stacking_off import equity_against
from bots.push_fold.charts import call_frequency, jam_frequency
from bots.styles import TEMPERS
from engine.cards import parse_cards
from engine.settings import BotStyle
from tests.bots.positions import Line, preflop

BALANCED = TEMPERS[BotStyle.BALANCED]


def kinds(own: str, *, tries: int = 400, **spot: object) -> dict[str, float]:
    """How often each kind of action is taken."""
    observation = preflop(own, **spot)  # type: ignore[arg-type]  # the names are those of `preflop`
    rng = random.Random(1)
    counts = Counter(decide(observation, BALANCED, rng).kind for _ in range(tries))
    return {kind: count / tries for kind, count in counts.items()}


FOLDS: Line = [("preflop", number, "fold", 0) for number in (4, 5, 6)]
PLAYS = [
    ("under the gun a poor king folds", "Kh 8d", {"players": 6}, "fold"),
    ("under the gun aces raise", "Ah Ad", {"players": 6}, "raise"),
    ("heads-up the button raises nearly anything", "Kh 4d", {}, "raise"),
    ("heads-up a poor hand folds even so", "7h 2d", {}, "fold"),
    ("a middling hand calls a raise for its price", "Ah 9d", {"line": [("preflop", 1, "call", 2), ("preflop", 2, "raise", 6)]}, "call"),
    ("kings raise again", "Kh Kd", {"line": [("preflop", 2, "raise", 6)]}, "raise"),
    ("trash folds to a raise", "8h 2d", {"line": [("preflop", 2, "raise", 6)]}, "fold"),
    ("a good hand folds to a bet of half the stack", "Kh 9d", {"line": [("preflop", 2, "raise", 100)]}, "fold"),
]  # fmt: skip


@pytest.mark.parametrize("name, own, spot, kind", PLAYS, ids=[play[0] for play in PLAYS])
def test_before_the_flop(name: str, own: str, spot: dict[str, object], kind: str) -> None:
    assert kinds(own, **spot).get(kind, 0) > 0.9, name  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("blinds", [5, 8, 11])
@pytest.mark.parametrize("own", ["Js 4s", "9h 5d", "Kh 2d", "6s 3s"])
def test_short_stacks_push_or_fold_as_often_as_the_equilibrium(own: str, blinds: int) -> None:
    found = kinds(own, stack=2 * blinds)
    expected = jam_frequency(parse_cards(own), blinds)
    assert found.get("raise", 0) == pytest.approx(expected, abs=0.08)
    assert set(found) <= {"raise", "fold"}


@pytest.mark.parametrize("own", ["Ah 2d", "Qs 5s", "8h 3d"])
def test_short_stacks_call_all_in_as_often_as_the_equilibrium(own: str) -> None:
    line = [("preflop", 2, "raise", 16)]
    found = kinds(own, stack=16, line=line)
    assert found.get("call", 0) == pytest.approx(call_frequency(parse_cards(own), 8), abs=0.08)


def test_shares_get_narrower_with_players_behind_raises_and_price() -> None:
    def spot(**changes: object) -> Spot:
        usual = Spot(
            seats=6,
            behind=3,
            raises=0,
            limpers=0,
            free=False,
            last=False,
            in_position=True,
            odds=0.3,
            opened=0.3,
        )
        return usual._replace(**changes)  # type: ignore[arg-type]  # the names are fields

    opening = [plan(spot(behind=behind)).value for behind in (2, 3, 4, 5, 6, 7, 8)]
    assert opening == sorted(opening, reverse=True)
    raised = [plan(spot(raises=raises)) for raises in (1, 2, 3)]
    assert raised[0].value < raised[0].call < 0.4
    cheap, dear = (plan(spot(raises=1, odds=odds)).call for odds in (0.2, 0.45))
    assert cheap > dear
    assert plan(spot(raises=1), 1.3).call > plan(spot(raises=1)).call


@pytest.mark.parametrize(
    "of", [Plan(0.1, 0.4, 0.03), Plan(0.84, 0.84, 0.0), Plan(1.0, 1.0, 0.0), Plan(0.014, 0.014, 0.005)]
)
def test_the_weight_that_acts_is_the_share_that_the_plan_says(of: Plan) -> None:
    """The lines over the places enclose the shares, soft at their ends."""
    grid = [at / 2000 for at in range(2000)]
    raises = sum(on_line(raising(of), at) for at in grid) / 2000
    stays = sum(on_line(staying(of), at) for at in grid) / 2000
    assert raises == pytest.approx(of.value + of.bluff, abs=0.04)
    assert stays == pytest.approx(of.call, abs=0.025)


def test_the_story_tells_each_spot_as_it_was() -> None:
    line = [
        ("preflop", 4, "raise", 6),
        ("preflop", 5, "fold", 0),
        ("preflop", 6, "call", 6),
        ("preflop", 1, "raise", 26),
    ]
    told, now = story(
        preflop("Ah Ad", players=6, line=[*line, ("preflop", 2, "fold", 1), ("preflop", 3, "fold", 2)])
    )
    assert [each.spot.raises for each in told[:4]] == [0, 1, 1, 1]
    assert told[0].spot.behind == 5
    assert told[2].spot.odds == pytest.approx(6 / 15)
    assert told[3].spot.in_position
    assert now.raises == 2
    assert not now.in_position
    assert now.opened < told[1].spot.opened


def test_equity_against_a_share_is_that_of_its_hands() -> None:
    """Against the very best, nearly that against aces; against all, that against any hand."""
    assert 0.18 < equity_against(parse_cards("Ks Kd"), 0.005) < 0.55
    assert equity_against(parse_cards("As Ad"), 1.0) == pytest.approx(0.852, abs=0.001)
    assert equity_against(parse_cards("7s 2d"), 1.0) == pytest.approx(0.346, abs=0.002)
    assert place(parse_cards("As Ad")) < place(parse_cards("7s 2d"))


def test_tables_are_played_without_numpy() -> None:
    """It costs a salon a fifth of a second and 17 MB, for what its workers do."""
    code = (
        "import random, sys; from tests.bots.positions import preflop; from bots.roster import bot;"
        "from engine.game import Game; from engine.settings import BotLevel, BotStyle;"
        "hard = bot(Game.HOLDEM, BotLevel.HARD, BotStyle.BALANCED);"
        "[hard.decide(preflop('Qs Qd', stack=stack), random.Random(1)) for stack in (16, 200)];"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=".").returncode == 0
