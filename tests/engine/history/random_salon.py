"""Random salons: hands of either game with players who come, go, sit out, time out and reveal."""

from collections.abc import Iterator
from random import Random
from typing import Any

from engine.betting import legal_actions
from engine.cards import FULL_DECK
from engine.commands import (
    LOTS,
    BetTo,
    Call,
    Check,
    Command,
    Draw,
    Fold,
    Join,
    Leave,
    RaiseTo,
    Reveal,
    SitIn,
    SitOut,
    TopUpTo,
)
from engine.decide import Decision, decide
from engine.events import Audience, Event, HandEnded, HandStarted
from engine.game import Game
from engine.history.finished import FinishedHand
from engine.legal import LegalActions
from engine.table import Table
from engine.units import Chips, PlayerId, Seat
from tests.engine.house import House

MOST_STEPS = 3_000


def finished_hands(game: Game, seed: int, count: int) -> Iterator[FinishedHand]:
    """The first `count` hands of a random salon, each until the next one starts, with the reveals after it."""
    rng = Random(seed)
    house = House(game, **_settings(game, rng))
    for seat in range(1, house.table.settings.seats):
        house.join(seat, _buy_in(house, rng))
    events: list[Event] = []
    for _ in range(MOST_STEPS):
        before = len(house.log)
        _step(house, rng)
        for event in house.log[before:]:
            if isinstance(event, HandStarted):
                if any(isinstance(old, HandEnded) for old in events):
                    yield _finished(house.table, events)
                    count -= 1
                events = []
            events.append(event)
        if not count or house.table.over:
            return


def _finished(table: Table, events: list[Event]) -> FinishedHand:
    kept = tuple(event for event in events if event.AUDIENCE is not Audience.NOBODY)
    names = {Seat(seat): f"Player {seat}" for seat in range(1, table.settings.seats + 1)}
    return FinishedHand("salon", table.settings.seats, table.rules, names, kept)


def _settings(game: Game, rng: Random) -> dict[str, Any]:
    if game is Game.HOLDEM:
        big = rng.choice((2, 3, 10))
        small, ante = rng.randint(1, big), rng.choice((0, 0, 1, big))
        return {
            "seats": rng.randint(2, 9),
            "small_blind": small,
            "big_blind": big,
            "ante": ante,
            "min_buy_in": big,
        }
    all_in = rng.random() < 0.6
    least = {"min_buy_in": 4} if all_in else {}
    return {
        "seats": rng.randint(2, 6),
        "ante": rng.randint(1, 2),
        "all_in": all_in,
        "hand_limit": 1_000,
        **least,
    }


def _step(house: House, rng: Random) -> None:
    """One thing that may happen; most that are not allowed at the moment are refused, and nothing happens."""
    if house.turn:
        if rng.random() < 0.015:
            house.expire()
        elif rng.random() < 0.03:
            _try(house, _change(house, rng))
        else:
            house.do(_move(house, rng))
    elif house.table.next_hand_at and rng.random() < 0.5:
        deck = list(FULL_DECK)
        rng.shuffle(deck)
        house.deal(rng.randrange(LOTS), tuple(deck))
    else:
        _try(house, _change(house, rng))


def _try(house: House, command: Command) -> None:
    decision = decide(house.table, command, now=house.now)
    if isinstance(decision, Decision):
        house.keep(decision)


def _change(house: House, rng: Random) -> Command:
    settings = house.table.settings
    seat = Seat(rng.randint(1, settings.seats))
    player = PlayerId(f"p{seat}")
    if house.table.players[seat] is None:
        return Join(player, player.upper(), seat, _buy_in(house, rng))
    hand = house.table.hand
    cards = hand.cards[seat] if hand is not None else ()
    return rng.choice(
        (
            Leave(player) if rng.random() < 0.1 else SitIn(player, post=True),
            SitOut(player) if rng.random() < 0.4 else SitIn(player, post=True),
            SitIn(player, post=rng.random() < 0.5),
            TopUpTo(player, _buy_in(house, rng)),
            Reveal(player, house.table.hand_number, cards[: rng.randint(1, 5)]),
        )
    )


def _buy_in(house: House, rng: Random) -> Chips:
    """A short stack as often as a deep one."""
    least, most = house.table.settings.min_buy_in, house.table.settings.max_buy_in
    return Chips(rng.randint(least, min(most, rng.choice((4, 20, 60)) * least)))


def _move(house: House, rng: Random) -> Command:
    hand = house.table.hand
    assert hand is not None
    legal = legal_actions(house.table)
    at = (house.player(hand.to_act).player, hand.hand, hand.turn)
    if legal.draw:
        return Draw(*at, tuple(rng.sample(hand.cards[hand.to_act], rng.randint(0, legal.draw_max))))
    kinds = ["pass"] * 5 + ["fold"] * 2 + ["lift"] * 3 * bool(legal.bet_max or legal.raise_max)
    match rng.choice(kinds):
        case "fold":
            return Fold(*at)
        case "lift":
            return (BetTo if legal.bet_max else RaiseTo)(*at, _size(legal, rng))
        case _:
            return (Check if legal.check else Call)(*at)


def _size(legal: LegalActions, rng: Random) -> Chips:
    low, high = legal.bet_min or legal.raise_min, legal.bet_max or legal.raise_max
    return Chips(rng.choice((low, high, min(high, low + rng.randint(0, 12)))))
