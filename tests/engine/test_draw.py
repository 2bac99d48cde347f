"""Five-card draw, fixed limit: the sizes, the cap, the levels of short all-ins, and the exchange."""

from dataclasses import replace

import pytest

from engine.cards import parse_cards
from engine.commands import Draw
from engine.events import Audience, CardsDrawn, CardsReplaced, StreetStarted, TurnStarted
from engine.game import Game, Structure, level
from engine.refusals import Reason
from engine.settings import rules_of
from engine.units import Chips, HandNumber, PlayerId, Turn
from tests.engine.felt import Felt, draw_poker, holdem, settings

PAT = "1:p 2:p 3:p "


def chips(*amounts: int) -> tuple[Chips, ...]:
    return tuple(Chips(amount) for amount in amounts)


def raises(felt: Felt) -> tuple[int, int, int]:
    """Who is to act, and the one bet and the one raise that are offered to him (0: none)."""
    legal = felt.legal
    assert legal.bet_min == legal.bet_max
    assert legal.raise_min == legal.raise_max
    return felt.turn, legal.bet_min, legal.raise_min


# Sizes and order


def test_small_bet_in_the_first_round_and_big_bet_in_the_second() -> None:
    """D1: 10, then 20."""
    felt = draw_poker([500, 500, 500])
    assert raises(felt) == (1, 10, 0)
    felt.play("1:b10 2:c 3:c " + PAT)
    assert raises(felt) == (1, 20, 0)
    felt.play("1:b20")
    assert raises(felt) == (2, 0, 40)


@pytest.mark.parametrize("moves, move, exact", [("", "b9", 10), ("", "b11", 10), ("1:b10", "r25", 20)])
def test_exactly_one_unit(moves: str, move: str, exact: int) -> None:
    """D2: more never, less only as an all-in."""
    refusal = draw_poker([500, 500, 500]).play(moves).refused(move)
    assert refusal.reason is Reason.AMOUNT_OUT_OF_RANGE
    assert refusal.text.endswith(f"refused: it must be exactly {exact}")


def test_less_than_a_unit_only_as_an_all_in() -> None:
    """D2: with all-in on, a stack of 6 may be bet, and is the whole of it."""
    felt = draw_poker([7, 500], all_in=True)
    assert raises(felt) == (1, 6, 0)
    assert felt.legal.all_in == 6
    felt.play("1:a")
    assert felt.hand.bet == 6
    off = draw_poker([500, 16]).play("1:b10")
    assert (raises(off), off.legal.call) == ((2, 0, 0), 10)


def test_all_in_is_an_action_only_where_it_is_on() -> None:
    """The games: all-in only where `all_in` is on, and legal exactly when the bet of the whole stack is."""
    felt = draw_poker([11, 500])
    assert (felt.legal.all_in, felt.legal.bet_max) == (0, 10)
    assert felt.refused("a").reason is Reason.ILLEGAL_ACTION
    deep = draw_poker([500, 500], all_in=True)
    assert deep.legal.all_in == 0
    assert deep.refused("a").text == "all-in refused: it would be 499, and the maximum is 10"


def test_both_rounds_start_left_of_the_button() -> None:
    """D3: with the first live seat that has chips; at the draw the all-in too."""
    felt = draw_poker([11, 500, 500, 500], all_in=True).play("1:b10 2:c 3:c 4:c")
    assert (felt.street, felt.turn) == ("draw", 1)
    felt.play("1:p 2:p 3:p 4:p")
    assert (felt.street, felt.turn) == ("postdraw", 2)
    folded = draw_poker([500, 500, 500]).play("1:f 2:x 3:x")
    assert (folded.street, folded.turn) == ("draw", 2)


def test_heads_up_the_other_player_acts_first_in_both_rounds() -> None:
    """B1, D3: the button is seat 2."""
    felt = draw_poker([500, 500])
    assert felt.hand.button == 2
    felt.play("1:x 2:x 1:p 2:p 1:x 2:x")


def test_draw_happens_when_all_check() -> None:
    """D4: no openers are needed."""
    felt = draw_poker([500, 500, 500]).play("1:x 2:x 3:x")
    assert (felt.street, felt.turn) == ("draw", 1)
    assert (felt.legal.draw, felt.legal.draw_max, felt.legal.fold) == (True, 3, False)


@pytest.mark.parametrize("stacks", [[500, 500, 500], [500, 500]], ids=["three", "heads-up"])
@pytest.mark.parametrize("cap", [1, 3, 10])
def test_raise_cap(cap: int, stacks: list[int]) -> None:
    """D5, W-T 100b: a bet and `raise_cap` raises; it holds heads-up too."""
    felt = draw_poker(stacks, cap=cap).play("1:b10")
    for raised in range(1, cap + 1):
        felt.play(f"r{10 + 10 * raised}")
    assert felt.hand.raises == cap
    assert raises(felt)[2] == 0
    to = 20 + 10 * cap
    assert felt.refused(f"r{to}").text.startswith(
        f"raise to {to} refused: the cap of {cap} raises is reached"
    )


# Levels


@pytest.mark.parametrize(
    "bet, counted", [(0, 0), (3, 0), (4, 0), (5, 1), (10, 1), (13, 1), (15, 2), (23, 2), (34, 3), (35, 4)]
)
def test_half_a_unit_or_more_counts_as_the_full_level(bet: int, counted: int) -> None:
    """D6, RRoP 6, W-L 129: (2b + unit) div (2 x unit), unit 10."""
    assert level(bet, 10) == counted


def test_who_acted_may_raise_only_a_higher_level() -> None:
    """D6: A bets 10, B raises to 20, C all-in 23: A may raise, B may not."""
    felt = draw_poker([500, 500, 24], all_in=True).play("1:b10 2:r20 3:a")
    assert raises(felt) == (1, 0, 30)
    felt.play("1:c")
    assert raises(felt) == (2, 0, 0)
    assert felt.legal.call == 3, "a call is of the actual amount"


def test_who_has_not_acted_may_always_raise() -> None:
    """D6: over an all-in that is no level above the bet."""
    felt = draw_poker([500, 14, 500], all_in=True).play("1:b10 2:a")
    assert raises(felt) == (3, 0, 20)
    felt.play("3:c")
    assert raises(felt) == (1, 0, 0)


@pytest.mark.parametrize(
    "stacks, moves, to",
    [
        ([4, 500, 500], "1:a", 10),
        ([500, 14, 500], "1:b10 2:a", 20),
        ([500, 16, 500], "1:b10 2:a", 30),
        ([500, 14, 17, 500], "1:b10 2:a 3:a", 30),
    ],
)
def test_raise_is_to_the_next_level(stacks: list[int], moves: str, to: int) -> None:
    """D7: unit 10: all-in 3 -> 10; 13 -> 20; 15 -> 30; 10, 13, 16 -> 30."""
    assert raises(draw_poker(stacks, all_in=True).play(moves))[2] == to


def test_all_in_closes_the_raising_at_its_level() -> None:
    """D8: unit 10, cap 3: an all-in of 35 closes it."""
    felt = draw_poker([500, 500, 500, 36], all_in=True).play("1:b10 2:r20 3:r30 4:a")
    assert felt.hand.bet == 35
    assert raises(felt) == (1, 0, 0)
    open_still = draw_poker([500, 500, 500, 35], all_in=True).play("1:b10 2:r20 3:r30 4:a")
    assert open_still.hand.bet == 34
    assert raises(open_still) == (1, 0, 40)


def test_completion_is_not_one_more_raise() -> None:
    """D8: all-in 3, completed to 10: three raises are still to come."""
    felt = draw_poker([4, 500, 500, 500], all_in=True).play("1:a 2:r10")
    assert felt.hand.raises == 0
    felt.play("3:r20 4:r30 2:r40")
    assert raises(felt) == (3, 0, 0)


# The exchange


def test_draw_goes_clockwise_one_declaration_each() -> None:
    """D9: from the left of the button, final once dealt."""
    felt = draw_poker([500, 500, 500], cards=["2c3d5h7s9c"]).play("1:x 2:x 3:x")
    felt.play("1:d2c3d")
    again = felt.do(Draw(PlayerId("p1"), HandNumber(1), Turn(4), ()))
    assert again is not None
    assert again.reason is Reason.STALE_TURN
    felt.play("2:p 3:p")
    assert felt.street == "postdraw"


def test_count_is_public_and_the_cards_are_the_players_own() -> None:
    """D10: how many cards a player drew is public at once, which ones only to him."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c", ""], then="AsAd").play("1:x 2:x 1:d2c3d 2:p")
    assert felt.of(CardsDrawn) == [CardsDrawn(felt.hand.seats[0], 2), CardsDrawn(felt.hand.seats[1], 0)]
    (replaced,) = felt.of(CardsReplaced)
    assert replaced.AUDIENCE is Audience.OWN_SEAT
    assert CardsDrawn.AUDIENCE is Audience.EVERYBODY
    assert felt.hand.draws[1:] == [2, 0]
    assert [kind for _, _, kind, _ in felt.hand.history][-2:] == ["draw", "draw"]


@pytest.mark.parametrize(
    "move, reason, text",
    [
        ("d2c3d5h7s", Reason.TOO_MANY_CARDS, "draw of 4 cards refused: the maximum is 3"),
        ("dAs", Reason.NOT_YOUR_CARD, "draw refused: As is not in your hand; name 0 to 3 of your own cards"),
    ],
)
def test_wrong_cards_are_refused(move: str, reason: Reason, text: str) -> None:
    """D11: a card that is not his, or more than three: refused, nothing changes."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c"]).play("1:x 2:x")
    refusal = felt.refused(move)
    assert (refusal.reason, refusal.text) == (reason, text)
    assert refusal.legal == felt.legal


def test_card_named_twice_is_refused() -> None:
    """D11: twice the same."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c"]).play("1:x 2:x")
    refusal = felt.do(Draw(PlayerId("p1"), HandNumber(1), felt.hand.turn, parse_cards("2c") * 2))
    assert refusal is not None
    assert refusal.reason is Reason.CARD_NAMED_TWICE
    assert felt.turn == 1


def test_betting_at_the_draw_is_refused() -> None:
    """D9: there is nothing to bet, check or fold at the draw."""
    felt = draw_poker([500, 500]).play("1:x 2:x")
    for move in ("f", "x", "c", "b20", "r40"):
        assert felt.refused(move).text.endswith("it is the draw; name the cards to exchange, or none")


def test_replacements_are_dealt_at_once_in_the_order_of_the_declarations() -> None:
    """D12: off the top of the deck."""
    felt = draw_poker([500, 500], cards=["2c3d5h7s9c", "2d3c5s7h9d"], then="AsAdKsKd").play("1:x 2:x")
    felt.play("1:d3d2c")
    assert felt.hand.cards[1] == parse_cards("5h7s9cAsAd")
    felt.play("2:d2d5s")
    assert felt.hand.cards[2] == parse_cards("3c7h9dKsKd")


def test_all_in_players_draw_and_folded_ones_do_not() -> None:
    """D13: seat 1 is all-in, seat 2 folded."""
    felt = draw_poker([11, 500, 500, 500], all_in=True).play("1:b10 2:f 3:c 4:c 1:p 3:p 4:p")
    assert felt.street == "postdraw"


def test_no_draw_with_one_live_player() -> None:
    """D14: everybody folds before it."""
    felt = draw_poker([500, 500, 500]).play("1:b10 2:f 3:f")
    assert felt.turn == 0
    assert "StreetStarted" not in felt.kinds()
    assert felt.won == {1: 3}


def test_deck_never_runs_out() -> None:
    """D15: six players and three cards each are 48."""
    felt = draw_poker([500] * 6).play("1:x 2:x 3:x 4:x 5:x 6:x")
    for seat in range(1, 7):
        own = felt.hand.cards[seat]
        assert felt.do(Draw(PlayerId(f"p{seat}"), HandNumber(1), felt.hand.turn, own[:3])) is None
    assert felt.hand.dealt == 48
    assert all(len(cards) == 5 for cards in felt.hand.cards[1:])


def test_nobody_gets_a_discard_back() -> None:
    """D16: discards stay out of the deck until the hand is over."""
    felt = draw_poker([500] * 6).play("1:x 2:x 3:x 4:x 5:x 6:x")
    for seat in range(1, 7):
        own = felt.hand.cards[seat]
        felt.do(Draw(PlayerId(f"p{seat}"), HandNumber(1), felt.hand.turn, own[:3]))
    thrown = [card for event in felt.of(CardsReplaced) for card in event.discards]
    held = [card for cards in felt.hand.cards for card in cards]
    assert len(set(thrown) | set(held)) == 18 + 30


def test_no_second_round_when_all_but_one_are_all_in() -> None:
    """D17: the draw, then the showdown."""
    felt = draw_poker([11, 500], all_in=True).play("1:b10 2:c 1:p 2:p")
    assert felt.turn == 0
    assert felt.shown == [1, 2]
    assert [event.street for event in felt.of(StreetStarted)] == ["draw"]


def test_private_cards_go_to_their_owner_alone() -> None:
    """D18: no event that everybody sees holds a private card before the showdown, nor a folded player's at all."""
    felt = draw_poker([500, 500, 500], cards=["2c3d5h7s9c", "AsAdKhKsQd", "2d3c5s7h9d"])
    felt.play("1:b10 2:c 3:f 1:d2c 2:p 1:x 2:x")
    public = [event for event in felt.events if event.AUDIENCE is Audience.EVERYBODY]
    cards = [card for event in public for card in getattr(event, "cards", ())]
    assert sorted(cards) == sorted((*felt.hand.cards[1], *felt.hand.cards[2]))
    assert felt.hand.shown[3] == ()


# Replay configurations


def test_fixed_limit_holdem() -> None:
    """Replay configurations: fixed-limit hold'em is other HandRules; the big blind is the bet of its round."""
    made = settings(Game.HOLDEM, seats=3, small_blind=5, big_blind=10)
    rules = replace(
        rules_of(made), structure=Structure.FIXED_LIMIT, units=chips(10, 10, 20, 20), raise_cap=3, all_in=True
    )
    felt = holdem([500, 500, 500], blinds=(5, 10), rules=rules)
    assert raises(felt) == (3, 0, 20)
    felt.play("3:r20 1:r30 2:r40")
    assert raises(felt) == (3, 0, 0)
    felt.play("3:c 1:c 1:x 2:x 3:x")
    assert (felt.street, *raises(felt)) == ("turn", 1, 20, 0)


def test_blinds_in_draw() -> None:
    """Replay configurations: draw with blinds starts from the left of the big blind, later streets from the button."""
    drawing = rules_of(settings(Game.DRAW, hand_limit=1))
    rules = replace(drawing, units=chips(10, 0, 20), small_blind=Chips(5), big_blind=Chips(10), all_in=True)
    felt = holdem([500] * 4, blinds=(5, 10), rules=rules)
    assert raises(felt) == (3, 0, 20)
    felt.play("3:c 4:f 1:c 2:x 1:p 2:p 3:p")
    assert raises(felt) == (1, 20, 0)


def test_ante_of_the_big_blind_alone() -> None:
    """Replay configurations: a big blind's ante is dead money, and does not come back to him."""
    made = settings(Game.HOLDEM, seats=3, small_blind=50, big_blind=100)
    rules = replace(rules_of(made), big_blind_ante=True)
    felt = holdem([1000] * 3, blinds=(50, 100), antes=[(2, 100)], rules=rules)
    assert felt.legal.call == 100
    felt.play("3:f 1:f")
    assert felt.returned == {2: 50}
    assert felt.won == {2: 200}
    assert len(felt.of(TurnStarted)) == 2
