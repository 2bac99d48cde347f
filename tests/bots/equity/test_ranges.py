"""Ranges: the notation is read as players mean it, printed short, and every mistake is named with its place."""

import math
import pickle
import random

import pytest
from hypothesis import assume, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from bots.equity.combos import COMBOS, combo, combo_text, combos_with, offsuit, pair, suited
from bots.equity.ranges import Range, RangeError, parse_range
from engine.cards import parse_card

HANDS = {
    "AA": "AsAh AsAd AsAc AhAd AhAc AdAc",
    "AKs": "AsKs AhKh AdKd AcKc",
    "AKo": "AsKh AsKd AsKc AhKs AhKd AhKc AdKs AdKh AdKc AcKs AcKh AcKd",
    "AK": "AKs AKo",
    "KA": "AK",
    "45s": "54s",
    "QQ+": "QQ KK AA",
    "AA+": "AA",
    "A2s+": "A2s A3s A4s A5s A6s A7s A8s A9s ATs AJs AQs AKs",
    "KTo+": "KTo KJo KQo",
    "KT+": "KTs+ KTo+",
    "T9s+": "T9s",
    "32o+": "32o",
    "22-99": "22 33 44 55 66 77 88 99",
    "99-22": "22-99",
    "77-77": "77",
    "A2s-A5s": "A2s A3s A4s A5s",
    "A5s-A2s": "A2s A3s A4s A5s",
    "Q9-Q7": "Q9s Q8s Q7s Q9o Q8o Q7o",
    "T9s-65s": "T9s 98s 87s 76s 65s",
    "65s-T9s": "T9s 98s 87s 76s 65s",
    "AQo-T8o": "AQo KJo QTo J9o T8o",
    "QTs-97s": "QTs J9s T8s 97s",
    "AsKd": "KdAs",
    "As Kd": "AsKd",
    "As Kd Ah  Kc": "AsKd,AhKc",
    "AsKs,AhKh": "AsKs AhKh",
    "A10s": "ATs",
    "1010": "TT",
    "10s9h": "Ts9h",
    "a10S+": "ATs+",
    "qq+,aKo,ASKD": "QQ+ AKo AsKd",
    " QQ+ ,\n AKs\t": "QQ+,AKs",
    "QQ+,AKs,": "QQ+,AKs",
    "A5s - A2s": "A5s-A2s",
    "A5s\u2013A2s": "A5s-A2s",
    "AA\u00a0KK": "AA,KK",
    "AA,AA,AsAh": "AA",
    "Random": "random",
    "any two": "random",
    "anytwo": "random",
    "100%": "random",
    "100 %": "random",
}
"""Texts that name the same range."""

WEIGHTS = {
    "AA:0.25": {"AsAh": 0.25},
    "AA : .25, KK": {"AsAh": 0.25, "KsKd": 1.0},
    "QQ+:0.5": {"QsQh": 0.5, "KsKh": 0.5, "AsAh": 0.5},
    "A5s-A2s:1e-3": {"As5s": 0.001, "As2s": 0.001},
    "AsKd:1": {"AsKd": 1.0},
    "As Kd: 1.": {"AsKd": 1.0},
    "AA:0.5,AsAh:0.50": {"AsAh": 0.5},
    "random:0.5": {"3s2s": 0.5},
    "AA:5e-324": {"AsAh": 5e-324},
    "AA:0.1,33": {"AsAh": 0.1, "3s3h": 1.0},
}

PRINTED = {
    "AA,KK,QQ": "QQ+",
    "22-AA": "22+",
    "99-22": "99-22",
    "99,77,66": "99,77-66",
    "AKs,AKo": "AK",
    "AQ+,AJs": "AJs+,AQo+",
    "A5s,A4s,A3s,A2s": "A5s-A2s",
    "K9s+": "K9s+",
    "T9s,98s,87s,76s,65s": "T9s-65s",
    "T9s,98s": "T9s,98s",
    "KQ,QJ,JT": "KQ-JT",
    "A2,K3,J5,T6": "A2,K3,J5,T6",
    "JTo,T9o,98o,A2o+": "A2o+,JTo-98o",
    "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+": "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+",
    "AhKh,AsKs": "AsKs,AhKh",
    "AsAh,AsAd,AsAc,AhAd,AhAc": "AsAh,AsAd,AsAc,AhAd,AhAc",
    "KK:0.5,AA:0.5,QQ": "QQ,KK+:0.5",
    "AA:0.25,KK:0.5,QQ:0.75": "QQ:0.75,KK:0.5,AA:0.25",
    "AKs:0.5,AKo": "AKo,AKs:0.5",
    "AKs:0.5,AKo:0.5": "AK:0.5",
    "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32": "random",
    "random:0.125": "random:0.125",
}

MISTAKES = [
    ("", 1, "", "an empty range"),
    (" \n", 1, " \n", "an empty range"),
    (",AA", 1, ",", "a hand is missing"),
    ("AA,,KK", 4, ",", "a hand is missing"),
    ("AA, ,KK", 5, ",", "a hand is missing"),
    ("AKx", 1, "AKx", '"x" follows the ranks; s is suited, o offsuit'),
    ("QQ+,AKx", 5, "AKx", "is no hand"),
    ("AKsd", 1, "AKsd", '"sd" follows the ranks'),
    ("AKh", 1, "AKh", "AKs is suited, and two exact cards are written like AsKd"),
    ("XKs", 1, "XKs", '"X" is no rank, the ranks are 2-9, T, J, Q, K, A'),
    ("A1s", 1, "A1s", '"1" is neither a rank nor a suit'),
    ("QQ,1", 4, "1", '"1" is no rank'),
    ("\u212aQs", 1, "\u212aQs", "is no rank"),
    ("A\u017f", 1, "A\u017f", "is neither a rank nor a suit"),
    ("Axs", 1, "Axs", "an ace with any lower card is A2s+"),
    ("KK Ax", 4, "Ax", "an ace with any lower card is A2+"),
    ("AA,A", 4, "A", "half of one"),
    ("AA As", 4, "As", "half a hand"),
    ("As,Kd", 1, "As", "half a hand"),
    ("As KK", 1, "As", "half a hand"),
    ("AsK", 1, "AsK", "its second card lacks a suit"),
    ("KsA", 1, "KsA", "its second card lacks a suit"),
    ("AsKx", 1, "AsKx", '"x" is no suit, the suits are c, d, h, s'),
    ("AsXd", 1, "AsXd", '"X" is no rank'),
    ("AsAs", 1, "AsAs", "has As twice: two different cards"),
    ("KK,As as", 4, "As as", "has As twice"),
    ("AsKsQs", 1, "AsKsQs", "a comma stands between two hands"),
    ("AKAQ", 1, "AKAQ", "a comma stands between two hands"),
    ("AA;KK", 1, "AA;KK", "a comma stands between two hands"),
    ("AAs", 1, "AAs", "a pair is neither suited nor offsuit, write AA"),
    ("77,88o", 4, "88o", "write 88"),
    ("+", 1, "+", "no hand before it"),
    ("QQ +", 4, "+", "a plus stands right behind its hand"),
    ("QQ++", 1, "QQ++", "goes on after its plus"),
    ("QQ+KK", 1, "QQ+KK", "goes on after its plus"),
    ("QQ+ -22", 1, "QQ+ -22", "goes on after its plus"),
    ("AA,22+-99", 4, "22+-99", "goes on after its plus"),
    ("AA,AsKs+", 4, "AsKs+", "a plus needs ranks alone, such as ATs+"),
    ("-QQ", 1, "-", "a span has two ends"),
    ("QQ-", 1, "QQ-", "lacks its other end"),
    ("AA,A5s- ,KK", 4, "A5s-", "lacks its other end"),
    ("A5s--A2s", 1, "A5s-", "lacks its other end"),
    ("A5s-A", 5, "A", "half of one"),
    ("AA,22-99+", 4, "22-99+", "and no plus"),
    ("22-55-99", 1, "22-55-99", "has a third end"),
    ("AsKs-AsQs", 1, "AsKs-AsQs", "a span of exact cards"),
    ("AKs-AsQs", 1, "AKs-AsQs", "a span of exact cards"),
    ("99-A2s", 1, "99-A2s", "mixes a pair with a hand of two ranks"),
    ("A2s-99", 1, "A2s-99", "mixes a pair with a hand of two ranks"),
    ("A5s-A2o", 1, "A5s-A2o", "such as A5s-A2s"),
    ("A5s-A2", 1, "A5s-A2", "ends of unequal suits"),
    ("KK A5s-K3s", 4, "A5s-K3s", "ends of unequal shape"),
    ("T9s-64s", 1, "T9s-64s", "one gap in both, T9s-65s"),
    ("randomAA", 1, "randomAA", '"r" is no rank'),
    ("15%", 1, "15%", "of percentages only 100% is a range"),
    ("AA 0.5", 4, "0.5", "a weight stands behind its hand with a colon"),
    (":0.5", 1, ":", "no hand before it"),
    ("AA :", 4, ":", "no weight behind it"),
    ("AA:,KK", 3, ":", "no weight behind it"),
    ("AA:0", 4, "0", "a number above 0 and at most 1"),
    ("AA:0.0", 4, "0.0", "a number above 0 and at most 1"),
    ("AA:-0.5", 4, "-0.5", "a number above 0 and at most 1"),
    ("KK,AA:nan", 7, "nan", "a number above 0 and at most 1"),
    ("AA:inf", 4, "inf", "a number above 0 and at most 1"),
    ("AA:x", 4, "x", "a number above 0 and at most 1"),
    ("AA:1_0", 4, "1_0", "a number above 0 and at most 1"),
    ("AA:1e-400", 4, "1e-400", "a number above 0 and at most 1"),
    ("AA:\u0661", 4, "\u0661", "a number above 0 and at most 1"),
    ("AA:0.5:0.5", 4, "0.5:0.5", "a number above 0 and at most 1"),
    ("AA:50%", 4, "50%", "a number above 0 and at most 1"),
    ("AA:1.5", 4, "1.5", "divide by the largest"),
    ("AA, KK:2", 8, "2", "divide by the largest"),
    ("AA,KK+:0.5", 4, "KK+:0.5", 'the weight 0.5, and "AA" (place 1) gave it 1: name it once'),
    ("KK, AKs:0.5 AsKs", 13, "AsKs", '"AKs:0.5" (place 5) gave it 0.5'),
]
"""A text, the place from 1 and the text of what is wrong in it, and a piece of what is said about it."""


def combos_in(text: str) -> set[str]:
    return {combo_text(number) for number in parse_range(text).combos}


@pytest.mark.parametrize("text, same", HANDS.items())
def test_notation_means_what_players_mean(text: str, same: str) -> None:
    assert parse_range(text) == parse_range(same)


def test_hands_have_their_cards() -> None:
    """Against the texts of combos, written by hand."""
    assert combos_in("AA") == set(HANDS["AA"].split())
    assert combos_in("AKs") == set(HANDS["AKs"].split())
    assert combos_in("AKo") == {
        combo_text(combo(parse_card(text[:2]), parse_card(text[2:]))) for text in HANDS["AKo"].split()
    }
    assert [len(parse_range(text).combos) for text in ("AK", "22+", "A2s+", "random")] == [16, 78, 48, 1326]


@pytest.mark.parametrize("text, some", WEIGHTS.items())
def test_a_weight_is_that_of_its_term(text: str, some: dict[str, float]) -> None:
    held = parse_range(text)
    weights = dict(zip(map(combo_text, held.combos), held.weights, strict=True))
    assert {cards: weights[cards] for cards in some} == some


@pytest.mark.parametrize("text, printed", PRINTED.items())
def test_ranges_are_printed_short(text: str, printed: str) -> None:
    assert str(parse_range(text)) == printed
    assert str(parse_range(printed)) == printed


@pytest.mark.parametrize("text, place, wrong, said", MISTAKES)
def test_a_mistake_is_named_with_its_place(text: str, place: int, wrong: str, said: str) -> None:
    with pytest.raises(RangeError) as caught:
        parse_range(text)
    error = caught.value
    assert error.at == place - 1
    assert text[error.at : error.at + error.length] == wrong
    assert said in str(error)
    if wrong.strip():
        assert str(error).startswith(f'"{wrong}" (place {place}) ')


def test_a_mistake_in_the_second_of_two_equal_words_has_its_own_place() -> None:
    with pytest.raises(RangeError, match=r'^"AsAh:0.5" \(place 10\)') as caught:
        parse_range("KK,AsAh, AsAh:0.5")
    assert (caught.value.at, caught.value.length) == (9, 8)


def test_a_range_error_travels_between_processes() -> None:
    error = RangeError("wrong", at=3, length=2)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.at, again.length) == ("wrong", 3, 2)


def held_or_mistake(text: str) -> Range | RangeError:
    try:
        return parse_range(text)
    except RangeError as error:
        return error


quick = effort(max_examples=300, deadline=None, derandomize=True, database=None)
RANKS = st.sampled_from([*"23456789TJQKA", "10", *"tjqka"])
SUITS = st.sampled_from("cdhsCDHS")
WEIGHT = st.floats(0, 1, exclude_min=True)
JUNK = st.text(st.sampled_from("AKQT92sohdcx+-:,. 10%\u2013\u212a"), max_size=12)


@st.composite
def hands(draw: st.DrawFn) -> str:
    """A term without a weight that is right."""
    one: str = draw(RANKS)
    other: str = draw(RANKS)
    ends = one.upper().replace("10", "T"), other.upper().replace("10", "T")
    suits: str = "" if ends[0] == ends[1] else draw(st.sampled_from(["", "s", "o"]))
    plus: str = draw(st.sampled_from(["", "+"]))
    return one + other + suits + plus


@st.composite
def ranges(draw: st.DrawFn) -> Range:
    """Any range: whole hands and single combos, of few weights or of many."""
    weights: dict[int, float] = {}
    for text in draw(st.lists(hands(), max_size=8)):
        weight = draw(st.one_of(st.sampled_from([1.0, 0.5]), WEIGHT))
        weights.update(dict.fromkeys(parse_range(text).combos, weight))
    numbers = st.integers(0, 1325)
    weights.update(draw(st.dictionaries(numbers, st.one_of(st.just(1.0), WEIGHT), max_size=40)))
    for number in draw(st.sets(numbers, max_size=20)):
        weights.pop(number, None)
    assume(weights)
    return Range(tuple(sorted(weights)), tuple(weights[number] for number in sorted(weights)))


@quick
@given(ranges())
def test_what_is_printed_is_read_as_the_same_range(held: Range) -> None:
    assert parse_range(str(held)) == held


@quick
@given(ranges())
def test_printing_what_was_printed_changes_nothing(held: Range) -> None:
    assert str(parse_range(str(held))) == str(held)


@quick
@given(st.sets(st.sampled_from([*range(169)])), st.randoms(use_true_random=False))
def test_whole_hands_are_printed_without_single_cards(classes: set[int], rng: random.Random) -> None:
    """The shortest usual notation never spells combos out where a hand has a name."""
    cells = [divmod(number, 13) for number in classes]
    numbers = {
        number
        for a, b in cells
        for number in (pair(a) if a == b else suited(a, b) if a > b else offsuit(b, a))
    }
    assume(numbers)
    held = Range(tuple(sorted(numbers)), (1.0,) * len(numbers))
    text = str(held)
    assert not set("cdh") & set(text.replace("random", ""))
    named = text.split(",")
    rng.shuffle(named)
    assert parse_range(" ".join(named)) == held
    assert len(named) <= len(cells)


@quick
@given(st.lists(st.tuples(hands(), WEIGHT), min_size=1, max_size=4))
def test_any_text_of_hands_is_a_range_or_names_the_two_places(terms: list[tuple[str, float]]) -> None:
    text = ", ".join(f"{hand}:{weight!r}" for hand, weight in terms)
    match held_or_mistake(text):
        case Range(weights=weights):
            assert set(weights) == {weight for _, weight in terms}
        case error:
            assert "name it once" in str(error)
            assert text[error.at : error.at + error.length] in [
                f"{hand}:{weight!r}" for hand, weight in terms
            ]


@quick
@given(st.one_of(JUNK, st.text(max_size=8)))
def test_nonsense_is_a_range_error_within_the_text(text: str) -> None:
    match held_or_mistake(text):
        case Range() as held:
            assert parse_range(str(held)) == held
        case error:
            assert 0 <= error.at <= error.at + error.length <= len(text)
            assert error.length or not text


def test_any_two_is_one_of_each() -> None:
    held = Range.any()
    assert held.combos == tuple(range(1326))
    assert held.is_random
    assert str(held) == "random"
    assert parse_range("random:0.5").is_random
    assert not Range.weighted([(number, 1.0 + number % 2) for number in range(1326)]).is_random
    assert not held.without([0]).is_random


def test_two_cards_are_a_range() -> None:
    ace, king = parse_card("As"), parse_card("Kd")
    assert parse_range("KdAs").hole_cards == (ace, king)
    assert parse_range("AKs").hole_cards is None


def test_known_cards_rule_out_combos() -> None:
    ace = parse_card("As")
    assert str(parse_range("AA:0.5,KK").without([ace])) == "KK,AhAd:0.5,AhAc:0.5,AdAc:0.5"
    with pytest.raises(ValueError, match="every combo"):
        parse_range("AsKs,AsQd").without([0, ace])


def test_weights_of_any_size_are_scaled() -> None:
    """Their proportions are kept, and zeros drop out."""
    assert Range.weighted([(3, 4.0), (1, 0.0), (2, 1.0)]) == Range((2, 3), (0.25, 1.0))
    assert Range.weighted([(3, 0.5), (2, 0.1)]) == Range((2, 3), (0.1, 0.5))
    assert Range.weighted([(3, 1e308), (2, 1e-308)]) == Range((3,), (1.0,))


@pytest.mark.parametrize(
    "weights, said",
    [
        ([(0, 1.0), (0, 0.5)], "2d2c is there twice"),
        ([(1325, float("nan"))], "AsAh weighs nan"),
        ([(0, -1.0)], "2d2c weighs -1.0"),
        ([(1326, -1.0)], "combo 1326 weighs"),
        ([(0, 0.0)], "without combos"),
    ],
)
def test_weights_that_are_none_are_named_by_their_cards(weights: list[tuple[int, float]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Range.weighted(weights)


@quick
@given(st.dictionaries(st.integers(0, 1325), st.floats(0, allow_infinity=False), min_size=1))
def test_what_a_program_worked_out_is_printed_and_read(weights: dict[int, float]) -> None:
    assume(any(weights.values()))
    held = Range.weighted(weights.items())
    assert parse_range(str(held)) == held


@pytest.mark.parametrize(
    "combos, weights, said",
    [
        ((), (), "without combos"),
        ((1, 2), (1.0,), "one each"),
        ((2, 1), (1.0, 1.0), "ascending"),
        ((1, 1), (1.0, 1.0), "ascending"),
        ((-1, 1), (1.0, 1.0), "from 0 to 1325"),
        ((1, 1326), (1.0, 1.0), "from 0 to 1325"),
        ((1,), (0.0,), "a weight of 0.0"),
        ((1,), (-1.0,), "a weight of -1.0"),
        ((1,), (1.5,), "a weight of 1.5"),
        ((1,), (math.nan,), "a weight of nan"),
        ((1,), (math.inf,), "a weight of inf"),
    ],
)
def test_a_range_of_nonsense_cannot_be_made(
    combos: tuple[int, ...], weights: tuple[float, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Range(combos, weights)


@pytest.mark.parametrize("weight", [math.nan, math.inf, -0.5])
def test_weights_that_are_none_are_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="finite and not negative"):
        Range.weighted([(0, 1.0), (1, weight)])


def test_combos_are_numbered_in_order() -> None:
    assert [combo(a, b) for b in range(52) for a in range(b)] == list(range(1326))
    assert all(combo(b, a) == number for number, (a, b) in enumerate(COMBOS))
    for one, other in ((3, 3), (-1, 3), (3, 52)):
        with pytest.raises(ValueError, match="not two different cards"):
            combo(one, other)


def test_hands_have_six_four_or_twelve_combos() -> None:
    assert len(pair(7)) == len(set(pair(7))) == 6
    assert len(suited(7, 3)) == len(set(suited(7, 3))) == 4
    assert len(offsuit(7, 3)) == len(set(offsuit(7, 3))) == 12


def test_each_card_is_in_51_combos() -> None:
    assert all(len(combos_with([card])) == 51 for card in range(52))
    assert len(combos_with([0, 1])) == 101
    assert not combos_with([])
