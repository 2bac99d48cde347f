"""Pots of any contributions at all, against a twin that moves one chip at a time."""

from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from engine.events import HandStarted
from engine.game import Game
from engine.hand import Hand, Part
from engine.pots import pots, split, uncalled_bet
from engine.settings import rules_of
from engine.units import Chips, HandNumber, Millis, Seat
from tests.engine.felt import settings
from tests.properties import naive

quick = effort(max_examples=300, deadline=None, derandomize=True, database=None)
Put = tuple[int, int, bool]
"""What a seat put in, its dead small blind besides, and whether it folded."""
puts = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from((0, 0, 0, 1, 5)), st.booleans()), min_size=2, max_size=9
).filter(lambda table: not all(folded for _, _, folded in table))


def hand_of(table: list[Put]) -> Hand:
    """A hand in which these amounts are in."""
    seats = tuple(Seat(place) for place in range(1, len(table) + 1))
    stacks = tuple(Chips(0) for _ in seats)
    started = HandStarted(HandNumber(1), seats[-1], seats[0], seats[1], seats, stacks, Millis(0))
    hand = Hand(rules_of(settings(Game.HOLDEM)), started, len(seats))
    hand.contributions = [Chips(0), *(Chips(live + dead) for live, dead, _ in table)]
    hand.dead = [Chips(0), *(Chips(dead) for _, dead, _ in table)]
    hand.parts = [Part.OUT, *(Part.FOLDED if folded else Part.LIVE for _, _, folded in table)]
    return hand


def facts(table: list[Put]) -> tuple[dict[int, int], int, list[int]]:
    """What is in by seat, how much of it is dead, and who is live."""
    put_in = {seat: live for seat, (live, _, _) in enumerate(table, 1)}
    live_seats = [seat for seat, (_, _, folded) in enumerate(table, 1) if not folded]
    return put_in, sum(dead for _, dead, _ in table), live_seats


@quick
@given(table=puts)
def test_pots_are_those_of_one_chip_at_a_time(table: list[Put]) -> None:
    """P1, P2, P3, P6: both twins and the engine, to the chip and the seat."""
    put_in, dead, live = facts(table)
    made = [(amount, tuple(sorted(seats))) for amount, seats in pots(hand_of(table))]
    assert made == naive.chip_by_chip(put_in, dead, live) == naive.peeled(put_in, dead, live)
    assert sum(amount for amount, _ in made) == sum(put_in.values()) + dead
    assert len({seats for _, seats in made}) == len(made)


@quick
@given(table=puts, folded=st.lists(st.tuples(st.integers(0, 12), st.just(0), st.just(True)), max_size=4))
def test_folded_chips_never_split_a_pot(table: list[Put], folded: list[Put]) -> None:
    """P6: however many fold with whatever is in, the pots stay as many and are won by the same."""
    eligible = [seats for _, seats in pots(hand_of(table))]
    more = [seats for _, seats in pots(hand_of([*table, *folded]))]
    assert more[len(more) - len(eligible) :] == eligible
    assert len(more) <= len({live for live, _, out in table if not out}), (
        "a level for each live contribution at most"
    )


@quick
@given(table=puts)
def test_what_comes_back_is_what_nobody_matched(table: list[Put]) -> None:
    """N17: measured against any other player, folded ones too; dead money does not count."""
    put_in, _, live = facts(table)
    assert uncalled_bet(hand_of(table)) == naive.uncalled(put_in, live)


@quick
@given(amount=st.integers(0, 2**62), count=st.integers(1, 9))
def test_shares_add_up_and_differ_by_a_chip_at_most(amount: int, count: int) -> None:
    """P5: odd chips go one each from the first winner on."""
    winners = tuple(Seat(seat) for seat in range(1, count + 1))
    assert list(split(Chips(amount), winners)) == naive.shares(amount, winners)
    assert sum(split(Chips(amount), winners)) == amount
