"""A bot takes its time by public facts and chance alone."""

import random
from dataclasses import replace

import pytest

from bots.arena import deal, seated, shuffled, to_act
from bots.manners import LEAST, MOST, SAMPLING, sampling_budget, thinking_time
from bots.protocol import Observation, observe
from engine.game import Game
from engine.settings import BotSpeed, Settings, make_settings
from engine.view import view_of


def observation(**given: object) -> Observation:
    settings = make_settings(Game.HOLDEM, {"seats": 3, **given})
    assert isinstance(settings, Settings)
    table = deal(seated(settings, 3), shuffled(random.Random(1)))
    return observe(view_of(table, to_act(table)))


def times(seen: Observation, speed: BotSpeed, count: int = 500) -> list[int]:
    rng = random.Random(5)
    return [thinking_time(seen, speed, rng) for _ in range(count)]


def test_a_natural_bot_takes_between_600_ms_and_2_5_s() -> None:
    taken = times(observation(), BotSpeed.NATURAL)
    assert LEAST <= min(taken) < max(taken) <= MOST
    assert len(set(taken)) > 100


def test_a_fast_bot_takes_about_a_quarter_and_an_instant_one_nothing() -> None:
    seen = observation()
    natural, fast = (sum(times(seen, speed)) for speed in (BotSpeed.NATURAL, BotSpeed.FAST))
    assert fast == pytest.approx(natural / 4, rel=0.02)
    assert set(times(seen, BotSpeed.INSTANT)) == {0}


def test_no_bot_takes_more_than_a_third_of_the_turn() -> None:
    assert max(times(observation(turn_time=1000), BotSpeed.NATURAL)) == 333


def test_a_dear_call_takes_longer_than_a_free_check() -> None:
    cheap, dear = (replace(observation(), call=call, pot=30) for call in (0, 30))
    assert sum(times(dear, BotSpeed.NATURAL)) > 1.3 * sum(times(cheap, BotSpeed.NATURAL))


def test_the_time_does_not_depend_on_the_cards() -> None:
    """A timing tell would be a card shown (rules: by the timing of a message)."""
    seen = observation()
    own = times(seen, BotSpeed.NATURAL, 20)
    assert all(
        times(replace(seen, cards=(card, (card + step) % 52)), BotSpeed.NATURAL, 20) == own
        for card in range(52)
        for step in (1, 4, 7)
    )


@pytest.mark.parametrize("speed", list(BotSpeed))
@pytest.mark.parametrize("turn_time", [1_000, 20_000])
def test_what_a_bot_samples_fits_into_the_time_that_it_seems_to_take(speed: BotSpeed, turn_time: int) -> None:
    """Else the time would tell how much there was to sample, and so of its cards."""
    seen = observation(turn_time=turn_time)
    rng = random.Random(5)
    for _ in range(100):
        taken = thinking_time(seen, speed, rng, samples=True)
        assert min(SAMPLING, turn_time // 3) <= taken <= turn_time // 3
        assert 200 <= sampling_budget(taken) < taken
