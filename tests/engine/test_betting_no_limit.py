"""No-limit betting, rule by rule: what is offered to whom, and what is asked of nobody."""

from dataclasses import replace

import pytest

from engine.commands import Call
from engine.events import Blind, BlindPosted, CardsShown, StreetStarted, TurnStarted
from engine.game import Game
from engine.refusals import Reason
from engine.settings import rules_of
from engine.units import HandNumber, PlayerId, Turn
from tests.engine.felt import Felt, holdem, settings

FLOP = "3:c 4:c 5:c 1:c 2:x "
"""Five players limp; seat 1 opens the flop."""


def offers(felt: Felt) -> tuple[int, int, int, int]:
    """Who is to act, what a call puts in (0: a check is free), and the limits of a raise (0: none)."""
    legal = felt.legal
    assert legal.check == (not legal.call)
    return felt.turn, legal.call, legal.raise_min, legal.raise_max


# Who may raise


def test_short_all_in_does_not_reopen_betting() -> None:
    """N1, W-T 96: who acted may call or fold; who is yet to act may raise, from the all-in by the last raise."""
    felt = holdem([19, 200, 200, 200], cards=["", "", "", ""]).play("3:r16 4:c 1:a")
    assert offers(felt) == (2, 17, 33, 200)
    felt.play("2:c")
    assert offers(felt) == (3, 3, 0, 0)
    refusal = felt.refused("r40")
    assert refusal.reason is Reason.ILLEGAL_ACTION
    assert "not open to you again" in refusal.text
    felt.play("3:c")
    assert offers(felt) == (4, 3, 0, 0)
    assert felt.refused("a").reason is Reason.ILLEGAL_ACTION
    assert felt.play("4:f").street == "flop"


def test_several_short_all_ins_reopen_when_they_add_up_to_a_full_raise() -> None:
    """N2, W-T 96a: 500, 1000, a call, all-in 1300, all-in 1700: the caller and the raiser may raise to 2200."""
    felt = holdem([9000, 9000, 9000, 1400, 1800], blinds=(50, 100))
    felt.play(FLOP + "1:b500 2:r1000 3:c 4:a 5:a")
    assert felt.hand.bet == 1700
    assert offers(felt) == (1, 1200, 2200, 8900)
    felt.play("1:c")
    assert offers(felt) == (2, 700, 2200, 8900)
    felt.play("2:c")
    assert offers(felt) == (3, 700, 2200, 8900)
    assert felt.refused("r2199").numbers == (("min", "2200"), ("max", "8900"))


def test_one_of_two_short_all_ins_reopens_for_nobody() -> None:
    """N2, W-T 96a: without the second one the raise before the caller is not full."""
    felt = holdem([9000, 9000, 9000, 1400, 1800], blinds=(50, 100))
    felt.play(FLOP + "1:b500 2:r1000 3:c 4:a 5:f")
    assert offers(felt) == (1, 800, 1800, 8900), "seat 1 faces a full raise: 1300 - 500"
    felt.play("1:c")
    assert offers(felt) == (2, 300, 0, 0)


def test_who_checked_may_not_raise_a_short_opening_all_in() -> None:
    """N3, W-L 171: BB 800, X checks, Y all-in 340, Z calls: X may not raise."""
    felt = holdem([5000, 1140, 5000], blinds=(400, 800)).play("3:c 1:c 2:x 1:x 2:a 3:c")
    assert offers(felt) == (1, 340, 0, 0)


def test_who_is_yet_to_act_may_raise_a_short_opening_all_in() -> None:
    """N3, N16: the next raise is to that bet and the big blind."""
    felt = holdem([5000, 1140, 5000], blinds=(400, 800)).play("3:c 1:c 2:x 1:x 2:a")
    assert offers(felt) == (3, 340, 1140, 4200)


def test_reopening_is_judged_for_each_player_apart() -> None:
    """N3, W-L 173: the same all-in reopens for who matched less, and not for who matched more."""
    felt = holdem([9000, 9000, 9000, 1000, 9000], blinds=(50, 100))
    felt.play(FLOP + "1:b200 2:c 3:r600 4:a 5:c")
    assert offers(felt) == (1, 700, 1300, 8900), "900 - 200 is more than the raise of 400"
    felt.play("1:c 2:c")
    assert offers(felt) == (3, 300, 0, 0), "900 - 600 is less"


def test_who_checked_a_posted_blind_has_matched_that_blind() -> None:
    """N3: a posted blind is no action, and a check of it matches it."""
    felt = holdem([100, 100, 100, 3, 100], posts=[(3, Blind.BIG, 2)])
    assert offers(felt) == (3, 0, 4, 100), "the poster has the option"
    felt.play("3:x 4:a 5:c 1:c")
    assert offers(felt) == (2, 1, 5, 100), "the big blind has not acted"
    felt.play("2:c")
    assert offers(felt) == (3, 1, 0, 0), "the poster has checked, and 3 - 2 is less than 2"


# How much


def test_short_all_in_leaves_the_raise_unit() -> None:
    """N4, W-L 172: bet 100, all-in 140: raise to at least 240."""
    felt = holdem([9000, 190, 9000], blinds=(25, 50)).play("3:c 1:c 2:x 1:b100 2:a")
    assert offers(felt) == (3, 140, 240, 8950)


def test_raise_is_measured_from_the_bet_it_raises() -> None:
    """N4, W-L 172: 100, all-in 150, raise to 260: the unit is 110, the next raise is to at least 370."""
    felt = holdem([9000, 200, 9000], blinds=(25, 50)).play("3:c 1:c 2:x 1:b100 2:a 3:r260")
    assert felt.hand.full_raise == 110
    assert offers(felt) == (1, 160, 370, 8950)


def test_minimum_raise_is_the_last_full_raise() -> None:
    """N5, W-T 96: 10/20, raise to 60: the next is to at least 100."""
    felt = holdem([500, 500, 500], blinds=(10, 20)).play("3:r60")
    assert offers(felt) == (1, 50, 100, 500)
    refusal = felt.refused("r99")
    assert (refusal.reason, refusal.text) == (
        Reason.AMOUNT_OUT_OF_RANGE,
        "raise to 99 refused: the minimum is 100",
    )
    assert refusal.numbers == (("min", "100"), ("max", "500"))
    assert refusal.legal == felt.legal
    assert felt.refused("r501").text == "raise to 501 refused: the maximum is 500"


def test_raise_below_the_minimum_only_as_an_all_in() -> None:
    """N5, W-T 96: of 80 chips at a minimum of 100, all or nothing."""
    felt = holdem([80, 500, 500], blinds=(10, 20)).play("3:r60")
    assert offers(felt) == (1, 50, 80, 80)
    assert felt.refused("r70").text == "raise to 70 refused: it must be exactly 80"
    felt.play("1:r80")
    assert (felt.hand.bet, felt.hand.full_raise, felt.stacks[0]) == (80, 40, 0)


def test_raises_are_not_counted() -> None:
    """N6, W-L 125: fifty raises of a round are fifty raises."""
    felt = holdem([9000, 9000, 9000])
    for step in range(50):
        felt.play(f"r{4 + 2 * step}")
    assert felt.hand.raises == 50
    assert felt.legal.raise_min == 104


def test_short_stack_of_an_opponent_does_not_lower_the_minimum() -> None:
    """N7: heads-up 10/20, 100, 180 with 20 behind: the next raise is to at least 260; the excess comes back."""
    felt = holdem([200, 1000], blinds=(10, 20)).play("2:r100 1:r180")
    assert offers(felt) == (2, 80, 260, 1000)
    felt.play("2:r260 1:c")
    assert felt.returned == {2: 60}


def test_no_raise_is_offered_that_nobody_could_answer() -> None:
    """N8: all others are all-in; call, or fold."""
    felt = holdem([60, 500], blinds=(10, 20)).play("2:c 1:a")
    assert offers(felt) == (2, 40, 0, 0)
    assert felt.legal.all_in == 0
    assert (
        felt.refused("r100").text
        == "raise to 100 refused: nobody else has the chips to answer it; call, or fold"
    )
    assert felt.refused("a").reason is Reason.ILLEGAL_ACTION


def test_raise_is_offered_if_one_other_has_more_than_the_bet() -> None:
    """N8: with what he put in this round; exactly the bet is not more."""
    felt = holdem([500, 500, 60], blinds=(10, 20)).play("3:a 1:c")
    assert offers(felt) == (2, 40, 100, 500)
    felt = holdem([60, 60, 60, 500], blinds=(10, 20)).play("3:a")
    assert offers(felt) == (4, 60, 0, 0)


def test_replay_takes_a_raise_that_nobody_can_answer() -> None:
    """N8: replays of real hands accept it, and the excess is returned."""
    made = settings(Game.HOLDEM, seats=2, small_blind=10, big_blind=20)
    rules = replace(rules_of(made), unanswerable_raises=True)
    felt = holdem([60, 500], blinds=(10, 20), rules=rules).play("2:c 1:a 2:r500")
    assert felt.turn == 0
    assert felt.returned == {2: 440}


def test_all_in_for_less_than_a_call_is_a_call() -> None:
    """N9: the bet does not change, and the others owe what they owed."""
    felt = holdem([100, 100, 100, 30], blinds=(5, 10)).play("3:r50")
    assert (felt.legal.call, felt.legal.call_to, felt.legal.all_in) == (30, 30, 30)
    felt.play("4:a")
    assert felt.kinds()[-2] == "Called"
    assert felt.hand.bet == 50
    assert felt.hand.aggressor == 3
    assert offers(felt) == (1, 45, 90, 100)
    same = holdem([100, 100, 100, 30], blinds=(5, 10)).play("3:r50 4:c")
    assert same.events == felt.events


# Short blinds


@pytest.mark.parametrize(
    "stacks, ante, moves, expected",
    [
        ([100, 7, 100], 0, "", (3, 10, 20, 100)),
        ([100, 7, 100], 0, "3:f", (1, 2, 0, 0)),
        ([100, 7, 100], 0, "3:c", (1, 5, 20, 100)),
        ([100, 7, 100], 7, "", (3, 10, 20, 93)),
        ([6, 7, 100], 0, "", (3, 7, 0, 0)),
        ([8, 7, 100], 0, "", (3, 10, 0, 0)),
        ([100, 7, 8], 0, "3:a", (1, 3, 0, 0)),
        ([7, 100], 0, "", (2, 2, 0, 0)),
    ],
    ids=[
        "others owe the full big blind and raise to twice it",
        "without others one owes no more than the all-in",
        "the small blind too owes the full big blind",
        "the ante left nothing for the blind",
        "nobody else could put in more than is there",
        "somebody could put in more",
        "the most that an opponent is all-in for",
        "heads-up",
    ],
)
def test_big_blind_posted_short(
    stacks: list[int], ante: int, moves: str, expected: tuple[int, int, int, int]
) -> None:
    """N10, W-L 150: BB 7 of 10: the full big blind is owed, unless nobody else could put in more."""
    assert offers(holdem(stacks, blinds=(5, 10), ante=ante).play(moves)) == expected


def test_nothing_is_owed_to_a_big_blind_that_the_ante_left_nothing_for() -> None:
    """N10, N14: button folds, the small blind has 5 in and faces nothing; it comes back."""
    felt = holdem([100, 7, 100], blinds=(5, 10), ante=7).play("3:f")
    assert felt.turn == 0
    assert felt.returned == {1: 5}


def test_who_called_all_that_he_owed_is_not_asked_again() -> None:
    """N10: 7 called where nobody could put in more; the small blind's last chip changes nothing."""
    felt = holdem([6, 7, 100], blinds=(5, 10)).play("3:c 1:c")
    assert felt.turn == 0
    assert felt.pots == [(18, (1, 2, 3)), (2, (2, 3))]


def test_small_blind_posted_short_makes_a_main_pot() -> None:
    """N11: the others owe the full big blind."""
    felt = holdem(
        [3, 100, 100, 100], blinds=(5, 10), cards=["AsAd", "KsKd", "QsQd", "4c4d"], board="2c3c7d8h9s"
    )
    assert offers(felt) == (3, 10, 20, 100)
    felt.play("3:c 4:c 2:x 2:x 3:x 4:x 2:x 3:x 4:x 2:x 3:x 4:x")
    assert felt.pots == [(12, (1, 2, 3, 4)), (21, (2, 3, 4))]
    assert felt.won[1] == 12


@pytest.mark.parametrize("stack, back", [(3, 2), (5, 0)])
def test_heads_up_big_blind_all_in_for_no_more_than_the_small_blind(stack: int, back: int) -> None:
    """N12: no action, the excess returned, the board runs out."""
    felt = holdem([stack, 100], blinds=(5, 10))
    assert felt.of(TurnStarted) == []
    assert felt.returned == ({2: back} if back else {})
    assert len(felt.hand.board) == 5


# The option, and who is not asked


def test_big_blind_has_the_option() -> None:
    """N13, W-L 152: limped to, he may check or raise."""
    felt = holdem([100, 100, 100]).play("3:c 1:c")
    assert offers(felt) == (2, 0, 4, 100)
    assert felt.play("2:x").street == "flop"


def test_big_blind_may_raise_a_short_all_in() -> None:
    """N13: also when someone is all-in for less than a raise."""
    felt = holdem([100, 100, 3]).play("3:a 1:c")
    assert offers(felt) == (2, 1, 5, 100)


def test_big_blind_is_not_asked_when_only_all_in_players_limped() -> None:
    """N13, N14: N14 goes first."""
    felt = holdem([100, 100, 2]).play("3:a 1:f")
    assert felt.turn == 0
    assert len(felt.hand.board) == 5


def test_nobody_is_asked_who_faces_only_all_in_players_for_no_more_than_he_has_in() -> None:
    """N14: his excess is returned."""
    felt = holdem([500, 80, 500], blinds=(10, 20)).play("3:c 1:c 2:x 1:b100 2:a 3:f")
    assert felt.turn == 0
    assert felt.returned == {1: 40}
    assert felt.kinds()[-9:-6] == ["Folded", "UncalledBetReturned", "CardsShown"]


def test_all_in_from_a_blind_is_never_asked() -> None:
    """N15: seat 2 has its last chips in the big blind."""
    felt = holdem([100, 10, 100], blinds=(5, 10)).play("3:r30 1:c 1:x 3:x 1:x 3:x 1:x 3:x")
    assert felt.turn == 0
    assert 2 not in {turn.seat for turn in felt.of(TurnStarted)}


def test_opening_bet_under_the_big_blind_only_as_an_all_in() -> None:
    """N16: the next raise is to at least that bet and the big blind."""
    felt = holdem([500, 140, 500], blinds=(50, 100)).play("3:c 1:c 2:x")
    assert felt.refused("b99").text == "bet to 99 refused: the minimum is 100"
    felt.play("1:x")
    assert (felt.legal.bet_min, felt.legal.bet_max) == (40, 40)
    felt.play("2:b40")
    assert offers(felt) == (3, 40, 140, 400)


def test_bet_is_from_the_big_blind_to_the_stack() -> None:
    """The games: a bet is at least the big blind and at most the stack."""
    felt = holdem([500, 500, 500], blinds=(50, 100)).play("3:c 1:c 2:x")
    assert (felt.legal.bet_min, felt.legal.bet_max, felt.legal.all_in) == (100, 400, 400)
    assert (felt.legal.raise_min, felt.legal.call) == (0, 0)
    assert felt.refused("b401").text == "bet to 401 refused: the maximum is 400"


# What comes back


@pytest.mark.parametrize(
    "moves, back",
    [
        ("3:r100 1:f 2:f", {3: 80}),
        ("3:r100 1:r300 2:r1000 3:f 1:f", {2: 700}),
        ("3:c 1:c 2:x 1:b100 2:f 3:f", {1: 100}),
    ],
    ids=["against the big blind", "against a folded raise", "on a later street"],
)
def test_uncalled_bet_is_measured_against_any_player(moves: str, back: dict[int, int]) -> None:
    """N17, W-T 108: the second-highest contribution is anybody's, a folded player's too."""
    felt = holdem([2000, 2000, 2000], blinds=(10, 20)).play(moves)
    assert felt.returned == back
    names = felt.kinds()
    assert names.index("UncalledBetReturned") < names.index("PotAwarded")
    assert sum(felt.won.values()) == sum(amount for amount, _ in felt.pots)


def test_antes_and_live_bets_count_for_the_uncalled_bet_and_dead_blinds_do_not() -> None:
    """N17: a raise to 300 over 100, by who posted a dead 50 besides, gets back 200."""
    felt = holdem([900, 900, 900, 900], blinds=(50, 100), ante=10, posts=[(3, Blind.DEAD, 50)])
    assert felt.legal.call == 100
    felt.play("3:r300 4:f 1:f 2:f")
    assert felt.returned == {3: 200}
    assert felt.won == {3: 40 + 50 + 50 + 100 + 100}


def test_everybody_folds_to_the_big_blind() -> None:
    """N18: he takes the blinds, his own uncalled part returned, no card shown."""
    felt = holdem([100, 100, 100]).play("3:f 1:f")
    assert felt.returned == {2: 1}
    assert felt.won == {2: 2}
    assert felt.stacks == [99, 101, 100]
    assert felt.of(CardsShown) == []


def test_raise_by_the_first_to_act_brings_no_option() -> None:
    """N19: there are no straddles; a raise is a raise, and who made it is not asked again."""
    assert {blind.value for blind in Blind} == {"small", "big", "dead"}
    felt = holdem([100, 100, 100]).play("3:r4 1:c 2:c")
    assert (felt.street, felt.turn) == ("flop", 1)
    assert [post.seat for post in felt.of(BlindPosted)] == [1, 2]


def test_fold_is_legal_where_a_check_is_free() -> None:
    """N20: and binding; the last live player is never asked."""
    felt = holdem([100, 100, 100]).play("3:c 1:c 2:f")
    assert (felt.street, felt.turn) == ("flop", 1)
    felt.play("1:f")
    assert felt.turn == 0
    assert felt.won == {3: 6}


# Out of turn


def test_commands_out_of_turn_change_nothing() -> None:
    """N21, W-T 84: out of turn, twice, after folding, when all-in, or with a stale turn: refused."""
    felt = holdem([100, 100, 100, 20]).play("3:f 4:a")
    for seat, reason in ((2, Reason.NOT_YOUR_TURN), (3, Reason.NOT_YOUR_TURN), (4, Reason.NOT_YOUR_TURN)):
        refusal = felt.do(felt.command("c", seat=seat))
        assert refusal is not None
        assert refusal.reason is reason
        assert refusal.numbers == (("seat", "1"),)
        assert refusal.legal is None
    once = felt.command("c")
    felt.play("1:c")
    again = felt.do(once)
    assert again is not None
    assert again.reason is Reason.STALE_TURN
    assert felt.turn == 2


def test_stale_turn_of_the_player_to_act_is_told_what_is_legal() -> None:
    """N21: the refusal says what would be legal."""
    felt = holdem([100, 100, 100])
    refusal = felt.do(felt.command("c", turn=7))
    assert refusal is not None
    assert refusal.reason is Reason.STALE_TURN
    assert refusal.legal == felt.legal
    assert "turn 7 of hand 1" in refusal.text
    other = felt.do(Call(PlayerId("p3"), HandNumber(9), Turn(1)))
    assert other is not None
    assert other.reason is Reason.STALE_TURN


def test_stranger_and_late_comer_are_refused() -> None:
    """N21: who holds no seat, and who acts when no hand is in progress."""
    felt = holdem([100, 100, 100])
    stranger = felt.do(Call(PlayerId("nobody"), HandNumber(1), Turn(1)))
    assert stranger is not None
    assert stranger.reason is Reason.NOT_SEATED
    late = felt.command("f")
    felt.play("3:f 1:f")
    refusal = felt.do(late)
    assert refusal is not None
    assert refusal.reason is Reason.NO_HAND


@pytest.mark.parametrize(
    "moves, move, text",
    [
        ("", "x", "check refused: 2 more to call; call, or fold"),
        ("3:c 1:c", "c", "call refused: there is nothing to call; check is free"),
        ("", "b10", "bet to 10 refused: 2 is bet already; raise to 4 or up to 100"),
        ("3:c 1:c 2:x", "r10", "raise to 10 refused: nothing is bet yet; bet, or check"),
        ("", "p", "draw refused: cards are exchanged at the draw, and this is a betting round"),
    ],
)
def test_illegal_action_is_refused_with_what_is_legal(moves: str, move: str, text: str) -> None:
    """N21: check never becomes a call, nor a bet a raise; the turn stays open."""
    felt = holdem([100, 100, 100]).play(moves)
    refusal = felt.refused(move)
    assert (refusal.reason, refusal.text) == (Reason.ILLEGAL_ACTION, text)
    assert refusal.legal == felt.legal


def test_run_out() -> None:
    """R1: at most one could still bet: all missing board cards come with no more action."""
    felt = holdem([100, 60, 100]).play("3:r60 1:f 2:c")
    assert felt.turn == 0
    assert [len(street.cards) for street in felt.of(StreetStarted)] == [3, 1, 1]
    assert len(felt.of(TurnStarted)) == 3


def test_run_out_waits_while_two_could_bet() -> None:
    """R1: a third player's all-in ends nothing for the other two."""
    felt = holdem([100, 60, 100]).play("3:r60 1:c 2:c")
    assert (felt.street, felt.turn, felt.legal.bet_max) == ("flop", 1, 40)
