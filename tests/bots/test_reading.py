"""Reading cards: starting hands, boards, five cards before the draw."""

import random
from itertools import combinations

import pytest

from bots import board, five_cards
from bots.board import Hold
from bots.five_cards import CHANCE, Kind
from bots.starting_hands import percentile
from bots.strength import category_of, strength_of
from engine.cards import parse_cards


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


def test_aces_are_the_best_start_and_the_order_is_a_sensible_one() -> None:
    order = ["As Ad", "Ks Kd", "Qs Qd", "As Ks", "As Kd", "9s 8s", "Ks 7d", "7s 2d"]
    places = [percentile(cards(hand)) for hand in order]
    assert places[0] == 0.0
    assert places == sorted(places)
    assert places[-1] > 0.97


def test_every_starting_hand_has_its_place_whatever_the_order_of_its_cards() -> None:
    hands = list(combinations(range(52), 2))
    assert all(percentile((a, b)) == percentile((b, a)) for a, b in hands)
    for share in (0.1, 0.3, 0.6):
        assert sum(percentile(hand) < share for hand in hands) / 1326 == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(
    "own, shared, hold",
    [
        ("As Kd", "Qc 7d 2h", Hold.NOTHING),
        ("As Kd", "Qc Qd 2h", Hold.NOTHING),
        ("As Kd", "Ac 7d 2h", Hold.TOP_PAIR),
        ("As 7c", "Kc 7d 2h", Hold.MIDDLE_PAIR),
        ("As 2c", "Kc 7d 2h", Hold.LOW_PAIR),
        ("3s 3c", "Kc 7d 5h", Hold.LOW_PAIR),
        ("Qs Qc", "Jc 7d 5h", Hold.OVERPAIR),
        ("8s 8c", "Jc 7d 5h", Hold.MIDDLE_PAIR),
        ("As Kd", "Ac Kc 2h", Hold.TWO_PAIR),
        ("As 9d", "Ac Qc Qh", Hold.TOP_PAIR),
        ("7s 7c", "Kc 7d 2h", Hold.THREE_OF_A_KIND),
        ("As Kd", "Qc Qd Qh", Hold.NOTHING),
        ("9s 8c", "7d 6h 5c", Hold.STRAIGHT),
        ("As 2s", "Ks 7s 3s", Hold.FLUSH),
        ("7s 7c", "Kc 7d Kh", Hold.FULL_HOUSE),
        ("2s 3c", "Ts Js Qs Ks As", Hold.NOTHING),
    ],
)
def test_what_hole_cards_make_of_a_board(own: str, shared: str, hold: Hold) -> None:
    assert board.read(cards(own), cards(shared)).hold is hold


@pytest.mark.parametrize(
    "own, shared, outs",
    [
        ("As 4s", "Ks 7s 2d", 9),
        ("9s 8c", "7d 6h 2c", 8),
        ("9s 8c", "7d 5h 2c", 4),
        ("9s 8s", "7s 6s 2c", 15),
        ("As Kd", "8c 7d 2h", 0),
        ("As 4d", "Ks 7s 3s 2s 9d", 0),
        ("Ac Kd", "9s 8s 7s 6s", 0),
    ],
)
def test_outs_to_a_straight_or_flush_in_which_a_hole_card_plays(own: str, shared: str, outs: int) -> None:
    assert board.read(cards(own), cards(shared)).outs == outs


def test_a_board_of_one_suit_or_of_neighbours_is_dangerous() -> None:
    dry, wet, worse = (board.danger(cards(text)) for text in ("Ks 7d 2c", "9s 8s 7s", "9s 8s 7s 6s"))
    assert dry < wet < worse


@pytest.mark.parametrize(
    "hand, kind, keep",
    [
        ("9s 8c 7d 6h 5c", Kind.PAT, "9s 8c 7d 6h 5c"),
        ("9s 9c 9d 6h 6c", Kind.PAT, "9s 9c 9d 6h 6c"),
        ("9s 9c 9d 6h 5c", Kind.TRIPS, "9s 9c 9d"),
        ("9s 9c 6d 6h 5c", Kind.TWO_PAIR, "9s 9c 6d 6h"),
        ("9s 9c Ad 6h 5c", Kind.PAIR, "9s 9c"),
        ("9s 2s As 6s 5c", Kind.FOUR_FLUSH, "9s 2s As 6s"),
        ("9s 8c 7d 6h 2c", Kind.OPEN_STRAIGHT, "9s 8c 7d 6h"),
        ("As Kc Qd Jh 2c", Kind.HIGH, "As Kc"),
        ("As 2c 3d 4h 9c", Kind.HIGH, "As 9c"),
        ("Ks Jc 8d 6h 2c", Kind.HIGH, "Ks Jc"),
    ],
)
def test_the_standard_draw_of_five_cards(hand: str, kind: Kind, keep: str) -> None:
    reading = five_cards.read(cards(hand))
    assert reading.kind is kind
    assert set(reading.keep) == set(cards(keep))


@pytest.mark.parametrize(
    "hand",
    ["9s 9c 9d 6h 5c", "9s 9c 6d 6h 5c", "9s 9c Ad 6h 5c", "9s 2s As 6s 5c", "9s 8c 7d 6h 2c"],
)
def test_chances_to_improve_are_those_of_the_books(hand: str) -> None:
    """Enumerated for a pair, two pair and trips; of a draw, to a flush or straight."""
    five = cards(hand)
    reading = five_cards.read(five)
    rest = [card for card in range(52) if card not in five]
    rng = random.Random(1)
    to_beat = (
        4 << 20 if reading.kind in (Kind.FOUR_FLUSH, Kind.OPEN_STRAIGHT) else (category_of(five) + 1) << 20
    )
    draws = 5 - len(reading.keep)
    improved = sum(strength_of((*reading.keep, *rng.sample(rest, draws))) >= to_beat for _ in range(8000))
    assert improved / 8000 == pytest.approx(CHANCE[reading.kind], abs=0.018)


def test_every_draw_weighed_is_of_at_most_three_cards() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        five = tuple(rng.sample(range(52), 5))
        for given_up in five_cards.best_draws(five):
            assert len(given_up) <= 3
            assert set(given_up) < set(five)
