"""Spots: what can be dealt is taken, and what cannot is refused with what is wrong and what would be right."""

import time
from array import array
from itertools import product

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from bots.equity.combos import COMBOS, combo_text
from bots.equity.conflicts import conflict, is_possible, mask_of
from bots.equity.holdings import ANY, Holdings, drew
from bots.equity.ranges import Range, parse_range
from bots.equity.spots import SpotError, make_draw_spot, make_holdem_spot
from engine.cards import parse_cards

DEUCES_TO_NINES = " ".join(rank + suit for rank in "23456789" for suit in "cdhs")
HAND = "AhAd7c8d9s"

HOLDEM_MISTAKES = [
    ([], "", "", "0 players: 2 to 9 are right"),
    (["AA"], "", "", "1 player: 2 to 9 are right"),
    (["random"] * 10, "", "", "10 players: 2 to 9 are right"),
    (["AA", "QQ,AKx"], "", "", 'player 2: "AKx" (place 4) is no hand'),
    (["AA", " "], "", "", "player 2: an empty range"),
    (["AA", "KK:nan"], "", "", 'player 2: "nan" (place 4) is no weight'),
    (["AhKh", "AA"], "Qs", "", "a board of 1 card: none, 3 (the flop)"),
    (["AhKh", "AA"], "Qs7d", "", "a board of 2 cards: none, 3 (the flop)"),
    (["AhKh", "AA"], "2c3c4c5c6c7c", "", "a board of 6 cards: none, 3 (the flop)"),
    (["AhKh", "AA"], "Qs7d2x", "", "the board: '2x' is no card"),
    (["AhKh", "AA"], "Qs7d2", "", "the board: '2' is no card"),
    (["AhKh", "AA"], "", "1c", "the dead cards: '1c' is no card"),
    (["AhKh", "AhQd"], "", "", "Ah is in player 1's hand and in player 2's hand"),
    (["AhKh", "random", "QdKh"], "", "", "Kh is in player 1's hand and in player 3's hand"),
    (["22+", "AhKh"], "Qs7dKh", "", "Kh is in player 2's hand and on the board"),
    (["AhKh", "22+"], "", "2c Ah", "Ah is in player 1's hand and among the dead cards"),
    (["22+", "22+"], "Qs7d2s", "7d", "7d is on the board and among the dead cards"),
    (["22+", "22+"], "Qs7dQs", "", "Qs is on the board twice"),
    (["22+", "22+"], "", "Qs7dQs", "Qs is among the dead cards twice"),
    (["AA", "QQ:0.5"], "QsQdQh", "", 'nothing is left of player 2\'s "QQ:0.5": every combo holds'),
    (["AA", "QsJs,QsTs"], "", "Qs", "that is on the board or dead, Qs"),
    (["AA", "KK", "AA", "AA"], "", "", 'players 1, 3 and 4 cannot hold cards of "AA", "AA" and "AA" at once'),
    (
        ["AsAh", "AA,AsKs", "AA"],
        "",
        "Ks",
        '1, 2 and 3 cannot hold cards of "AsAh", "AA,AsKs" and "AA" at once',
    ),
    (["AKs"] * 5, "", "", "players 1, 2, 3, 4 and 5 cannot hold cards"),
    (
        ["22+,A2s+"] * 9,
        "",
        DEUCES_TO_NINES[:-6],
        "9 hands and a board take 23 cards and 30 are out of the deck",
    ),
]

DRAW_MISTAKES = [
    ("AhAd7c8d", [2], "", "", "a hand of 4 cards: at draw it has 5"),
    ("", [2], "", "", "a hand of 0 cards"),
    ("AhAd7c8d9s2c", [2], "", "", "a hand of 6 cards"),
    ("AhAd7c8dXs", [2], "", "", "the hand: 'Xs' is no card"),
    ("AhAd7cAh9s", [2], "", "", "Ah is in the own hand twice"),
    (HAND, [2], "7c8d9sAh", "", "4 discards: at most 3 are right"),
    (HAND, [2], "7c7h", "", "7h is discarded and not in the hand Ah Ad 7c 8d 9s"),
    (HAND, [2], "7c7c", "", "7c is among the discards twice"),
    (HAND, [2], "", "2c7c", "7c is in the own hand and among the dead cards"),
    (HAND, [2], "", "2c2c", "2c is among the dead cards twice"),
    (HAND, [], "", "", "0 opponents: 1 to 5 are right"),
    (HAND, [1] * 6, "", "", "6 opponents: 1 to 5 are right"),
    (HAND, [2, 4], "", "", "opponent 2 drew 4 cards: 0 (pat) to 3 are right"),
    (HAND, [-1], "", "", "opponent 1 drew -1 cards: 0 (pat) to 3 are right"),
    (HAND, ["drew 5"], "", "", "opponent 1 drew 5 cards"),
    (
        HAND,
        ["two"],
        "",
        "",
        'opponent 1: "two" says nothing: write how many cards he drew, such as 2; pat; or random',
    ),
    (HAND, [1] * 5, "9s8d", DEUCES_TO_NINES[:59] + " Ts", "6 hands take 30 cards and 23 are out of the deck"),
    (HAND, [Holdings(((49,), (50,)), (1.0, 1.0))], "", "", "nothing is left of what opponent 1 kept"),
    (HAND, [2, *[Holdings(((51, 48),), (1.0,))] * 2], "", "", "opponents 2 and 3 cannot have kept"),
]


@pytest.mark.parametrize("players, board, dead, said", HOLDEM_MISTAKES)
def test_a_holdem_spot_that_cannot_be_dealt_is_refused(
    players: list[str], board: str, dead: str, said: str
) -> None:
    with pytest.raises(SpotError) as caught:
        make_holdem_spot(players, board=board, dead=dead)
    assert said in str(caught.value)


@pytest.mark.parametrize("cards, opponents, discard, dead, said", DRAW_MISTAKES)
def test_a_draw_spot_that_cannot_be_dealt_is_refused(
    cards: str, opponents: list[Holdings | int | str], discard: str, dead: str, said: str
) -> None:
    with pytest.raises(SpotError) as caught:
        make_draw_spot(cards, opponents=opponents, discard=discard, dead=dead)
    assert said in str(caught.value)


@pytest.mark.parametrize("number", [-1, 52])
def test_a_number_that_is_no_card_is_refused(number: int) -> None:
    with pytest.raises(SpotError, match=f"the board: {number} is no card: a number from 0 to 51"):
        make_holdem_spot(["AA", "KK"], board=[0, 1, number])


def test_a_spot_keeps_what_it_was_made_of() -> None:
    spot = make_holdem_spot(["AhKh", Range.any(), "QQ+"], board="Qs 7d,2s", dead=parse_cards("2c 3d"))
    assert spot.players == (parse_range("AhKh"), Range.any(), parse_range("QQ+"))
    assert spot.board == parse_cards("Qs7d2s")
    assert spot.dead == parse_cards("2c3d")


def test_nine_players_may_sit_down_with_every_card_spoken_for() -> None:
    spot = make_holdem_spot(["random"] * 9, dead=DEUCES_TO_NINES[:-9])
    assert len(spot.dead) == 29
    assert spot.kernel_players() == (None,) * 9


def test_six_hands_may_take_the_last_card_at_draw() -> None:
    spot = make_draw_spot(HAND, opponents=[1] * 5, discard="9s8d", dead=DEUCES_TO_NINES[:59])
    assert len(spot.gone) == 22


def test_the_kernel_gets_ranges_without_known_cards() -> None:
    """Two bytes a combo; weights only where they differ; nobody's cards for any two."""
    one, two, three, four = make_holdem_spot(
        ["AhKh:0.5", "QQ:0.5,JJ", "QQ:0.5", "random:0.5"], board="Qs7d2s", dead="Jd"
    ).kernel_players()
    assert one == (bytes(sorted(parse_cards("AhKh"))), None)
    assert two is not None
    assert sorted(
        combo_text(COMBOS.index((a, b))) for a, b in zip(two[0][::2], two[0][1::2], strict=True)
    ) == [
        *("JhJc", "JsJc", "JsJh"),
        *("QdQc", "QhQc", "QhQd"),
    ]
    assert two[1] is not None
    assert sorted(array("d", two[1])) == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
    assert three is not None
    assert (len(three[0]), three[1]) == (6, None)
    assert four is None


def test_any_two_of_the_live_cards_are_random_even_if_spelled_out() -> None:
    board = parse_cards("Qs7d2s")
    spot = make_holdem_spot([Range.any().without(board), "AA"], board=board)
    assert spot.kernel_players()[0] is None
    assert make_holdem_spot([Range.any().without(board), "AA"]).kernel_players()[0] is not None
    uneven = Range.weighted((number, 1.0 + number % 2) for number in range(1326))
    assert make_holdem_spot([uneven, "AA"]).kernel_players()[0] is not None


def test_the_kernel_gets_the_draw() -> None:
    spot = make_draw_spot(HAND, opponents=["drew 3", 1, ANY], discard="9s 7c", dead="2c")
    assert spot.kept == parse_cards("Ah Ad 8d")
    assert spot.gone == parse_cards("2c 9s 7c")
    assert spot.kernel_opponents() == (drew(3).kernel_bytes(), drew(1).kernel_bytes(), None)


@pytest.mark.parametrize(
    "text, held",
    [
        *(("0", drew(0)), ("pat", drew(0)), ("Stood Pat", drew(0)), ("drew 3", drew(3)), ("draw1", drew(1))),
        *((" draws 2 ", drew(2)), ("random", ANY), ("ANY", ANY)),
    ],
)
def test_an_opponent_is_told_in_words(text: str, held: Holdings) -> None:
    assert make_draw_spot(HAND, opponents=[text]).opponents == (held,)


quick = effort(max_examples=300, deadline=None, derandomize=True, database=None)
few_combos = st.lists(
    st.lists(st.sampled_from([mask_of(pair) for pair in COMBOS[:28]]), max_size=6, unique=True),
    min_size=1,
    max_size=4,
)


def naively_possible(players: list[list[int]]) -> bool:
    return any(sum(ways).bit_count() == 2 * len(ways) and not clash(ways) for ways in product(*players))


def clash(ways: tuple[int, ...]) -> bool:
    used = 0
    for way in ways:
        if used & way:
            return True
        used |= way
    return False


@quick
@given(few_combos)
def test_a_deal_is_possible_exactly_if_going_through_all_finds_one(players: list[list[int]]) -> None:
    assert is_possible(players) == naively_possible(players)


@quick
@given(few_combos)
def test_who_is_in_conflict_is_so_without_a_needless_player(players: list[list[int]]) -> None:
    group = conflict(players)
    assert bool(group) != naively_possible(players)
    if group:
        assert not naively_possible([players[index] for index in group])
        for index in group:
            assert naively_possible([players[other] for other in group if other != index])


def within(*groups: range) -> list[int]:
    """The pairs of cards that are both in one of the groups."""
    return [
        mask_of(pair) for pair in COMBOS if any(pair[0] in group and pair[1] in group for group in groups)
    ]


HARD = {
    "seventeen cards for nine": ([within(range(17))] * 9, False),
    "eighteen cards for nine": ([within(range(18))] * 9, True),
    "two odd groups of nine": ([within(range(9), range(9, 18))] * 9, False),
    "two even groups of ten": ([within(range(10), range(10, 20))] * 9, True),
    "eight centres": ([[mask_of(pair) for pair in COMBOS if pair[1] >= 44 and pair[0] < 44]] * 9, False),
    "one who needs nothing": ([[0], [0b11], [0b11]], False),
    "a hundred and one ways, all with two cards": (
        [[0b11], [mask_of(pair) for pair in COMBOS if pair[0] < 2]],
        False,
    ),
    "four aces for three": ([within(range(48, 52))] * 3 + [within(range(52))] * 6, False),
}


@pytest.mark.parametrize("players, possible", HARD.values(), ids=HARD)
def test_ranges_made_to_defeat_the_search_are_answered_at_once(
    players: list[list[int]], possible: bool
) -> None:
    started = time.process_time()
    assert is_possible(players) == possible
    assert bool(conflict(players)) != possible
    assert time.process_time() - started < 0.5


def test_a_search_that_would_take_long_is_given_up_and_the_answer_is_yes() -> None:
    """Six centres with twelve others each, and a group of five: at most eight pairs, which no reduction sees."""
    ways = [mask_of(pair) for pair in COMBOS if (pair[1] > 45 and 20 < pair[0] < 33) or pair[1] < 5]
    started = time.process_time()
    assert is_possible([ways] * 9)
    assert time.process_time() - started < 2
