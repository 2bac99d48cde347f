"""The start of a hand: when it may start, who is dealt in, and in what order things happen."""

import pytest

from engine.cards import FULL_DECK
from engine.commands import LOTS, StartHand
from engine.decide import decide
from engine.events import AntePosted, DeckShuffled, HandStarted, HoleCardsDealt
from engine.game import Game
from engine.refusals import Reason
from engine.settings import BotLevel, BotSeat
from engine.units import Seat
from tests.engine.house import House


def test_cards_go_round_one_at_a_time_from_the_first_dealt_in_seat_left_of_the_button() -> None:
    """C1, W-T 87: seats 2, 5 and 9, the button at 5."""
    house = House(seats=9, seated=(2, 5, 9)).deal(1)
    assert house.dealt == (9, 2, 5)
    dealt = {event.seat: event.cards for event in house.of(HoleCardsDealt)}
    assert list(dealt) == [9, 2, 5]
    deck = FULL_DECK
    assert dealt == {9: (deck[0], deck[3]), 2: (deck[1], deck[4]), 5: (deck[2], deck[5])}


def test_heads_up_the_big_blind_gets_the_first_card() -> None:
    """C1, B1: the first seat left of the button is the other player's."""
    house = House(seated=(1, 2)).deal(0)
    assert [event.seat for event in house.of(HoleCardsDealt)] == [2, 1]


def test_who_comes_after_the_deck_is_committed_is_not_dealt_in() -> None:
    """C1: the seats of a hand are fixed with HandStarted, before the deck."""
    house = House(seated=(1, 2)).deal().join(3)
    hand = house.table.hand
    assert hand is not None
    assert 3 not in hand.seats
    started = next(event for event in house.log if isinstance(event, HandStarted))
    assert house.log.index(started) + 1 == next(
        place for place, event in enumerate(house.log) if isinstance(event, DeckShuffled)
    )
    assert (started.seats, started.stacks) == ((2, 1), (200, 200))


def test_a_hand_begins_with_button_deck_antes_blinds_and_cards() -> None:
    """C1, A2: the deck is committed before the first post; antes come before blinds."""
    kinds = House(seated=(1, 2, 3), ante=1).deal().kinds()
    assert kinds == [
        "ButtonDrawn",
        "HandStarted",
        "DeckShuffled",
        *["AntePosted"] * 3,
        *["BlindPosted"] * 2,
        *["HoleCardsDealt"] * 3,
        "TurnStarted",
    ]


def test_everybody_posts_the_same_ante_in_draw() -> None:
    """C1, A1: no blinds, whoever has the button."""
    house = House(Game.DRAW, seated=(1, 2, 3)).deal(2)
    assert [(post.seat, post.amount) for post in house.of(AntePosted)] == [(1, 1), (2, 1), (3, 1)]
    assert house.posts == []
    assert (house.table.small_blind, house.table.big_blind) == (0, 0)


def test_no_hand_starts_before_its_time_nor_beside_another_nor_with_one_player() -> None:
    """L1, C1: three refusals that change nothing."""
    house = House(seated=(1,))
    assert house.refused(StartHand(FULL_DECK, 0)).reason is Reason.NOT_READY
    house.join(2)
    refusal = house.refused(StartHand(FULL_DECK, 0))
    assert (refusal.reason, dict(refusal.numbers)) == (Reason.NOT_READY, {"left": "4000"})
    refusal = house.deal().refused(StartHand(FULL_DECK, 0))
    assert refusal.reason is Reason.NOT_READY
    assert "hand 1 is in progress" in refusal.text


BAD_DEALS = [(FULL_DECK[1:], 0), ((*FULL_DECK[1:], FULL_DECK[1]), 0), (FULL_DECK, -1), (FULL_DECK, LOTS)]


@pytest.mark.parametrize("deck, lot", BAD_DEALS)
def test_a_deck_or_a_lot_that_is_none_is_a_bug(deck: tuple[int, ...], lot: int) -> None:
    """Never deal from anything but a full deck: an exception, since no player can have caused it."""
    house = House(seated=(1, 2)).wait(4_000)
    with pytest.raises(ValueError, match="52 cards once"):
        decide(house.table, StartHand(deck, lot), now=house.now)  # type: ignore[arg-type]  # cards are numbers


def test_dealing_waits_at_least_a_second_while_a_person_is_seated() -> None:
    """`between_hands`: a salon set to 0 for its bots slows down for a person, and is quick again without him."""
    bots = (BotSeat(BotLevel.EASY),) * 3
    house = House(seats=3, between_hands=0, bots=bots).add_bot(1).add_bot(2)
    assert house.table.next_hand_at == house.now
    house.deal().join(3).fold_out()
    assert house.table.next_hand_at == house.now + 1_000
    house.leave(3).deal().fold_out()
    assert house.table.next_hand_at == house.now


def test_dealt_in_seats_name_their_stacks_before_any_post() -> None:
    """C1: HandStarted is the whole story of who plays with what."""
    (started,) = House(seated=(1, 2, 3), ante=2).deal().of(HandStarted)
    assert started.stacks == (200, 200, 200)
    assert started.button == Seat(1)
