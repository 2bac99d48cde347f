"""What a player owes before he is dealt in: newcomers, returning players, posts."""

import pytest

from engine.cards import FULL_DECK
from engine.commands import AllIn, Call, Fold, SitIn
from engine.events import BlindsMissed
from engine.game import Game
from engine.refusals import Reason
from engine.table import Dues
from engine.units import PlayerId, Seat
from tests.engine.house import House

FIVE = (1, 2, 3, 4, 5)
MIXED = tuple(FULL_DECK[place * 7 % 52] for place in range(52))
"""A deck whose first hands differ."""


def six_max(*seated: int) -> House:
    """After a first hand with button 1, small blind 2 and big blind 3."""
    return House(seats=6, small_blind=5, big_blind=10, seated=seated or FIVE).deal(0).fold_out()


def test_a_newcomer_waits_for_the_big_blind() -> None:
    """B4, W-L 154: seated behind the big blind, he is not dealt in until it is due to him."""
    house = six_max().join(6)
    dealt = []
    for _ in range(3):
        dealt.append(6 in house.deal().dealt)
        house.fold_out()
    assert dealt == [False, False, True]
    assert house.table.big_blind == 6
    assert [event for event in house.log if isinstance(event, BlindsMissed)] == [], "he owes nothing"


def test_a_newcomer_between_big_blind_and_button_may_post_and_has_the_option() -> None:
    """B4: he posts the big blind live instead of waiting for it."""
    house = six_max().join(6).sit_in(6, post=True).deal()
    assert house.blinds == (2, 3, 4)
    assert house.posts == [(3, "small", 5), (4, "big", 10), (6, "big", 10)]
    assert house.turn == 5
    house.act(Call)
    assert house.turn == 6
    hand = house.table.hand
    assert hand is not None
    assert (hand.bets[6], hand.matched[6]) == (10, -1)


def test_asking_to_post_can_be_taken_back() -> None:
    """B4: whoever asked may wait after all; asking twice is refused."""
    house = six_max().join(6)
    assert house.refused(SitIn(PlayerId("p6"))).reason is Reason.ALREADY_SITTING_IN
    house.sit_in(6, post=True)
    assert house.refused(SitIn(PlayerId("p6"), post=True)).reason is Reason.ALREADY_SITTING_IN
    house.sit_in(6)
    assert 6 not in house.deal().dealt


@pytest.mark.parametrize("seat", [2, 3])
def test_nobody_comes_in_from_the_buttons_seat_up_to_the_big_blind(seat: int) -> None:
    """B4: no buying the button; posting helps only behind it."""
    house = six_max().leave(seat).join(seat, player="new").sit_in(seat, post=True)
    assert seat not in house.deal().dealt
    assert house.player(seat).dues is Dues.NEWCOMER_POSTS


RETURNS: list[tuple[str, int, int, int, list[tuple[int, str, int]]]] = [
    # Who sits out, after how many hands more than the first, for how many, and what he posts on his return.
    ("missed none", 1, 0, 1, []),
    ("missed the small blind", 3, 0, 2, [(3, "dead", 5)]),
    ("missed both", 4, 0, 3, [(4, "big", 10), (4, "dead", 5)]),
    ("never more than one of each", 4, 0, 7, [(4, "big", 10), (4, "dead", 5)]),
]


@pytest.mark.parametrize("_name, seat, after, hands, posts", RETURNS, ids=[name for name, *_ in RETURNS])
def test_returning_players_post_what_they_missed(
    _name: str, seat: int, after: int, hands: int, posts: list[tuple[int, str, int]]
) -> None:
    """B4, W-L 155, RRoP 4: dealt in at once, the big blind live and the small one dead."""
    house = six_max()
    for _ in range(after):
        house.deal().fold_out()
    house.sit_out(seat)
    for _ in range(hands):
        house.deal().fold_out()
    house.sit_in(seat).deal()
    assert seat in house.dealt
    assert [post for post in house.posts if post[0] == seat] == posts
    assert house.player(seat).dues is Dues.NOTHING


def test_who_missed_only_the_big_blind_posts_it_live() -> None:
    """B4: a seat that the big blind passed and the small one has not reached comes in behind the button."""
    house = six_max().sit_out(4).deal()
    assert house.of(BlindsMissed) == [BlindsMissed(Seat(4), small=False, big=True)]
    house.fold_out().sit_in(4)
    # Now 4 lies between the small blind (5's turn comes next) and the button: he waits, and the small blind passes too.
    house.deal()
    assert 4 not in house.dealt
    assert house.player(4).dues is Dues.BOTH


def test_the_big_blind_in_turn_pays_for_what_was_missed() -> None:
    """B4, RRoP 4: who is due the big blind owes nothing besides it."""
    house = six_max().sit_out(4)
    for _ in range(4):  # big blinds 5, 1, 2, 3
        house.deal().fold_out()
    assert (house.table.big_blind, house.player(4).dues) == (3, Dues.BOTH)
    house.sit_in(4).deal()
    assert [post for post in house.posts if post[0] == 4] == [(4, "big", 10)]
    assert house.player(4).dues is Dues.NOTHING


def test_missed_antes_are_not_owed() -> None:
    """B4: one ante a hand dealt in, no more."""
    house = House(seated=(1, 2, 3, 4), small_blind=5, big_blind=10, ante=2).deal().fold_out().sit_out(4)
    house.deal().fold_out().sit_in(4).deal().fold_out()
    stack = house.table.accounts[PlayerId("p4")].bought
    assert house.table.stacks[4] >= stack - 2 * 2 - 10 - 5


SHORT: list[tuple[int, list[tuple[int, str, int]], int]] = [
    (30, [(4, "big", 10), (4, "dead", 5)], 3),
    (17, [(4, "big", 10), (4, "dead", 4)], 3),
    (12, [(4, "big", 9)], 3),
    (3, [], 3),
    (2, [], 2),
]


@pytest.mark.parametrize("stack, posts, ante", SHORT)
def test_a_short_stack_posts_ante_then_live_blind_then_dead_blind(
    stack: int, posts: list[tuple[int, str, int]], ante: int
) -> None:
    """B4, A2: nothing is posted twice, nothing for nothing."""
    house = House(seated=FIVE, small_blind=5, big_blind=10, ante=3).deal().fold_out().sit_out(4)
    for _ in range(3):
        house.deal().fold_out()
    house.move_chips(4, 5, house.table.stacks[4] - stack)
    house.sit_in(4).deal()
    assert [post for post in house.posts if post[0] == 4] == posts
    hand = house.table.hand
    assert hand is not None
    assert hand.contributions[4] == ante + sum(amount for _, _, amount in posts)


def test_in_draw_a_newcomer_is_dealt_in_at_the_next_ante() -> None:
    """B4: no blinds, nothing to wait for and nothing to owe."""
    house = House(Game.DRAW, seated=(1, 2)).deal().fold_out().join(5).deal()
    assert sorted(house.dealt) == [1, 2, 5]
    house.fold_out().sit_out(5).deal().fold_out().sit_in(5).deal()
    assert sorted(house.dealt) == [1, 2, 5]
    assert house.posts == []


def test_a_stack_that_the_ante_empties_posts_no_blind() -> None:
    """A2, B4: the big blind's seat stands, though nothing was left for it."""
    house = House(seated=(1, 2), small_blind=5, big_blind=10, ante=10, min_buy_in=10)
    house.join(3, 10).deal(0)
    assert house.blinds == (1, 2, 3)
    assert house.posts == [(2, "small", 5)]


def test_busting_is_not_leaving_and_owes_the_blinds_that_pass() -> None:
    """B4, B11: who busted and comes back owes what passed him meanwhile."""
    house = House(seated=(1, 2, 3, 4), small_blind=5, big_blind=10).deal(0, MIXED)
    house.act(AllIn).act(Fold).act(Fold).act(Call)  # 4 all-in, 3 calls
    busted = 4 if not house.table.stacks[4] else 3
    assert not house.table.stacks[busted]
    house.deal().fold_out().deal().fold_out()
    assert house.player(busted).dues is not Dues.NOTHING
