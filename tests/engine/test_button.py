"""The button and the blinds over several hands: who is dealt in, and who posts."""

import pytest

from engine.commands import LOTS, VoidHand
from engine.events import BlindsMissed, ButtonDrawn, HandVoided, PlayPaused
from engine.game import Game
from engine.table import Dues
from engine.units import Seat
from tests.engine.house import House

Hand = tuple[str, int, int, int, str]
"""What changes before the hand, then the button's seat, who posts the small blind, who the big, who is dealt in."""


def play_hands(house: House, hands: list[Hand]) -> None:
    """Deal and fold out one hand after another, each after its changes."""
    for number, (changes, button, small, big, dealt) in enumerate(hands, 1):
        for step in changes.split():
            house.change(step)
        house.deal()
        seats = "".join(str(seat) for seat in sorted(house.dealt))
        assert (*house.blinds, seats) == (button, small, big, dealt), f"hand {number}"
        house.fold_out()


B0_CASES = [
    (lot, seats) for seats in ((2, 3), (1, 4, 6), (1, 2, 3, 4, 5, 6, 7, 8, 9)) for lot in (0, 1, 7, 2519)
]


@pytest.mark.parametrize("lot, seats", B0_CASES)
def test_first_button_is_the_lot_counted_over_those_present(lot: int, seats: tuple[int, ...]) -> None:
    """B0, W-L 91: the first button is drawn uniformly among those present, and announced."""
    house = House(seats=9, seated=seats).deal(lot)
    assert house.of(ButtonDrawn) == [ButtonDrawn(Seat(seats[lot % len(seats)]))]
    assert house.table.button == seats[lot % len(seats)]
    assert house.kinds()[:2] == ["ButtonDrawn", "HandStarted"]


@pytest.mark.parametrize("count", range(2, 10))
def test_every_seat_has_the_same_number_of_lots(count: int) -> None:
    """B0: a uniform lot makes a uniform button."""
    assert LOTS % count == 0


def test_who_sits_out_is_not_in_the_first_draw() -> None:
    """B0: present is seated, not sitting out, with chips."""
    house = House(seated=(1, 2, 3)).sit_out(1).deal(0)
    assert house.table.button == 2
    assert house.dealt == (3, 2)


def test_after_a_pause_for_want_of_players_a_new_button_is_drawn_and_nobody_owes() -> None:
    """B0: play had paused: all present are dealt in, newcomers too, and nobody owes anything."""
    house = House(seated=(1, 2, 3)).deal().fold_out().sit_out(1).deal().fold_out()
    house.sit_out(2)
    assert house.of(PlayPaused) == [PlayPaused()]
    assert house.player(1).dues is Dues.BIG
    house.join(5).deal(1)
    assert house.of(ButtonDrawn) == [ButtonDrawn(Seat(5))]
    assert sorted(house.dealt) == [3, 5]
    assert [kind for _, kind, _ in house.posts] == ["small", "big"]
    assert {house.player(seat).dues for seat in (1, 2, 3, 5)} == {Dues.NOTHING}


def test_two_who_could_be_dealt_in_go_on_without_a_new_button() -> None:
    """B0: the big blind is due to the newcomer, so two can be dealt in under B4."""
    house = House(seated=(1, 2)).deal(0).join(5).fold_out().leave(2)
    assert not house.table.paused
    house.deal(1)
    assert house.of(ButtonDrawn) == []
    assert house.blinds == (1, 1, 5)


def test_waiting_alone_with_one_newcomer_draws_a_button() -> None:
    """B0: the big blind is due to the regular, so under B4 he alone could be dealt in."""
    house = House(seated=(1, 3)).deal(0)  # button and small blind 1, big blind 3
    house.join(2).fold_out().leave(3)
    assert not house.table.paused
    house.deal(1)
    assert house.of(ButtonDrawn) == [ButtonDrawn(Seat(2))]
    assert house.blinds == (2, 2, 1)
    assert house.player(2).dues is Dues.NOTHING


def test_one_regular_and_one_who_would_post_draw_a_button() -> None:
    """B0, B2: a hand of two has no place for a poster, so under B4 one alone could be dealt in."""
    house = House(seated=(1, 2, 3, 4)).deal(0).join(5).sit_in(5, post=True).fold_out()
    house.leave(1).leave(2).leave(3).deal(1)
    assert house.of(ButtonDrawn) == [ButtonDrawn(Seat(5))]
    assert house.posts == [(5, "small", 1), (4, "big", 2)]


def test_a_pause_that_is_not_for_want_of_players_keeps_the_button_going() -> None:
    """B0: a pause because nobody watches is not one; the next hand is only later."""
    house = House(seated=(1, 2, 3)).deal().fold_out().wait(10_000_000).deal()
    assert house.of(ButtonDrawn) == []
    assert house.blinds == (2, 3, 1)


def test_heads_up_the_button_posts_the_small_blind_and_acts_first() -> None:
    """B1, W-T 87: and last after the flop."""
    house = House(seated=(1, 2)).deal(0)
    assert house.blinds == (1, 1, 2)
    assert house.dealt == (2, 1)
    assert house.turn == 1


def test_heads_up_draw_the_other_player_acts_first() -> None:
    """B1: in draw there are no blinds, and the button acts last."""
    house = House(Game.DRAW, seated=(1, 2)).deal(0)
    assert house.table.button == 1
    assert house.turn == 2


THREE = [("", 1, 2, 3, "123")]
FROM_THREE_TO_TWO: list[tuple[str, list[Hand]]] = [
    ("the button leaves", [("-1", 3, 3, 2, "23"), ("", 2, 2, 3, "23")]),
    ("the small blind leaves", [("-2", 3, 3, 1, "13"), ("", 1, 1, 3, "13")]),
    ("the big blind leaves", [("-3", 2, 2, 1, "12"), ("", 1, 1, 2, "12")]),
    ("the big blind sits out", [("o3", 2, 2, 1, "12"), ("", 1, 1, 2, "12")]),
    ("one would post", [("+4 +5 p5 -1 -2", 3, 3, 4, "34"), ("", 3, 4, 5, "345")]),
]


@pytest.mark.parametrize("_name, hands", FROM_THREE_TO_TWO, ids=[name for name, _ in FROM_THREE_TO_TWO])
def test_from_three_to_two_nobody_posts_the_big_blind_twice_running(_name: str, hands: list[Hand]) -> None:
    """B2, W-T 87."""
    play_hands(House(seated=(1, 2, 3)), [*THREE, *hands])


FROM_TWO_TO_THREE: list[tuple[str, tuple[int, int], list[Hand]]] = [
    # Heads-up 1 has the button and 3 the big blind, or the other way round; the newcomer's place decides.
    ("the newcomer is due at once", (1, 3), [("+5", 1, 3, 5, "135"), ("", 3, 5, 1, "135")]),
    (
        "the newcomer waits a hand",
        (1, 3),
        [("+2", 3, 3, 1, "13"), ("", 3, 1, 2, "123"), ("", 1, 2, 3, "123")],
    ),
    ("nobody posts to come in while two play", (1, 3), [("+2 p2", 3, 3, 1, "13"), ("", 3, 1, 2, "123")]),
    ("two newcomers come in one by one", (1, 3), [("+4 +5", 1, 3, 4, "134"), ("", 3, 4, 5, "1345")]),
]


@pytest.mark.parametrize(
    "_name, seated, hands", FROM_TWO_TO_THREE, ids=[name for name, *_ in FROM_TWO_TO_THREE]
)
def test_from_two_to_three_the_last_blinds_move_back_and_the_newcomer_has_the_big_blind(
    _name: str, seated: tuple[int, int], hands: list[Hand]
) -> None:
    """B2: the last big blind posts the small one, the last small blind keeps the button."""
    play_hands(House(seated=seated), [("", seated[0], seated[0], seated[1], "13"), *hands])


def test_who_comes_back_between_two_blinds_waits_for_the_big_one() -> None:
    """B2, B4: he was no part of the first draw and missed nothing, but the button's seat is not to be had."""
    house = House(seated=(1, 2, 3))
    play_hands(
        house, [*THREE, ("o1 o2 o3 i1 i3", 1, 1, 3, "13"), ("i2", 3, 3, 1, "13"), ("", 3, 1, 2, "123")]
    )


FIVE = ("", 1, 2, 3, "12345")
DEAD_BUTTON: list[tuple[str, list[Hand]]] = [
    (
        "nobody leaves",
        [
            ("", 2, 3, 4, "12345"),
            ("", 3, 4, 5, "12345"),
            ("", 4, 5, 1, "12345"),
            ("", 5, 1, 2, "12345"),
            ("", 1, 2, 3, "12345"),
        ],
    ),
    ("the big blind busts", [("-3", 2, 0, 4, "1245"), ("", 3, 4, 5, "1245"), ("", 4, 5, 1, "1245")]),
    ("the small blind busts", [("-2", 2, 3, 4, "1345"), ("", 3, 4, 5, "1345"), ("", 4, 5, 1, "1345")]),
    ("both blinds bust", [("-2 -3", 2, 0, 4, "145"), ("", 3, 4, 5, "145"), ("", 4, 5, 1, "145")]),
    ("the button leaves", [("-1", 2, 3, 4, "2345"), ("", 3, 4, 5, "2345"), ("", 4, 5, 2, "2345")]),
    ("the next big blind leaves", [("-4", 2, 3, 5, "1235"), ("", 3, 5, 1, "1235"), ("", 5, 1, 2, "1235")]),
    ("the next big blind sits out", [("o4", 2, 3, 5, "1235"), ("", 3, 5, 1, "1235")]),
    ("the big blind sits out", [("o3", 2, 0, 4, "1245"), ("", 3, 4, 5, "1245")]),
]


@pytest.mark.parametrize("_name, hands", DEAD_BUTTON, ids=[name for name, _ in DEAD_BUTTON])
def test_big_blind_and_button_move_every_hand(_name: str, hands: list[Hand]) -> None:
    """B3, W-L 151, W-T 85: the dead button; the small blind's seat is the old big blind's, occupied or not."""
    play_hands(House(seats=5, seated=(1, 2, 3, 4, 5)), [FIVE, *hands])


def test_nobody_but_the_last_blinds_plays_between_button_and_big_blind() -> None:
    """B4: who sat out between the blinds of a fresh start waits until the button has passed him."""
    house = House(seats=5, seated=(1, 2, 3, 4, 5))
    play_hands(
        house,
        [
            FIVE,
            ("o1 o2 o3 o4 o5 i1 i2 i4 i5", 1, 2, 4, "1245"),
            ("i3", 2, 4, 5, "1245"),
            ("", 4, 5, 1, "12345"),
        ],
    )


def test_three_with_dead_button_and_small_blind_may_be_one_regular_and_two_who_post() -> None:
    """B3, B4: the big blind and two live posts."""
    house = House(seated=(1, 2, 3, 4)).deal(0).join(5).sit_in(5, post=True).join(6).sit_in(6, post=True)
    house.fold_out().leave(1).leave(2).leave(3).deal()
    assert (house.blinds, house.dealt) == ((2, 0, 4), (4, 5, 6))
    assert house.posts == [(4, "big", 2), (5, "big", 2), (6, "big", 2)]


def test_in_draw_the_button_goes_to_the_next_dealt_in_seat() -> None:
    """B3: in draw there is no dead button."""
    house = House(Game.DRAW, seated=(1, 2, 4, 6))
    buttons = []
    for _ in range(4):
        house.deal(0).fold_out()
        buttons.append(house.table.button)
        if len(buttons) == 1:
            house.leave(2)
    assert buttons == [1, 4, 6, 1]
    house.join(3).deal()
    assert (house.table.button, house.dealt) == (3, (4, 6, 1, 3))


def test_a_newcomer_in_the_small_blinds_seat_waits() -> None:
    """B3b: both blinds bust, a newcomer takes seat 3, and may post only behind the button."""
    hands: list[Hand] = [
        FIVE,
        ("-2 -3 +3 p3", 2, 0, 4, "145"),
        ("", 3, 4, 5, "145"),
        ("", 4, 5, 1, "1345"),
    ]
    house = House(seats=5, seated=(1, 2, 3, 4, 5))
    play_hands(house, hands)
    assert house.player(3).dues is Dues.NOTHING
    assert not any(isinstance(event, BlindsMissed) for event in house.log), "a newcomer misses nothing"


def test_a_newcomer_who_does_not_ask_waits_for_the_big_blind() -> None:
    """B3b, B4: the same newcomer without asking to post."""
    hands: list[Hand] = [
        FIVE,
        ("-2 -3 +3", 2, 0, 4, "145"),
        ("", 3, 4, 5, "145"),
        ("", 4, 5, 1, "145"),
        ("", 5, 1, 3, "1345"),
    ]
    play_hands(House(seats=5, seated=(1, 2, 3, 4, 5)), hands)


PASSED_OVER: list[tuple[str, str, Dues]] = [
    ("sits out", "o4", Dues.BIG),
    ("leaves and is back as a newcomer", "-4 +4 o4", Dues.NEWCOMER),
]


@pytest.mark.parametrize("_name, changes, dues", PASSED_OVER, ids=[name for name, *_ in PASSED_OVER])
def test_who_is_away_when_the_big_blind_is_due_is_passed_over(_name: str, changes: str, dues: Dues) -> None:
    """B3c: who left owes nothing, and rejoining is a newcomer's."""
    house = House(seats=5, seated=(1, 2, 3, 4, 5))
    play_hands(house, [FIVE, (changes, 2, 3, 5, "1235")])
    assert house.player(4).dues is dues


def test_a_void_hand_leaves_button_blinds_and_dues_as_if_not_dealt() -> None:
    """V1, B3: the next hand has the blinds that the void one had."""
    house = House(seats=5, seated=(1, 2, 3, 4)).deal().fold_out().sit_out(4).join(5)
    house.deal()
    assert (house.blinds, house.player(4).dues, house.player(5).dues) == ((2, 3, 5), Dues.BIG, Dues.NOTHING)
    house.do(VoidHand("quarantined"))
    assert len(house.of(HandVoided)) == 1
    assert (house.player(4).dues, house.player(5).dues) == (Dues.NOTHING, Dues.NEWCOMER)
    house.deal()
    assert house.blinds == (2, 3, 5)


def test_a_void_hand_after_a_pause_draws_a_button_again() -> None:
    """V1, B0: the pause was not ended by a hand that was not dealt."""
    house = House(seated=(1, 2, 3)).deal().fold_out().sit_out(1).sit_out(2).sit_in(1).sit_in(2)
    assert house.deal(0).do(VoidHand("quarantined")).deal(1).of(ButtonDrawn) == [ButtonDrawn(Seat(2))]


def test_a_void_first_hand_draws_a_button_again() -> None:
    """V1, B0: as if it had never been dealt."""
    house = House(seated=(1, 2, 3)).deal(2).do(VoidHand("quarantined")).deal(1)
    assert house.of(ButtonDrawn) == [ButtonDrawn(Seat(2))]
    assert (house.table.hands_dealt, house.table.hand_number) == (1, 2)
