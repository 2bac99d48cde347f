"""Playing by a table: through the real engine, by the table's shares, and not where the table knows nothing."""

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bots.actions import give_up
from bots.arena import Choose, act, deal, seated, shuffled, to_act
from bots.draw_solver.draw_table import DrawTable
from bots.draw_solver.table import load
from bots.explanation import text_of
from bots.protocol import Bot, BotAction, Observation, is_legal, observe
from bots.roster import bot
from engine.cards import parse_cards
from engine.commands import LOTS
from engine.game import Game
from engine.settings import BotLevel, BotStyle, Settings, make_settings
from engine.table import Table as Felt
from engine.view import TableView, view_of
from tests.bots.draw_solver.deals import hands, strengths
from tests.bots.draw_solver.limit_round import actions
from tests.bots.draw_solver.opponents import TableOpponent

LETTERS = {"check": "k", "bet": "b", "fold": "f", "call": "c", "raise": "r"}


@cache
def player() -> DrawTable:
    return DrawTable(load())


@cache
def known() -> TableOpponent:
    """What the best responder takes the player to be."""
    return TableOpponent(load())


def felt(players: int = 2, given: dict[str, object] | None = None) -> Felt:
    settings = make_settings(Game.DRAW, {"seats": players, "hand_limit": 10_000, **(given or {})})
    assert isinstance(settings, Settings), settings
    return seated(settings, players)


def turns(table: Felt, count: int, choose: Choose, seed: int = 1) -> list[Observation]:
    """The turns of some hands with fresh stacks."""
    rng = random.Random(seed)
    found: list[Observation] = []
    while len(found) < count:
        going = deal(table, shuffled(rng), rng.randrange(LOTS))
        while to_act(going):
            found.append(observe(view_of(going, to_act(going))))
            going = act(going, choose)
    return found


def at_random(seed: int = 1) -> Choose:
    """Anything that the rules allow, but a fold where a check is free."""
    rng = random.Random(seed)

    def choose(view: TableView) -> BotAction:
        seen = observe(view)
        if seen.draw:
            return BotAction("draw", cards=tuple(rng.sample(seen.cards, rng.randrange(4))))
        offers = [BotAction("check") if seen.check else BotAction("call")]
        if seen.bet_min or seen.raise_min:
            offers += 2 * [BotAction("bet" if seen.bet_min else "raise", seen.bet_min or seen.raise_min)]
        if not seen.check and rng.random() < 0.2:
            offers.append(BotAction("fold"))
        return rng.choice(offers)

    return choose


@pytest.mark.parametrize("given", [{}, {"ante": 5, "small_bet": 10, "big_bet": 20}])
def test_it_has_an_answer_in_every_turn_heads_up(given: dict[str, object]) -> None:
    """Whatever the other does; in chips of any size."""
    rng = random.Random(3)
    for seen in turns(felt(given=given), 1500, at_random()):
        action = player().decide(seen, rng)
        assert action is not None, seen
        assert is_legal(action, seen), (action, seen)


def test_it_mixes_as_the_table_says() -> None:
    """What the best responder plays against is what the player plays: the same shares, hand by hand."""
    places = {tuple(cards): at for at, cards in enumerate(hands().cards.tolist())}
    for seen in turns(felt(), 600, at_random(5)):
        first = seen.seat != seen.button
        before, after = (
            "".join(
                {"check": "k"}.get(done.kind, done.kind[0]) for done in seen.history if done.street == street
            )
            for street in ("predraw", "postdraw")
        )
        drawn = {seat.seat == seen.button: seat.drawn for seat in seen.seats}
        hand = places[canonical(seen.cards)]
        mix: dict[str | int, float] = {
            len(option.cards) if seen.draw else option.kind: option.chance for option in player().mix(seen)
        }
        told: dict[str | int, float]
        if seen.draw:
            shares = known().draws(before, -1 if first else drawn[False])[hand]
            told = dict(enumerate(shares.tolist()))
            for option in player().mix(seen):
                kept = {card for card in seen.cards if card not in option.cards}
                keeps = known().keeps(len(option.cards))[hand].tolist()
                assert sorted(card >> 2 for card in kept) == sorted(card >> 2 for card in keeps)
        else:
            if seen.street == "predraw":
                history, shares = before, known().before(before)[hand]
            else:
                history = after
                table = known().after(before, drawn[False], drawn[True], after)
                shares = table[strengths(np.array([seen.cards], np.uint8))[0]]
            kinds = {letter: kind for kind, letter in LETTERS.items()}
            told = {kinds[a]: float(s) for a, s in zip(actions(history, 3), shares, strict=True)}
        assert mix == pytest.approx({what: share for what, share in told.items() if share})
        assert sum(mix.values()) == pytest.approx(1)


def canonical(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The hand of its class that the best responder's deals have: the suits in the order of their ranks as numbers."""
    ranks = {suit: sum(1 << (card >> 2) for card in cards if card & 3 == suit) for suit in range(4)}
    order = sorted(ranks, key=lambda suit: -ranks[suit])
    return tuple(sorted(card & ~3 | order.index(card & 3) for card in cards))


def test_it_chooses_as_often_as_it_mixes() -> None:
    rng = random.Random(4)
    for seen in turns(felt(), 40, at_random(6)):
        mix = player().mix(seen)
        counts = Counter(player().decide(seen, rng) for _ in range(2000))
        for option in mix:
            assert counts[option.action] / 2000 == pytest.approx(option.chance, abs=0.05)
        assert set(counts) <= {option.action for option in mix}


def test_it_tells_its_mix_and_the_lot() -> None:
    seen = next(seen for seen in turns(felt(), 200, at_random(7)) if len(player().mix(seen)) > 1)
    action = player().decide(seen, random.Random(8))
    assert action is not None
    assert action.explanation is not None
    assert action.explanation.mix == tuple(
        (option.action.text, option.chance) for option in player().mix(seen)
    )
    assert action.explanation.drawn == action.text
    assert text_of(action.explanation).startswith("equilibrium; mix ")
    assert text_of(action.explanation).endswith("ran: table")


def test_it_leaves_what_it_does_not_know_to_others() -> None:
    """More players, other stakes, another game: None, and no lot is drawn."""
    rng = random.Random(9)
    before = rng.getstate()
    for table in (felt(3), felt(given={"ante": 2})):
        assert all(player().decide(seen, rng) is None for seen in turns(table, 60, at_random(9)))
    seen = turns(felt(), 1, at_random(9))[0]
    assert player().decide(replace(seen, game="holdem"), rng) is None
    assert rng.getstate() == before


def test_short_stacks_are_played_as_far_as_bets_are_whole() -> None:
    """With less than a bet in, the table has no answer; with whole bets it has, and only legal ones (D2, D17)."""
    rng = random.Random(10)
    answered: Counter[bool] = Counter()
    table = felt(given={"all_in": True, "min_buy_in": 4, "max_buy_in": 400})
    for stack in range(4, 30):
        settings = table.settings
        short = seated(settings, 2, stack)
        for seen in turns(short, 60, at_random(stack), stack):
            action = player().decide(seen, rng)
            whole = all(
                done.amount % (2 if done.street == "predraw" else 4) == 0
                for done in seen.history
                if done.street != "draw"
            )
            answered[action is not None] += 1
            assert (action is not None) == whole, seen
            assert action is None or is_legal(action, seen), (action, seen)
    assert answered[True] > 5 * answered[False] > 0


@pytest.mark.parametrize("cap", [1, 5])
def test_another_cap_is_played_as_far_as_the_table_goes(cap: int) -> None:
    """A raise that is not offered is a call; after more raises than the table knows it has no answer."""
    rng = random.Random(11)
    for seen in turns(felt(given={"raise_cap": cap}), 800, at_random(11)):
        action = player().decide(seen, rng)
        wagers = Counter(done.street for done in seen.history if done.kind in ("bet", "raise"))
        assert (action is not None) == (max(wagers.values(), default=0) <= 4), seen
        assert action is None or is_legal(action, seen), (action, seen)


@pytest.mark.parametrize(
    "cards,folds", [("As Ks Qs Js Ts", False), ("9s 9d 9h 9c Kc", False), ("7c 5d 4h 3s 2c", True)]
)
def test_the_best_hands_are_never_folded_and_the_worst_are(cards: str, folds: bool) -> None:
    """Facing bets before the draw; facing raises of his own bet, who bluffed with the worst may go on."""
    shares: list[float] = []
    for seen in turns(felt(), 800, at_random(12)):
        bets = sum(done.kind in ("bet", "raise") for done in seen.history)
        if seen.call and seen.street == "predraw" and (bets == 1 or not folds):
            mix = player().mix(replace(seen, cards=parse_cards(cards)))
            shares.append(sum(option.chance for option in mix if option.kind == "fold"))
    assert (min(shares) > 0.8) if folds else (max(shares) == 0), shares


@pytest.mark.parametrize("level", [BotLevel.EASY, BotLevel.NORMAL])
def test_it_beats_the_lower_levels(level: BotLevel) -> None:
    """A smoke test with equal cards for both; strength is measured by the best responder."""
    other = bot(Game.DRAW, level, BotStyle.BALANCED)
    start, rng = felt(), random.Random(13)
    won = 0
    for _ in range(1500):
        dealt = deal(start, shuffled(rng), rng.randrange(LOTS))
        for seat in (1, 2):
            going = dealt
            while to_act(going):
                own = to_act(going) == seat
                going = act(going, lambda view, own=own: chosen(view, own, other, rng))  # type: ignore[misc]
            won += going.stacks[seat] - start.stacks[seat]
    assert won > 0


def chosen(view: TableView, own: bool, other: Bot, rng: random.Random) -> BotAction:
    seen = observe(view)
    if own:
        return player().decide(seen, rng) or give_up(seen)
    return other.decide(seen, rng)
