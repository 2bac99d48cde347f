"""Play: the deal, turns and their clock, leavers and absentees, void hands and reveals."""

import pytest

from engine import play
from engine.betting import live_seats
from engine.cards import FULL_DECK, parse_cards
from engine.commands import ExpireTurn, Reveal, VoidHand
from engine.draft import Draft
from engine.events import (
    BankUsed,
    CardsShown,
    HandVoided,
    HoleCardsDealt,
    Shown,
    TimedOut,
    TimeoutsCleared,
    TurnStarted,
)
from engine.game import Game
from engine.refusals import Reason, Refusal
from engine.table import Presence
from engine.units import TIMER_SLACK, HandNumber, Millis, PlayerId, Turn
from tests.engine.felt import START, Felt, draw_poker, holdem, settings


def reveal(felt: Felt, seat: int, cards: str, *, hand: int = 1) -> Refusal | None:
    draft = Draft(felt.table.copy(), felt.now)
    command = Reveal(PlayerId(f"p{seat}"), HandNumber(hand), parse_cards(cards))
    refusal = play.reveal(draft, command)
    felt.take(draft)
    return refusal


# The deal


@pytest.mark.parametrize(
    "stacks, button, order",
    [([100] * 3, 3, [1, 2, 3]), ([100] * 3, 1, [2, 3, 1]), ([100, 0, 100], 2, [3, 1])],
)
def test_cards_go_round_one_at_a_time(stacks: list[int], button: int, order: list[int]) -> None:
    """C1, W-T 87: clockwise from the first dealt-in seat left of the button, the button's seat taken or not."""
    felt = Felt(settings(Game.HOLDEM, seats=3), stacks).deal(FULL_DECK, button=button)
    count = len(order)
    dealt = {event.seat: event.cards for event in felt.of(HoleCardsDealt)}
    assert list(dealt) == order
    assert [dealt[seat] for seat in order] == [(place, place + count) for place in range(count)]


def test_board_comes_off_the_top_without_burn_cards() -> None:
    """C1: then the board: 3 + 1 + 1."""
    felt = Felt(settings(Game.HOLDEM, seats=2), [100, 100]).deal(FULL_DECK)
    felt.play("x x x x x x x x")
    assert felt.hand.board == FULL_DECK[4:9]


def test_heads_up_the_button_acts_first_before_the_flop_and_last_after() -> None:
    """B1, W-T 87: seat 2 has the button and the small blind."""
    felt = holdem([100, 100])
    assert felt.hand.bets[1:] == [2, 1]
    felt.play("2:c 1:x 1:x 2:x 1:x 2:x 1:x 2:x")


def test_action_starts_left_of_the_big_blind_then_left_of_the_button() -> None:
    """The games: pre-flop from the left of the big blind; later from the first active seat left of the button."""
    felt = holdem([100] * 4).play("3:c 4:c 1:f 2:x 2:x 3:f 4:x 2:x 4:x")
    assert felt.street == "river"


# Turns and time


def test_turn_has_its_number_its_deadline_and_the_bank() -> None:
    """N21, T1: turns count from 1 over the whole hand; the bank runs from the deadline."""
    felt = holdem([100, 100, 100])
    (turn,) = felt.of(TurnStarted)
    assert (turn.turn, turn.deadline, turn.bank) == (1, START + 20_000, 30_000)
    felt.play("3:c 1:c 2:x")
    assert felt.hand.turn == 4


@pytest.mark.parametrize("late, left", [(0, None), (1, 29_999), (29_000, 1_000), (30_000, 0), (30_299, 0)])
def test_bank_is_used_by_itself_after_the_turn_time(late: int, left: int | None) -> None:
    """T1, B6: a command within the slack after the bank still counts, and costs no more than the bank."""
    felt = holdem([100, 100, 100])
    felt.now = Millis(felt.hand.deadline + late)
    felt.play("3:c")
    assert [event.left for event in felt.of(BankUsed)] == ([] if left is None else [left])


@pytest.mark.parametrize(
    "moves, kinds",
    [
        ("", ["BankUsed", "TimedOut", "Folded"]),
        ("3:c 1:c", ["BankUsed", "TimedOut", "Checked"]),
    ],
    ids=["owing", "free"],
)
def test_time_out_checks_if_it_is_free_and_folds_otherwise(moves: str, kinds: list[str]) -> None:
    """B6: the turn time, then the bank."""
    felt = holdem([100, 100, 100]).play(moves)
    felt.events = []
    felt.play("t")
    assert felt.kinds()[:3] == kinds


def test_time_out_at_the_draw_stands_pat() -> None:
    """B6: without a bank there is none to use."""
    felt = draw_poker([500, 500]).play("1:x 2:x t")
    assert felt.kinds()[-4:] == ["BankUsed", "TimedOut", "CardsDrawn", "TurnStarted"]
    assert felt.hand.draws[1] == 0


def test_timer_fires_after_the_slack_and_for_its_own_turn_alone() -> None:
    """B6: at deadline + bank + 300 ms; twice is once."""
    felt = holdem([100, 100, 100])
    command = ExpireTurn(felt.hand.hand, felt.hand.turn)
    draft = Draft(felt.table.copy(), Millis(felt.hand.deadline + 30_000 + TIMER_SLACK - 1))
    early = play.expire_turn(draft, command)
    assert early is not None
    assert (early.reason, early.numbers, draft.events) == (Reason.NOT_READY, (("left", "1"),), [])
    felt.play("t")
    late = play.expire_turn(Draft(felt.table.copy(), felt.now), command)
    assert late is not None
    assert late.reason is Reason.STALE_TURN


def test_who_timed_out_too_often_is_passed_over_for_the_rest_of_the_hand() -> None:
    """B6: two in a row: checked, folded or pat at once, with no turn of his own."""
    felt = holdem([100, 100, 100]).play("3:c 1:c 2:x 1:t 2:x 3:x 1:t 2:x 3:x")
    turns = len(felt.of(TurnStarted))
    felt.play("2:b10")
    assert felt.turn == 3
    assert len(felt.of(TurnStarted)) == turns + 1
    assert 1 in live_seats(felt.hand), "he is passed over when the turn reaches him, not before"
    felt.play("3:c")
    assert 1 not in live_seats(felt.hand)
    assert felt.turn == 0


def test_own_action_resets_the_count_of_time_outs() -> None:
    """B6: any own action in a turn does, the draw too."""
    felt = draw_poker([500, 500]).play("1:t 2:x")
    assert felt.table.timeouts[1] == 1
    felt.play("1:p")
    assert [event.seat for event in felt.of(TimeoutsCleared)] == [1]
    assert len(felt.of(TimedOut)) == 1
    assert felt.table.timeouts[1] == 0


def test_absent_players_are_checked_folded_or_pat_at_once() -> None:
    """B6: an absent player still wins what is checked down. (The turn that had begun is his.)"""
    felt = draw_poker([500, 500, 500], cards=["AsAdAhAcKs"]).absent(1)
    felt.play("1:x 2:x 3:x 2:p 3:p 2:x 3:x")
    assert felt.won == {1: 3}
    owing = draw_poker([500, 500, 500]).absent(3).play("1:b10 2:c")
    assert [kind for _, seat, kind, _ in owing.hand.history if seat == 3] == ["fold"]


def test_all_in_player_stays_live_while_absent() -> None:
    """B7: who is all-in stays live, present or not."""
    felt = holdem([100, 100, 50], cards=["2c7d", "2d7h", "AsAd"], board="3c4dJsQhKs").absent(3)
    felt.table.absent[3] = False
    felt.play("3:a").absent(3).play("1:c 2:f")
    assert felt.won == {3: 102}


# Leaving


def test_leaver_is_folded_at_his_next_betting_turn_and_not_before() -> None:
    """B8: so that neither order nor information changes; his chips stay, also where a check was free."""
    felt = holdem([100, 100, 100]).leave(2)
    assert felt.kinds()[-1] == "LeaveAsked"
    felt.play("3:c 1:c")
    assert felt.street == "flop"
    assert [seat for _, seat, kind, _ in felt.hand.history if kind == "fold"] == [2]
    assert felt.table.seat_of[PlayerId("p2")] == 2, "the seat is free after the hand"
    felt.play("1:x 3:x 1:x 3:x 1:x 3:x")
    assert PlayerId("p2") not in felt.table.seat_of


def test_leaving_in_ones_own_turn_folds_at_once() -> None:
    """B8: the turn is over, and the next player's begins."""
    felt = holdem([100, 100, 100]).leave(3)
    assert felt.kinds()[-3:] == ["LeaveAsked", "Folded", "TurnStarted"]
    assert felt.turn == 1


def test_leaver_stands_pat_at_the_draw() -> None:
    """B8: and is folded at the next betting turn."""
    felt = draw_poker([500, 500, 500]).play("1:x 2:x 3:x").leave(2)
    felt.play("1:p 3:p 1:x")
    assert felt.hand.draws[1:] == [0, 0, 0]
    assert felt.turn == 3


def test_leaver_who_has_no_turn_any_more_shows_down() -> None:
    """B8: he bet, is called, and wins."""
    felt = holdem([100, 100], cards=["AsAd", "KsKd"], board="2c3c7d8h9s")
    felt.play("2:c 1:x 1:x 2:x 1:x 2:x 1:b10")
    felt = felt.leave(1).play("2:c")
    assert felt.won == {1: 24}


def test_last_live_player_takes_the_pot_even_if_he_leaves_too() -> None:
    """B8a, P8: each leaves at his own turn."""
    felt = holdem([100, 100, 100]).leave(1).leave(2).leave(3)
    assert felt.turn == 0
    assert felt.won == {2: 2}
    assert felt.table.seat_of == {}


def test_leaver_who_is_all_in_stays_live_to_the_end() -> None:
    """B9: and may win."""
    felt = holdem([100, 100, 50], cards=["2c7d", "2d7h", "AsAd"], board="3c4dJsQhKs").play("3:a")
    felt = felt.leave(3).play("1:c 2:f")
    assert felt.won == {3: 102}
    assert felt.table.accounts[PlayerId("p3")].taken == 102


def test_who_asked_to_sit_out_in_a_hand_plays_it_on() -> None:
    """B5: he is asked like anybody."""
    felt = holdem([100, 100, 100]).change(3, presence=Presence.SITTING_OUT_NEXT)
    felt.play("3:c 1:c 2:x")
    assert felt.street == "flop"


# Void hands


@pytest.mark.parametrize("moves", ["", "3:r10 1:c", "3:r10 1:c 2:c 1:b20 2:c"])
def test_void_hand_gives_every_contribution_back(moves: str) -> None:
    """V1: no card is shown, and no pot is paid."""
    felt = holdem([100, 60, 100], ante=1).play(moves)
    draft = Draft(felt.table.copy(), felt.now)
    assert play.void(draft, VoidHand("quarantined")) is None
    felt.take(draft)
    assert felt.stacks == [100, 60, 100]
    assert felt.of(HandVoided) == [HandVoided(HandNumber(1), "quarantined", felt.now)]
    assert felt.of(CardsShown) == []
    assert felt.table.hand is None
    assert felt.table.hands_dealt == 0


def test_void_after_an_uncalled_bet_came_back() -> None:
    """V1: in draw betting may be over before the cards are drawn."""
    felt = draw_poker([5, 500], all_in=True).play("1:x 2:b10 1:c")
    draft = Draft(felt.table.copy(), felt.now)
    assert play.void(draft, VoidHand("quarantined")) is None
    assert draft.table.stacks[1:] == [5, 500]


def test_nothing_to_void_between_hands() -> None:
    """V1: only a hand in progress can be void."""
    felt = holdem([100, 100, 100]).play("3:f 1:f")
    refusal = play.void(Draft(felt.table.copy(), felt.now), VoidHand("quarantined"))
    assert refusal is not None
    assert refusal.reason is Reason.NO_HAND


# Reveals


def test_voluntary_reveal_of_one_or_several_final_cards() -> None:
    """S8, S5: whoever held cards may, folded or not; what is shown stays shown."""
    felt = holdem([100, 100, 100], cards=["AsAd", "KsKd"]).play("3:f 1:f")
    assert reveal(felt, 1, "As") is None
    assert reveal(felt, 1, "As Ad") is None
    assert felt.of(CardsShown) == [
        CardsShown(felt.hand.seats[0], parse_cards("As"), Shown.VOLUNTARY),
        CardsShown(felt.hand.seats[0], parse_cards("Ad"), Shown.VOLUNTARY),
    ]
    assert felt.hand.shown[1] == parse_cards("AsAd")


@pytest.mark.parametrize(
    "seat, cards, hand, reason",
    [
        (1, "Ks", 1, Reason.NOT_YOUR_CARD),
        (1, "", 1, Reason.NOTHING_TO_REVEAL),
        (1, "As", 2, Reason.NOTHING_TO_REVEAL),
        (9, "As", 1, Reason.NOT_SEATED),
    ],
)
def test_reveal_is_refused(seat: int, cards: str, hand: int, reason: Reason) -> None:
    """S8: of the own final cards of the hand just over, and of nothing else."""
    felt = holdem([100, 100, 100], cards=["AsAd", "KsKd"]).play("3:f 1:f")
    refusal = reveal(felt, seat, cards, hand=hand)
    assert refusal is not None
    assert refusal.reason is reason


def test_reveal_never_shows_discards() -> None:
    """S8: the final cards alone."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c"], then="AsAd").play("1:x 2:x 1:d2c3d 2:p 1:f")
    refusal = reveal(felt, 1, "2c")
    assert refusal is not None
    assert refusal.reason is Reason.NOT_YOUR_CARD
    assert reveal(felt, 1, "As") is None


def test_reveal_waits_for_the_hands_end() -> None:
    """S8: between hands."""
    felt = holdem([100, 100, 100], cards=["AsAd", "KsKd"]).play("3:f")
    refusal = reveal(felt, 1, "As")
    assert refusal is not None
    assert refusal.reason is Reason.NOTHING_TO_REVEAL


def test_reveal_may_be_turned_off() -> None:
    """S8: if the salon allows it."""
    felt = Felt(settings(Game.HOLDEM, seats=2, voluntary_reveal=False), [100, 100]).deal(FULL_DECK)
    felt.play("x f")
    refusal = reveal(felt, 1, "2c")
    assert refusal is not None
    assert refusal.reason is Reason.TURNED_OFF


def test_hand_in_progress_has_always_a_turn() -> None:
    """N21: after each command either somebody is to act, or the hand is over and settled."""
    felt = holdem([100, 100, 100])
    for move in ("c", "c", "x", "x", "x", "b10", "f", "c"):
        assert felt.hand.to_act
        felt.play(move)
    assert felt.hand.turn == Turn(9)
