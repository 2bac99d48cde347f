"""Holdings: what the standard draw keeps when it draws n cards, by how often that is dealt."""

import math
import random
import subprocess
import sys
import time
from array import array
from collections import Counter
from itertools import combinations

import pytest

from bots import five_cards
from bots.equity.holdings import ANY, Holdings, drew
from engine.cards import parse_cards
from engine.ranking import Category, category, rank

ONE_OF_NINE = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


def weight_of(text: str, drawn: int) -> float:
    held = drew(drawn)
    weights = dict(zip(held.entries, held.weights, strict=True))
    return weights.get(tuple(sorted(parse_cards(text))), 0.0)


@pytest.mark.parametrize(
    "text, drawn, deals",
    [
        ("5s 6d 7c 8h 9s", 0, 1),  # a straight
        ("As 2d 3c 4h 5s", 0, 1),
        ("As Ks Qs Js Ts", 0, 1),
        ("As Ks Qs Js 2s", 0, 1),  # a flush
        ("As Ad Ac 2h 2s", 0, 1),  # a full house
        ("As Ad Ac Ah 2s", 0, 1),  # four of a kind
        ("As Ad Ac 3h 2s", 0, 0),
        ("As Ad Kc Kh", 1, 44),
        ("Js 9s 6s 2s", 1, 27),  # nine ranks in three suits
        ("9s 8s 7s 5s", 1, 24),  # not a six: that is a straight
        ("9s 8s 7s 6s", 1, 21),  # nor a ten
        ("9s 8d 7c 6s", 1, 28),  # seven ranks in four suits
        ("9s 8s 7s 6d", 1, 21),  # not of the three's suit: that is four to a flush
        ("5s 4d 3c 2s", 1, 28),
        ("Ks Qd Jc Ts", 1, 28),
        ("As Kd Qc Js", 1, 0),  # open at one end
        ("As 4d 3c 2s", 1, 0),
        ("As Ad Ac", 2, 1056),
        ("As Ad", 3, 14080),
        ("As Kd", 3, 164 * 62),  # three below a king, but for QJT; four of a suit in two ways of 64
        ("As Ks", 3, 164 * 54),  # two or three more of their suit in ten ways of 64
        ("Ks Qd", 3, 112 * 62),  # not JT with any of eight: a straight, or four of one open at both ends
        ("7s 6d", 3, 2 * 62),  # 532 and 432
        ("6s 5d", 3, 0),
        ("4s 3s", 3, 0),  # there are no three below
    ],
)
def test_a_kept_set_weighs_as_many_deals_as_lead_to_it(text: str, drawn: int, deals: int) -> None:
    """Counted by hand."""
    assert weight_of(text, drawn) == deals


def test_every_deal_is_one_of_the_four_draws() -> None:
    """Pat are the published counts of a straight and better; two of three of a kind; the rest by subtraction."""
    sums = [sum(drew(drawn).weights) for drawn in range(4)]
    assert sums[0] == 10_200 + 5_108 + 3_744 + 624 + 40
    assert sums[2] == 54_912
    assert sum(sums) == 2_598_960


@pytest.mark.parametrize("drawn", range(4))
def test_who_drew_some_cards_kept_the_others(drawn: int) -> None:
    held = drew(drawn)
    assert {len(entry) for entry in held.entries} == {5 - drawn}
    assert len(set(held.entries)) == len(held.entries)
    assert all(entry == tuple(sorted(entry)) for entry in held.entries)


def test_random_deals_are_kept_as_the_bots_draw() -> None:
    rng = random.Random(7)
    for _ in range(3_000):
        keep = sorted(five_cards.read(rng.sample(range(52), 5)).keep)
        assert tuple(keep) in entries(5 - len(keep))


def entries(drawn: int) -> frozenset[tuple[int, ...]]:
    if drawn not in _ENTRIES:
        _ENTRIES[drawn] = frozenset(drew(drawn).entries)
    return _ENTRIES[drawn]


_ENTRIES: dict[int, frozenset[tuple[int, ...]]] = {}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_deals_are_kept_as_the_bots_draw() -> None:
    """The one definition of the standard draw is `bots.five_cards.read`."""
    kept = Counter(
        (5 - len(keep), tuple(sorted(keep)))
        for cards in combinations(range(52), 5)
        for keep in [five_cards.read(cards).keep]
    )
    told = {
        (drawn, entry): deals
        for drawn in range(4)
        for entry, deals in zip(drew(drawn).entries, drew(drawn).weights, strict=True)
    }
    assert dict(kept) == told


def test_pat_hands_are_a_straight_or_better() -> None:
    made = Counter(category(rank(parse_cards(text))) for text in map(text_of, drew(0).entries))
    assert made == {
        Category.STRAIGHT: 10_200,
        Category.FLUSH: 5_108,
        Category.FULL_HOUSE: 3_744,
        Category.FOUR_OF_A_KIND: 624,
        Category.STRAIGHT_FLUSH: 40,
    }


def text_of(entry: tuple[int, ...]) -> str:
    return "".join("23456789TJQKA"[card >> 2] + "cdhs"[card & 3] for card in entry)


def test_a_kicker_makes_a_pair_or_three_of_a_kind_improve_less() -> None:
    """Why the standard draw keeps none."""
    assert improves("As Ad", "7c 8h 2s") > improves("As Ad 8h", "7c 2s")
    assert improves("As Ad Ac", "8h 2s") > improves("As Ad Ac 8h", "2s")


def improves(kept: str, discarded: str) -> float:
    known, keep = {*parse_cards(kept), *parse_cards(discarded)}, parse_cards(kept)
    deck = [card for card in range(52) if card not in known]
    dealt = category(rank((*keep, *parse_cards(discarded))))
    better = [category(rank((*keep, *draw))) > dealt for draw in combinations(deck, 5 - len(keep))]  # type: ignore[arg-type]  # plain numbers
    return sum(better) / len(better)


def test_they_are_there_at_once() -> None:
    """In a new process, so that nothing has been worked out before."""
    code = (
        "import time; from bots.equity.holdings import drew; start = time.process_time()\n"
        "for drawn in range(4): drew(drawn).kernel_bytes()\n"
        "print(time.process_time() - start)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 0.3
    started = time.process_time()
    assert drew(0) is drew(0)
    assert time.process_time() - started < 0.3


def test_the_kernel_gets_five_bytes_an_entry() -> None:
    held = Holdings(((1, 2, 3), (4,), (), (5, 6, 7, 8, 9)), (1.0, 2.0, 0.5, 1.0), ONE_OF_NINE)
    told = held.kernel_bytes()
    assert told is not None
    assert [*told[0]] == [
        *(1, 2, 3, 255, 255),
        *(4, 255, 255, 255, 255),
        *(255, 255, 255, 255, 255),
        *(5, 6, 7, 8, 9),
    ]
    assert told[1] == array("d", held.weights).tobytes()
    assert told[2] == array("d", ONE_OF_NINE).tobytes()


def test_the_kernel_gets_no_weights_where_all_are_equal() -> None:
    assert Holdings(((1,), (2,)), (0.25, 0.25)).kernel_bytes() == (
        bytes([1, *[255] * 4, 2, *[255] * 4]),
        None,
        None,
    )


def test_five_random_cards_are_nobodys_to_the_kernel_unless_he_goes_on() -> None:
    assert ANY.kernel_bytes() is None
    picky = ANY.going_on(ONE_OF_NINE)
    assert not picky.is_random
    assert picky.kernel_bytes() == (b"\xff" * 5, None, array("d", ONE_OF_NINE).tobytes())


def test_known_cards_rule_out_entries() -> None:
    held = Holdings(((1, 2), (3, 4), ()), (1.0, 2.0, 3.0), ONE_OF_NINE)
    assert held.without([4, 9]) == Holdings(((1, 2), ()), (1.0, 3.0), ONE_OF_NINE)
    with pytest.raises(ValueError, match="every entry"):
        drew(2).without(range(0, 52, 2))


@pytest.mark.parametrize(
    "kept, weights, goes_on, said",
    [
        ((), (), None, "without an entry"),
        (((1,),), (1.0, 1.0), None, "one each"),
        (((1, 1),), (1.0,), None, "up to five different cards"),
        (((1, 52),), (1.0,), None, "up to five different cards"),
        (((-1,),), (1.0,), None, "up to five different cards"),
        (((1, 2, 3, 4, 5, 6),), (1.0,), None, "up to five different cards"),
        (((1,),), (0.0,), None, "finite and above 0"),
        (((1,),), (-1.0,), None, "finite and above 0"),
        (((1,),), (math.nan,), None, "finite and above 0"),
        (((1,),), (math.inf,), None, "finite and above 0"),
        (((1,),), (1.0,), (1.0,) * 8, "9, one a category"),
        (((1,),), (1.0,), (1.0,) * 8 + (1.5,), "0 to 1 is right"),
        (((1,),), (1.0,), (1.0,) * 8 + (math.nan,), "0 to 1 is right"),
        (((1,),), (1.0,), (0.0,) * 9, "never goes on"),
    ],
)
def test_holdings_of_nonsense_cannot_be_made(
    kept: tuple[tuple[int, ...], ...],
    weights: tuple[float, ...],
    goes_on: tuple[float, ...] | None,
    said: str,
) -> None:
    with pytest.raises(ValueError, match=said):
        Holdings(kept, weights, goes_on)


@pytest.mark.parametrize("drawn", [-1, 4, 5])
def test_nobody_draws_more_than_three(drawn: int) -> None:
    with pytest.raises(ValueError, match="0 to 3 are right"):
        drew(drawn)
