"""Writing finished hands as PHH, the poker hand history standard: TOML that programs read.

Hold'em is the standard's NT. For five-card draw it has no code; the variant `_F5CD` of this project is fixed
limit with `small_bet` and `big_bet` (one round each), antes and no blinds, five cards down, and one draw:
`pN sd` with the cards thrown, `??` for each that is hidden, and then `d dh pN` with as many new ones.

Fields of this project's own begin with an underscore: `_big_blind`, the player with the big blind (a dead small
blind makes it p1); `_dead_blinds`, what was posted dead; `_button`, the button's seat; `_rules_version`. A
reveal after the hand is a comment among the actions.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from engine.cards import Card, text_of
from engine.events import (
    BetMade,
    Blind,
    BlindPosted,
    Called,
    CardsDrawn,
    CardsMucked,
    CardsShown,
    Checked,
    Event,
    Folded,
    HandStarted,
    Raised,
    Shown,
    StreetStarted,
)
from engine.game import RULES_VERSION
from engine.history.finished import FinishedHand, dealt_cards, finishing_stacks, may_draw, replaced
from engine.units import Chips, Seat


def phh_text(hand: FinishedHand) -> str:
    """The hand as a `.phh` file."""
    return "".join(f"{name} = {_toml(field)}\n" for name, field in _fields(hand).items())


def phhs_text(hands: Iterable[FinishedHand]) -> str:
    """The hands as a `.phhs` file, a section a hand, numbered from 1."""
    return "\n".join(f"[{number}]\n{phh_text(hand)}" for number, hand in enumerate(hands, 1))


def _fields(hand: FinishedHand) -> dict[str, Any]:
    started = hand.started
    at = datetime.fromtimestamp(started.at / 1000, UTC)
    stacks = finishing_stacks(hand)
    return {
        **_game(hand),
        "starting_stacks": list(started.stacks),
        "actions": list(_actions(hand)),
        "time": at.time().replace(microsecond=0),
        "time_zone": "UTC",
        "day": at.day,
        "month": at.month,
        "year": at.year,
        "hand": started.hand,
        "seats": list(started.seats),
        "seat_count": hand.seats,
        "table": hand.salon,
        "players": [hand.names.get(seat, "") for seat in started.seats],
        "finishing_stacks": [stacks[seat] for seat in started.seats],
        "_button": started.button,
        "_rules_version": RULES_VERSION,
    }


def _game(hand: FinishedHand) -> dict[str, Any]:
    """The variant, what is forced and how much is bet."""
    rules, started = hand.rules, hand.started
    antes = [rules.ante] * len(started.seats)
    if may_draw(hand):
        first, _, later = rules.units
        return {
            "variant": "_F5CD",
            "ante_trimming_status": True,
            "antes": antes,
            "blinds_or_straddles": [0] * len(started.seats),
            "small_bet": first,
            "big_bet": later,
        }
    dead = _blinds(hand, dead=True)
    return {
        "variant": "NT",
        "ante_trimming_status": True,
        "antes": antes,
        "blinds_or_straddles": _standard(_blinds(hand, dead=False)),
        "min_bet": rules.big_blind,
        "_big_blind": started.seats.index(started.big_blind) + 1,
        **({"_dead_blinds": dead} if any(dead) else {}),
    }


def _blinds(hand: FinishedHand, *, dead: bool) -> list[Chips]:
    """The blinds by player, in full even where a stack did not reach: all live ones, or all dead ones."""
    rules, started = hand.rules, hand.started
    full = {Blind.SMALL: rules.small_blind, Blind.BIG: rules.big_blind, Blind.DEAD: rules.small_blind}
    posted = {
        post.seat: full[post.blind] for post in hand.of(BlindPosted) if (post.blind is Blind.DEAD) == dead
    }
    if not dead:
        # Whose ante took the whole stack owes the blind all the same (N10).
        posted = {started.small_blind: rules.small_blind, started.big_blind: rules.big_blind, **posted}
    return [posted.get(seat, Chips(0)) for seat in started.seats]


def _standard(blinds: list[Chips]) -> list[Chips]:
    """The blinds as the standard lists them: heads-up in reverse."""
    return blinds[::-1] if len(blinds) == 2 else blinds


def _actions(hand: FinishedHand) -> Iterator[str]:
    players = {seat: f"p{place}" for place, seat in enumerate(hand.started.seats, 1)}
    for event in hand.events:
        if isinstance(event, HandStarted):
            for seat, cards in dealt_cards(hand).items():
                yield f"d dh {players[seat]} {_cards(cards)}"
        elif isinstance(event, CardsDrawn):
            yield from _draw(hand, event, players[event.seat])
        else:
            yield from _action(event, players)


def _draw(hand: FinishedHand, event: CardsDrawn, player: str) -> Iterator[str]:
    if not event.count:
        yield f"{player} sd"
        return
    told = replaced(hand, event)
    unknown: tuple[Card | None, ...] = (None,) * event.count
    yield f"{player} sd {_cards(told.discards if told else unknown)}"
    yield f"d dh {player} {_cards(told.cards if told else unknown)}"


def _action(event: Event, players: dict[Seat, str]) -> Iterator[str]:
    match event:
        case StreetStarted(cards=cards) if cards:
            yield f"d db {_cards(cards)}"
        case Folded():
            yield f"{players[event.seat]} f"
        case Checked() | Called():
            yield f"{players[event.seat]} cc"
        case BetMade() | Raised():
            yield f"{players[event.seat]} cbr {event.to}"
        case CardsShown(why=Shown.VOLUNTARY):
            yield f"# {players[event.seat]} reveals {_cards(event.cards)}"
        case CardsShown():
            yield f"{players[event.seat]} sm {_cards(event.cards)}"
        case CardsMucked():
            yield f"{players[event.seat]} sm"
        case _:
            pass


def _cards(cards: tuple[Card | None, ...]) -> str:
    return "".join("??" if card is None else text_of(card) for card in cards)


def _toml(field: Any) -> str:
    """A field's value as TOML writes it."""
    if isinstance(field, bool):
        return "true" if field else "false"
    if isinstance(field, str):
        # JSON's strings are TOML's, but for one control character that JSON leaves as it is.
        return json.dumps(field, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(field, list):
        return f"[{', '.join(_toml(item) for item in field)}]"
    return str(field)
