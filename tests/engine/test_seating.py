"""Seats: joining, leaving, rejoining, topping up; bots and kicks."""

import pytest

from engine.cards import FULL_DECK
from engine.commands import AddBot, AllIn, Call, Check, Fold, Join, Kick, Leave, RemoveBot, Reveal, TopUpTo
from engine.events import (
    CardsShown,
    Folded,
    HandEnded,
    LeaveAsked,
    LeavingCause,
    NextHandScheduled,
    PlayerLeft,
    PlayPaused,
    PotAwarded,
    SatIn,
    SatOut,
    ToppedUp,
    TopUpAsked,
)
from engine.game import Game
from engine.refusals import Reason
from engine.settings import BotLevel
from engine.table import Presence
from engine.units import OPERATOR, Chips, PlayerId, Seat
from engine.view import view_of
from tests.engine.house import OWNER, House

MIXED = tuple(FULL_DECK[place * 7 % 52] for place in range(52))
"""A deck whose first hands differ."""
MINUTE = 60_000


def p(seat: int) -> PlayerId:
    return PlayerId(f"p{seat}")


def test_a_join_takes_the_seat_at_once_and_its_chips_count() -> None:
    """B12, W-L 62: in a hand too, though he is dealt in later."""
    house = House(seated=(1, 2)).deal().join(4)
    assert (house.table.seat_of[p(4)], house.table.stacks[4]) == (4, 200)
    assert house.replayed().stacks[4] == 200


def test_any_free_seat_is_the_lowest() -> None:
    """B12: seat 0 is any."""
    house = House(seated=(1, 3))
    assert house.do(Join(PlayerId("new"), "New")).table.seat_of[PlayerId("new")] == 2


JOINS: list[tuple[str, Join, Reason, str]] = [
    ("twice", Join(p(1), "P1", Seat(3)), Reason.ALREADY_SEATED, "seat 1"),
    ("a taken seat", Join(p(9), "P9", Seat(1)), Reason.SEAT_TAKEN, "free are 3"),
    ("no such seat", Join(p(9), "P9", Seat(4)), Reason.NO_SUCH_SEAT, "1 to 3"),
    ("below seat one", Join(p(9), "P9", Seat(-1)), Reason.NO_SUCH_SEAT, "1 to 3"),
    ("too few chips", Join(p(9), "P9", Seat(3), Chips(79)), Reason.BUY_IN_OUT_OF_RANGE, "from 80 to 400"),
    ("too many chips", Join(p(9), "P9", Seat(3), Chips(401)), Reason.BUY_IN_OUT_OF_RANGE, "from 80 to 400"),
    ("a negative buy-in", Join(p(9), "P9", Seat(3), Chips(-5)), Reason.BUY_IN_OUT_OF_RANGE, "from 80 to 400"),
    ("no name", Join(p(9), " ", Seat(3)), Reason.NAME_REFUSED, "1 to 32"),
    ("a control character", Join(p(9), "a\nb", Seat(3)), Reason.NAME_REFUSED, "1 to 32"),
    ("an endless name", Join(p(9), "x" * 33, Seat(3)), Reason.NAME_REFUSED, "1 to 32"),
]


@pytest.mark.parametrize("_name, command, reason, says", JOINS, ids=[name for name, *_ in JOINS])
def test_a_join_that_cannot_be_says_what_could(_name: str, command: Join, reason: Reason, says: str) -> None:
    """B12: one seat a player a salon, no change of seats."""
    refusal = House(seats=3, seated=(1, 2)).refused(command)
    assert refusal.reason is reason
    assert says in refusal.text


def test_a_full_salon_is_full() -> None:
    """B12: whatever seat is asked for."""
    house = House(seats=2, seated=(1, 2))
    for seat in (0, 1):
        assert house.refused(Join(p(9), "P9", Seat(seat))).reason is Reason.SALON_FULL


@pytest.mark.parametrize("buy_in, stack", [(0, 200), (80, 80), (400, 400)])
def test_a_buy_in_of_zero_is_the_usual_one(buy_in: int, stack: int) -> None:
    """B12: 100 big blinds unless an amount is named."""
    assert House().join(1, buy_in).table.stacks[1] == stack


# Leaving


def test_leaving_between_hands_is_at_once() -> None:
    """B8: no hand, no waiting."""
    house = House(seated=(1, 2, 3)).deal().fold_out().leave(2)
    assert house.kinds() == ["PlayerLeft"]
    assert house.table.players[2] is None
    assert house.replayed().players[2] is None


def test_who_is_not_in_the_hand_leaves_at_once() -> None:
    """B8: a newcomer who waits has nothing to fold."""
    house = House(seated=(1, 2)).deal().join(4).leave(4)
    assert house.of(PlayerLeft)[0].seat == 4
    assert house.turn


def test_a_leaver_is_folded_at_his_next_betting_turn_and_not_before() -> None:
    """B8: so that neither order nor information changes."""
    house = House(seated=(1, 2, 3, 4)).deal()  # the turn is seat 4's
    house.leave(2)
    assert house.kinds() == ["LeaveAsked"]
    house.act(Call)
    assert house.of(Folded) == []
    house.act(Call)  # seat 1; now 2 would be asked
    assert house.of(Folded) == [Folded(Seat(2))]
    assert house.turn == 3
    assert house.player(2).leaving is LeavingCause.ASKED, "the seat is free after the hand"
    house.fold_out()
    assert house.table.players[2] is None
    assert house.table.accounts[p(2)].taken == 199, "chips in the pot stay"


def test_a_leaver_whose_turn_it_is_is_folded_at_once() -> None:
    """B8: his next betting turn is this one."""
    house = House(seated=(1, 2, 3, 4)).deal().leave(4)
    assert house.kinds()[:2] == ["LeaveAsked", "Folded"]
    assert house.turn == 1


def test_a_leaver_gives_no_more_commands() -> None:
    """B8: leaving in a hand is final."""
    house = House(seated=(1, 2, 3)).deal().leave(2)
    for command in (Leave(p(2)), TopUpTo(p(2), Chips(300))):
        assert house.refused(command).reason is Reason.LEAVING
    assert house.refused(Join(p(2), "P2")).reason is Reason.ALREADY_SEATED


def test_at_the_draw_a_leaver_stands_pat() -> None:
    """B8: he is folded at a betting turn only."""
    house = House(Game.DRAW, seated=(1, 2)).deal().act(Check).act(Check)
    assert house.turn == 2
    house.leave(2)
    assert house.kinds()[:2] == ["LeaveAsked", "CardsDrawn"]
    assert house.of(Folded) == []


def test_when_all_but_one_leave_each_is_folded_at_his_own_turn() -> None:
    """B8a, P8: the last live one takes the pot, even if he is leaving too."""
    house = House(seated=(1, 2, 3)).deal()  # turn: 1, the button
    house.leave(3).leave(2)
    assert house.of(Folded) == []
    house.leave(1)
    assert [fold.seat for fold in house.of(Folded)] == [1, 2]
    (award,) = house.of(PotAwarded)
    assert award.winners == (3,)
    assert house.table.seat_of == {}
    assert house.table.accounts[p(3)].taken == 201
    assert house.of(PlayPaused) == [PlayPaused()]


def test_a_leaver_who_is_all_in_stays_live_to_the_end() -> None:
    """B9: he shows down and takes what he wins away."""
    house = House(seated=(1, 2)).deal(0, MIXED).act(AllIn).leave(1)
    assert house.kinds() == ["LeaveAsked"]
    house.act(Call)
    assert {show.seat for show in house.of(CardsShown)} == {1, 2}
    account = house.table.accounts[p(1)]
    assert account.taken in (0, 200, 400)
    assert account.taken + house.table.stacks[2] == 400


def test_who_takes_a_free_seat_finds_no_cards_there() -> None:
    """B8: the cards of the hand just over were another player's."""
    house = House(seated=(1, 2, 3)).deal(0, MIXED)
    while house.turn:
        house.act(Check if (house.table.hand and house.table.hand.bet == 0) or house.turn == 3 else Call)
    house.leave(2).join(2, player="new")
    view = view_of(house.table, Seat(2))
    (seat,) = [seat for seat in view.seats if seat.seat == 2]
    assert (seat.cards, seat.card_count, view.may_reveal) == ((), 0, ())


def test_who_takes_a_free_seat_cannot_show_its_cards() -> None:
    """B8, S8: not even naming the right ones."""
    house = House(seated=(1, 2, 3)).deal(0, MIXED)
    hand = house.table.hand
    assert hand is not None
    cards = hand.cards[2]
    house.fold_out().leave(2).join(2, player="new")
    refusal = house.refused(Reveal(PlayerId("new"), hand.hand, cards))
    assert refusal.reason is Reason.NOTHING_TO_REVEAL


def test_the_last_person_to_leave_leaves_an_empty_table() -> None:
    """B8, B12: and the next one finds a salon that works."""
    house = House(seated=(1, 2)).deal().fold_out().leave(1).leave(2)
    assert house.table.seat_of == {}
    house.join(3).join(1)
    assert house.of(NextHandScheduled)
    assert sorted(house.deal().dealt) == [1, 3]


# Coming back


@pytest.mark.parametrize(
    "took, minutes, least, most",
    [(100, 29, 100, 400), (50, 29, 80, 400), (500, 29, 500, 500), (500, 30, 80, 400), (100, 30, 80, 400)],
)
def test_rejoining_within_half_an_hour_brings_what_was_taken(
    took: int, minutes: int, least: int, most: int
) -> None:
    """B10, W-L 58: exactly that if it is above the maximum, else at least that."""
    house = House(seated=(1, 2, 3)).move_chips(1, 2, 200 - took) if took < 200 else House(seated=(1, 2, 3))
    if took > 200:
        house.join(4, 400).move_chips(4, 1, took - 200)
    house.leave(1).wait(minutes * MINUTE)
    for wrong in (least - 1, most + 1):
        refusal = house.refused(Join(p(1), "P1", Seat(1), Chips(wrong)))
        assert refusal.reason is Reason.BUY_IN_OUT_OF_RANGE
        assert dict(refusal.numbers) == {"min": str(least), "max": str(most)}
    assert house.join(1).table.stacks[1] == min(max(200, least), most)


def test_chips_add_up_over_leaving_and_coming_back() -> None:
    """P9, B10: what leavers took away counts, and so does what they bring again."""
    house = House(seated=(1, 2, 3)).deal().leave(1).fold_out().leave(2).join(2).join(1).deal().fold_out()
    account = house.table.accounts[p(2)]
    assert (account.bought, account.taken) == (400, 199)
    assert house.replayed().accounts == house.table.accounts


# Topping up


def test_a_top_up_between_hands_is_settled_at_once() -> None:
    """B10, W-L 60: to a total, not by an amount."""
    house = House().join(1, 100).top_up(1, 150)
    assert house.events == (ToppedUp(Seat(1), Chips(50), Chips(150)),)


@pytest.mark.parametrize("asked, stack", [(400, 400), (401, 400), (10**9, 400)])
def test_a_top_up_is_cut_to_the_maximum_buy_in(asked: int, stack: int) -> None:
    """B10, W-L 182: never more than the maximum."""
    assert House(seated=(1,)).top_up(1, asked).table.stacks[1] == stack


def test_a_top_up_in_a_hand_waits_for_its_end() -> None:
    """B10: chips never come in while cards are out."""
    house = House(seated=(1, 2, 3)).deal().top_up(1, 300)
    assert house.events == (TopUpAsked(Seat(1), Chips(300)),)
    assert house.table.stacks[1] == 200
    house.fold_out()
    assert house.of(ToppedUp) == [ToppedUp(Seat(1), Chips(100), Chips(300))]
    assert house.kinds().index("ToppedUp") > house.kinds().index("HandEnded")


def test_a_top_up_in_a_hand_is_for_the_minimum_buy_in_at_least() -> None:
    """B10, B11: whatever the hand leaves, it is enough to be dealt in again."""
    refusal = House(seated=(1, 2)).deal().refused(TopUpTo(p(1), Chips(79)))
    assert refusal.reason is Reason.TOP_UP_OUT_OF_RANGE
    assert dict(refusal.numbers)["min"] == "80"


def test_a_top_up_that_the_hand_has_overtaken_buys_nothing() -> None:
    """B10: cut to the maximum, and to what is missing, then."""
    house = House(seated=(1, 2, 3)).deal().top_up(3, 200)
    house.fold_out()
    assert house.of(ToppedUp) == [ToppedUp(Seat(3), Chips(0), Chips(201))]
    assert house.player(3).top_up_to == 0


def test_a_top_up_brings_nobody_in_who_asked_to_sit_out() -> None:
    """B10, B5: only want of chips ends with chips."""
    house = House(seated=(1, 2, 3)).sit_out(1).top_up(1, 300)
    assert house.kinds() == ["ToppedUp"]
    assert house.player(1).presence is Presence.SITTING_OUT


@pytest.mark.parametrize("to, least", [(200, 201), (0, 201), (-5, 201)])
def test_a_top_up_must_add_chips(to: int, least: int) -> None:
    """B10: the refusal says from what amount on."""
    refusal = House(seated=(1,)).refused(TopUpTo(p(1), Chips(to)))
    assert refusal.reason is Reason.TOP_UP_OUT_OF_RANGE
    assert dict(refusal.numbers) == {"stack": "200", "min": str(least), "max": "400"}


def test_a_stack_at_the_maximum_takes_no_top_up() -> None:
    """B10: nothing would be bought."""
    refusal = House().join(1, 400).refused(TopUpTo(p(1), Chips(500)))
    assert refusal.reason is Reason.TOP_UP_OUT_OF_RANGE
    assert "400" in refusal.text


def bust(house: House) -> int:
    """Play a heads-up all-in that does not split; the seat that lost everything."""
    house.deal(0, MIXED).act(AllIn).act(Call)
    assert len(house.of(HandEnded)) == 1
    (loser,) = [seat for seat in (1, 2) if not house.table.stacks[seat] or house.of(ToppedUp)]
    return loser


def test_a_busted_player_sits_out_and_comes_back_with_a_top_up() -> None:
    """B11: to at least the minimum buy-in, until he is evicted."""
    house = House(seated=(1, 2))
    loser = bust(house)
    (out,) = house.of(SatOut)
    assert (out.seat, out.cause.value, out.need) == (loser, "busted", 80)
    assert out.evict_at == house.now + 600_000
    assert house.of(PlayPaused)
    refusal = house.refused(TopUpTo(p(loser), Chips(79)))
    assert dict(refusal.numbers)["min"] == "80"
    house.wait(599_999).top_up(loser, 80)
    assert house.of(SatIn) == [SatIn(Seat(loser), post=False)]
    assert house.of(NextHandScheduled)
    assert house.deal().table.stacks[loser] < 80


def test_a_busted_player_without_a_top_up_is_evicted() -> None:
    """B11: `sit_out_evicts` from the hand's end."""
    house = House(seated=(1, 2))
    loser = bust(house)
    alarm = house.alarm
    assert alarm is not None
    house.now = alarm.at
    house.sweep()
    assert house.of(PlayerLeft)[0].cause is LeavingCause.EVICTED
    assert house.table.players[loser] is None


def test_a_busted_bot_tops_up_to_its_first_buy_in() -> None:
    """B11: between hands, without sitting out."""
    house = House().add_bot(1).add_bot(2)
    house.deal(0, MIXED).act(AllIn).act(Call)
    (bought,) = house.of(ToppedUp)
    assert (bought.amount, bought.stack) == (200, 200)
    assert house.of(SatOut) == []
    assert house.of(NextHandScheduled)


# The owner


def test_the_owner_and_an_operator_seat_and_remove_bots() -> None:
    """L2, `bots`: in a hand a bot leaves as a player does."""
    house = (
        House().do(AddBot(OWNER, p(1), "B1", BotLevel.HARD)).do(AddBot(OPERATOR, p(2), "B2", BotLevel.EASY))
    )
    assert [house.table.stacks[seat] for seat in (1, 2)] == [200, 200]
    house.deal().do(RemoveBot(OWNER, Seat(2)))
    assert house.of(LeaveAsked) == [LeaveAsked(Seat(2), LeavingCause.REMOVED)]
    house.fold_out()
    assert house.table.players[2] is None


def test_a_kick_is_a_leave() -> None:
    """L2: folded at his turn, then gone; he may come back."""
    house = House(seated=(1, 2, 3)).deal().do(Kick(OWNER, Seat(1)))
    assert house.kinds()[:2] == ["LeaveAsked", "Folded"]
    house.fold_out()
    assert house.table.players[1] is None
    house.do(Kick(OPERATOR, Seat(2)))
    assert house.of(PlayerLeft)[0].cause is LeavingCause.KICKED
    assert house.join(2).player(2).presence is Presence.PRESENT


REFUSED = [
    (AddBot(p(1), p(9), "B9", BotLevel.EASY), Reason.NOT_THE_OWNER),
    (RemoveBot(p(1), Seat(2)), Reason.NOT_THE_OWNER),
    (Kick(p(1), Seat(2)), Reason.NOT_THE_OWNER),
    (RemoveBot(OWNER, Seat(1)), Reason.NOT_A_BOT),
    (RemoveBot(OWNER, Seat(3)), Reason.NOT_SEATED),
    (Kick(OWNER, Seat(3)), Reason.NOT_SEATED),
    (Kick(OWNER, Seat(0)), Reason.NO_SUCH_SEAT),
    (Kick(OWNER, Seat(7)), Reason.NO_SUCH_SEAT),
    (AddBot(OWNER, p(1), "P1", BotLevel.EASY), Reason.ALREADY_SEATED),
    (Leave(p(9)), Reason.NOT_SEATED),
    (TopUpTo(p(9), Chips(100)), Reason.NOT_SEATED),
]


@pytest.mark.parametrize("command, reason", REFUSED)
def test_what_the_owner_alone_may_do_and_where(
    command: Kick | RemoveBot | AddBot | Leave | TopUpTo, reason: Reason
) -> None:
    """L2: a refusal changes nothing and says why."""
    refusal = House(seated=(1, 2)).refused(command)
    assert refusal.reason is reason
    assert len(refusal.text) > 20


def test_kicking_twice_in_a_hand_is_refused() -> None:
    """L2, B8: the first kick is final."""
    house = House(seated=(1, 2, 3)).deal().do(Kick(OWNER, Seat(2)))
    assert house.refused(Kick(OWNER, Seat(2))).reason is Reason.LEAVING
    house.act(Fold)
    assert not house.turn
