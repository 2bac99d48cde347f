"""The text of finished hands: whole hands of both games, and what a reader may not see left out."""

import pytest

from engine.cards import FULL_DECK
from engine.events import Audience, Blind, CardsShown, HandStarted, Shown
from engine.game import Game
from engine.history.finished import FinishedHand, seen_by
from engine.history.phh import phh_text
from engine.history.text import history_text
from engine.units import Seat
from tests.engine.felt import Felt, draw_poker, holdem, settings

NAMES = {Seat(1): "Ann", Seat(2): "Bob", Seat(3): "Cid", Seat(4): "Ann"}


def finished(felt: Felt, *more: CardsShown) -> FinishedHand:
    """The hand on the felt as it is kept."""
    kept = tuple(event for event in felt.events if event.AUDIENCE is not Audience.NOBODY)
    return FinishedHand("table one", len(felt.stacks), felt.table.rules, NAMES, (*kept, *more))


def text_of(felt: Felt, viewer: int = 0, *more: CardsShown, reveal_all: bool = False) -> str:
    return history_text(seen_by(finished(felt, *more), Seat(viewer), reveal_all=reveal_all))


def all_in_before_the_flop() -> Felt:
    felt = holdem([100, 60, 100], ante=1, cards=["AsAh", "KdKc", "7h2c"], board="2h3d9cJdQc")
    return felt.play("3:r6 1:r20 2:a 3:f 1:c")


def draw_to_a_showdown() -> Felt:
    felt = draw_poker([100, 100, 100], cards=["AsAh4c5c6c", "KdKc7d8d9d", "7h2c2d2h3s"], then="2sTc")
    return felt.play("1:b10 2:c 3:f 1:d4c5c 2:p 1:x 2:x")


HOLDEM = """\
Croupier Hand #1: Hold'em No Limit (1/2) - 1970/01/01 00:16:40 UTC
Table 'table one' 3-max (Play Money) Seat #3 is the button
Seat 1: Ann (100 in chips)
Seat 2: Bob (60 in chips)
Seat 3: Cid (100 in chips)
Ann: posts the ante 1
Bob: posts the ante 1
Cid: posts the ante 1
Ann: posts small blind 1
Bob: posts big blind 2
*** HOLE CARDS ***
Cid: raises 4 to 6
Ann: raises 14 to 20
Bob: raises 39 to 59 and is all-in
Cid: folds
Ann: calls 39
*** FLOP *** [2h 3d 9c]
*** TURN *** [2h 3d 9c] [Jd]
*** RIVER *** [2h 3d 9c Jd] [Qc]
*** SHOW DOWN ***
Ann: shows [As Ah] (pair, aces)
Bob: shows [Kd Kc] (pair, kings)
Ann collected 127 from pot
*** SUMMARY ***
Total pot 127 | Rake 0
Board [2h 3d 9c Jd Qc]
Seat 1: Ann (small blind) showed [As Ah] and won (127) with pair, aces
Seat 2: Bob (big blind) showed [Kd Kc] and lost with pair, kings
Seat 3: Cid (button) folded before Flop

"""
DRAW = """\
Croupier Hand #1: 5 Card Draw Limit (10/20) - 1970/01/01 00:16:40 UTC
Table 'table one' 3-max (Play Money) Seat #3 is the button
Seat 1: Ann (100 in chips)
Seat 2: Bob (100 in chips)
Seat 3: Cid (100 in chips)
Ann: posts the ante 1
Bob: posts the ante 1
Cid: posts the ante 1
*** DEALING HANDS ***
Dealt to Ann [As Ah 4c 5c 6c]
Ann: bets 10
Bob: calls 10
Cid: folds
Ann: discards 2 cards [4c 5c]
Dealt to Ann [As Ah 6c] [2s Tc]
Bob: stands pat
Ann: checks
Bob: checks
*** SHOW DOWN ***
Ann: shows [As Ah 6c 2s Tc] (pair, aces)
Bob: mucks hand
Ann collected 23 from pot
*** SUMMARY ***
Total pot 23 | Rake 0
Seat 1: Ann showed [As Ah 6c 2s Tc] and won (23) with pair, aces
Seat 2: Bob mucked
Seat 3: Cid (button) folded before the Draw

"""


def test_holdem_hand_as_a_spectator_reads_it() -> None:
    """S3: what was turned up before the board stands at the showdown."""
    assert text_of(all_in_before_the_flop()) == HOLDEM


def test_draw_hand_as_a_player_reads_it() -> None:
    """D10, S4: his own discards, and nobody else's cards but those shown."""
    assert text_of(draw_to_a_showdown(), 1) == DRAW


@pytest.mark.parametrize(
    "viewer, reveal_all, lines",
    [
        (0, False, ["Ann: discards 2 cards\n", "Bob: mucks hand\n"]),
        (2, False, ["Dealt to Bob [Kd Kc 7d 8d 9d]\n", "Ann: discards 2 cards\n"]),
        (0, True, ["Dealt to Cid [7h 2c 2d 2h 3s]\n", "Ann: discards 2 cards [4c 5c]\n"]),
    ],
)
def test_each_reader_gets_what_he_may_see(viewer: int, reveal_all: bool, lines: list[str]) -> None:
    """D10, S5."""
    text = text_of(draw_to_a_showdown(), viewer, reveal_all=reveal_all)
    assert all(line in text for line in lines)
    assert ("7h" in text) is reveal_all


def test_side_pots_are_named_and_awarded_from_the_last() -> None:
    """P7: and an uncalled bet is told apart."""
    felt = holdem([100, 40, 20, 100], cards=["KsKh", "QsQh", "AsAh", "7c2d"], board="2h3d9cJd5c")
    text = text_of(felt.play("3:a 4:f 1:r90 2:a"))
    assert "Uncalled bet (50) returned to Ann (1)\n" in text
    assert "Ann (1) collected 40 from side pot\nCid collected 60 from main pot\n" in text
    assert "Total pot 100 Main pot 60. Side pot 40. | Rake 0\n" in text
    assert "Seat 4: Ann (4) (button) folded before Flop\n" in text, (
        "two of a name are told apart by their seats"
    )


def test_three_pots_number_their_side_pots() -> None:
    """P1: and a hand beaten in one pot may win another."""
    felt = holdem([100, 60, 40, 20], cards=["7c2d", "KsKh", "QsQh", "AsAh"], board="2h3d9cJd5c")
    text = text_of(felt.play("3:a 4:a 1:a 2:a"))
    assert "Side pot-1 60. Side pot-2 40." in text
    assert "Bob collected 40 from side pot-2\n" in text


def test_walk_shows_no_card() -> None:
    """N18, S5: the big blind takes the blinds."""
    text = text_of(holdem([100, 100, 100]).play("3:f 1:f"))
    assert "*** HOLE CARDS ***\nCid: folds\nAnn: folds\nUncalled bet (1) returned to Bob\n" in text
    assert "Bob collected 2 from pot\n*** SUMMARY ***\nTotal pot 2 | Rake 0\nSeat 1:" in text
    assert "Seat 2: Bob (big blind) collected (2)\n" in text


def test_walk_over_a_dead_small_blind_has_no_pot() -> None:
    """P3, N18: the whole big blind comes back, and nothing is collected."""
    made = settings(Game.HOLDEM, seats=3)
    felt = Felt(made, [100, 0, 100]).deal(FULL_DECK, [(1, Blind.BIG, 2)], blinds=(2, 1), button=2)
    text = text_of(felt.play("3:f"))
    assert "Cid: folds\nUncalled bet (2) returned to Ann\n*** SUMMARY ***\nTotal pot 0 | Rake 0\n" in text
    assert "Seat 1: Ann (big blind) collected (0)\n" in text


def test_turns_that_ran_out_are_told() -> None:
    """B6: the fold that follows is the clock's."""
    assert "Cid has timed out\nCid: folds\n" in text_of(holdem([100, 100, 100]).play("3:t 1:f"))


def test_betting_after_the_flop_and_a_checked_showdown() -> None:
    """S1, S4: the first live seat left of the button shows first."""
    felt = holdem([100, 100, 100], cards=["AsAh", "KdKc", "7h2c"], board="2h3d9cJdQc")
    text = text_of(felt.play("3:c 1:c 2:x 1:b4 2:c 3:f 1:x 2:x 1:x 2:x"))
    assert "*** FLOP *** [2h 3d 9c]\nAnn: bets 4\nBob: calls 4\nCid: folds\n" in text
    assert "*** SHOW DOWN ***\nAnn: shows [As Ah] (pair, aces)\nBob: mucks hand\n" in text
    assert "Seat 3: Cid (button) folded on the Flop\n" in text


def test_dead_blinds_are_told() -> None:
    """B4: posted dead by a player who comes back."""
    felt = holdem([100, 100, 100, 100], posts=[(4, Blind.DEAD, 1)]).play("3:f 4:f 1:f")
    assert "Ann (4): posts dead small blind 1\n" in text_of(felt)
    assert "_dead_blinds = [0, 0, 0, 1]\n" in phh_text(finished(felt))


def test_voluntary_reveal_is_kept_in_both_formats() -> None:
    """S8: one card or all."""
    felt = holdem([100, 100, 100], cards=["AsAh", "KdKc", "7h2c"]).play("3:f 1:f")
    shown = CardsShown(Seat(2), felt.hand.cards[2][:1], Shown.VOLUNTARY)
    assert "Bob: shows [Kd]\n" in text_of(felt, 0, shown)
    phh = phh_text(seen_by(finished(felt, shown)))
    assert '"d dh p2 Kd??"' in phh
    assert '"# p2 reveals Kd"' in phh


def test_names_are_written_safely() -> None:
    """A name cannot break out of its quotes."""
    felt = holdem([100, 100, 100]).play("3:f 1:f")
    hand = finished(felt)
    odd = FinishedHand(hand.salon, hand.seats, hand.rules, {Seat(1): 'a"\\\x7f\n\u00e9'}, hand.events)
    assert 'players = ["a\\"\\\\\\u007f\\n\u00e9", "", ""]\n' in phh_text(odd)
    assert "Seat 2: Seat 2 (100 in chips)\n" in history_text(odd)


def test_events_without_a_start_are_no_hand() -> None:
    felt = holdem([100, 100, 100]).play("3:f 1:f")
    hand = finished(felt)
    rest = tuple(event for event in hand.events if not isinstance(event, HandStarted))
    with pytest.raises(ValueError, match="begin with HandStarted"):
        history_text(FinishedHand(hand.salon, hand.seats, hand.rules, hand.names, rest))
