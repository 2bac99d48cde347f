"""Reading recorded hands from lines of JSON, a hand a line.

A line names `game` (Hold'em, 5 Card Draw), `limit` (No Limit, Limit), `stakes`, `button`, `seats`, `posts`,
`actions`, `draws`, `board` and `showdown`, and how it came out: `uncalled_returned`, `pots`, `rake`, `won` and
`finish`, any of which may be missing. Fixed limit's unit is the big blind that was posted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from engine.cards import Card, parse_card
from engine.events import AntePosted
from engine.game import Game, HandRules, Street, Structure
from engine.replay.configuration import configuration
from engine.replay.posts import Blinds, Post, blinds_of, clockwise
from engine.replay.recorded import (
    Act,
    BadRecord,
    Exchange,
    Outcome,
    RecordedAction,
    RecordedHand,
    Unreadable,
)
from engine.units import NOBODY, Chips, Seat

_GAMES: Final = {"Hold'em": Game.HOLDEM, "5 Card Draw": Game.DRAW}
_LIMITS: Final = {"No Limit": Structure.NO_LIMIT, "Limit": Structure.FIXED_LIMIT}
_ACTS: Final = {
    "fold": Act.FOLD,
    "check": Act.CHECK,
    "call": Act.CALL,
    "bet": Act.BET,
    "raise_to": Act.RAISE_TO,
    "discard": Act.DRAW,
}
_ONLY_ARITHMETIC: Final = "pot-arithmetic only"


def read_jsonl(file: str, lines: Iterable[str]) -> Iterator[RecordedHand | Unreadable]:
    """The hands of `lines`, empty ones left out; what cannot be read is told and passed over."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        name = f"line {number}"
        try:
            record = json.loads(line)
            name = str(record["id"])
            yield _hand(file, name, record)
        except BadRecord as error:
            yield Unreadable(file, name, str(error))
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
            yield Unreadable(
                file, name, f"line {number} is no recorded hand: {type(error).__name__}: {error}"
            )


def _hand(file: str, name: str, record: dict[str, Any]) -> RecordedHand:
    posts = [(Seat(seat), str(kind), Chips(amount)) for seat, kind, amount in record["posts"]]
    stacks = {Seat(seat["seat"]): Chips(seat["stack"]) for seat in record["seats"]}
    dealt_in = _dealt_in(record, posts)
    button = Seat(record["button"] or NOBODY)
    order = clockwise(dealt_in, button, posts)
    rules, blinds = _rules(record, posts, order, stacks)
    actions = tuple(_action(*action) for action in record["actions"])
    return RecordedHand(
        file=file,
        id=name,
        rules=rules,
        button=button,
        small_blind=blinds.small_blind,
        big_blind=blinds.big_blind,
        order=order,
        stacks=stacks,
        posts=blinds.posts,
        hole_cards={Seat(seat["seat"]): _cards(seat["hole"] or ()) for seat in record["seats"]},
        board=_cards(record["board"]),
        exchanges=_exchanges(record.get("draws") or ()),
        final_cards=_final_cards(record, rules.game),
        mucked=frozenset(),
        actions=actions,
        decidable=record.get("verified") != _ONLY_ARITHMETIC,
        outcome=_outcome(record),
    )


def _cards(texts: Iterable[str]) -> tuple[Card, ...]:
    return tuple(parse_card(text) for text in texts)


def _dealt_in(record: dict[str, Any], posts: list[Post]) -> set[Seat]:
    """The seats with a part in the hand: a player who sits out may yet be dealt in, and be folded at his turn."""
    active = {Seat(action[1]) for action in record["actions"]} | {seat for seat, _, _ in posts}
    return active | {
        Seat(seat["seat"]) for seat in record["seats"] if seat["stack"] and not seat["sitting_out"]
    }


def _rules(
    record: dict[str, Any], posts: list[Post], order: tuple[Seat, ...], stacks: dict[Seat, Chips]
) -> tuple[HandRules, Blinds]:
    """The rules that a record was played by, which may be none of the product's games, and its blinds."""
    game, structure = _GAMES.get(record["game"]), _LIMITS.get(record["limit"])
    if game is None or structure is None:
        raise BadRecord(f"{record['game']} {record['limit']} is not played here")
    stakes = record["stakes"] or [0, 0]
    fixed = structure is Structure.FIXED_LIMIT
    stated = Chips(stakes[0] if fixed else stakes[1])
    blinds = blinds_of(posts, order, stacks=stacks, stated=stated, called=_called(record, posts, stacks))
    unit = Chips(blinds.full or stated)
    antes = [post.amount for post in blinds.posts if isinstance(post, AntePosted)]
    smalls = [amount for _, kind, amount in posts if kind == "sb"]
    rules = configuration(
        game,
        structure,
        bets=(unit, Chips(2 * unit if fixed else unit)),
        blinds=(max(smalls, default=Chips(0)), blinds.full),
        ante=max(antes, default=Chips(0)),
        ante_for_all=len(antes) == 1 and len(order) > 1,
    )
    return rules, blinds


def _called(record: dict[str, Any], posts: list[Post], stacks: dict[Seat, Chips]) -> Chips:
    """What the first to put chips in had in after it, if that was a call with chips behind; else 0."""
    first = next((action for action in record["actions"] if action[2] not in ("fold", "check")), None)
    if first is None or first[2] != "call":
        return Chips(0)
    _, seat, _, amount = first
    spent = sum(chips for other, _, chips in posts if other == seat)
    live = sum(chips for other, kind, chips in posts if other == seat and kind in ("sb", "bb"))
    return Chips(live + amount if spent + amount < stacks[Seat(seat)] else 0)


def _action(street: str, seat: int, kind: str, amount: int) -> RecordedAction:
    act = _ACTS.get(kind)
    if act is None:
        raise BadRecord(f"an action {kind!r} is not known")
    # The line has one street for the draw and the betting after it.
    here = Street.POSTDRAW if street == "draw" and act is not Act.DRAW else Street(street)
    return RecordedAction(Seat(seat), act, amount, here)


def _exchanges(draws: Iterable[list[Any]]) -> dict[Seat, Exchange]:
    """What is told of the draws: [seat, "discard", count, cards or null] and [seat, "dealt", new cards, kept cards]."""
    thrown: dict[Seat, tuple[Card, ...]] = {}
    new: dict[Seat, tuple[Card, ...]] = {}
    for seat, kind, *told in draws:
        if kind == "discard":
            thrown[Seat(seat)] = _cards(told[1] or ())
        elif kind == "dealt":
            new[Seat(seat)] = _cards(told[0] or ())
    return {seat: Exchange(thrown.get(seat, ()), new.get(seat, ())) for seat in thrown.keys() | new.keys()}


def _final_cards(record: dict[str, Any], game: Game) -> dict[Seat, tuple[Card, ...]]:
    """The final hands that are told: shown ones, and in draw those that a player held after his draw."""
    finals: dict[Seat, tuple[Card, ...]] = {}
    for seat, kind, *told in record.get("draws") or ():
        if kind == "newhand":
            finals[Seat(seat)] = _cards(told[0])
        elif kind == "dealt" and len(told) > 1:
            finals[Seat(seat)] = _cards((*told[1], *told[0]))
    for text, cards in (record.get("showdown") or {}).items():
        if len(cards) == (2 if game is Game.HOLDEM else 5):
            finals[Seat(int(text))] = _cards(cards)
    return finals


def _outcome(record: dict[str, Any]) -> Outcome | None:
    keys = ("finish", "won", "uncalled_returned", "pots")
    if not any(key in record for key in keys):
        return None
    finish, won, returned = (_by_seat(record.get(key)) for key in keys[:3])
    pots = record.get("pots")
    return Outcome(
        finish=finish,
        won=won,
        returned=returned,
        pots=None
        if pots is None
        else {tuple(sorted(Seat(seat) for seat in seats)): Fraction(amount) for amount, seats in pots},
        rake=Fraction(record.get("rake") or 0),
    )


def _by_seat(chips: Mapping[str, Any] | None) -> dict[Seat, Fraction] | None:
    return None if chips is None else {Seat(int(seat)): Fraction(amount) for seat, amount in chips.items()}
