"""Transcripts: what each seat and a spectator see of a few hands, command by command, as text.

    python -m tests.golden.transcripts --write   # the only way that the files change

A block is one command. `>` is the command; below it stands each event behind the viewers who receive it (`all`,
or their seats; 0 is the spectator); then the table as everybody sees it, and for every viewer the cards that lie
face up before him, seat by seat. A card that reaches somebody it must not is a changed line.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from engine.cards import parse_cards, texts_of
from engine.commands import AllIn, BetTo, Call, Check, Command, Draw, Fold, Leave, RaiseTo, Reveal
from engine.events import Event
from engine.game import Game
from engine.legal import LegalActions
from engine.units import Chips, PlayerId, Seat
from engine.view import SeatView, TableView, sees, view_of
from tests.engine.felt import deck_of
from tests.engine.house import House

HERE = Path(__file__).parent
CARDS = ("cards", "discards")
UNTOLD = ("at", "deadline", "bank")
"""Times: the same for all, and noise in a diff."""


class Script(NamedTuple):
    """A hand: the salon, the stacks from seat 1, the cards from seat 1, what follows in the deck, and the moves.

    The button is in seat 1. A move is a letter for whoever is to act, as on a felt: `f`, `x`, `c`, `b20`, `r40`,
    `a`, `p`, `dAsKd`, and `t` for the clock; `2:leave` and `2:AsKd` (a reveal) name the seat.
    """

    title: str
    game: Game
    settings: dict[str, Any]
    stacks: Sequence[int]
    cards: Sequence[str]
    then: str
    moves: str


HOLDEM = {"small_blind": 1, "big_blind": 2, "min_buy_in": 2, "seats": 4}
DRAW = {"small_bet": 2, "big_bet": 4, "min_buy_in": 4, "seats": 4, "all_in": True}
SCRIPTS = {
    "holdem_showdown": Script(
        "A bet that is called on the river, and a card of a folded hand shown afterwards",
        Game.HOLDEM,
        HOLDEM,
        (200, 200, 200),
        ("AsKs", "AhAd", "7c7d"),
        "Kc9d4s2h8c",
        "r6 c c x b10 c f x x b20 c 2:Ah",
    ),
    "holdem_beaten": Script(
        "Who bet shows first, and the beaten hand is mucked unseen",
        Game.HOLDEM,
        HOLDEM,
        (200, 200, 200),
        ("QsQh", "AhAd", "7c6d"),
        "Kc9d4s2h8c",
        "c c x x x x x x x b4 f c 1:Qs",
    ),
    "holdem_side_pots": Script(
        "Three all-ins, turned up before the board is dealt; two side pots and a bet that comes back",
        Game.HOLDEM,
        HOLDEM,
        (90, 20, 50, 200),
        ("KsKh", "AhAd", "QcQd", "7s2h"),
        "3c9d4s2d8c",
        "r6 a a a c",
    ),
    "holdem_walk": Script(
        "All fold to the big blind, who shows one card; the small blind shows none",
        Game.HOLDEM,
        HOLDEM,
        (200, 200, 200),
        ("7s2h", "8s3h", "AhAd"),
        "",
        "f f 3:Ah",
    ),
    "holdem_leaver": Script(
        "One leaves in the hand and is folded at his turn, one is folded by the clock",
        Game.HOLDEM,
        {**HOLDEM, "time_bank": 0},
        (200, 200, 200),
        ("AsKs", "AhAd", "7c7d"),
        "Kc9d4s2h8c",
        "c c x x b4 2:leave t",
    ),
    "draw_showdown": Script(
        "Three draw, one stands pat; the beaten hands are mucked",
        Game.DRAW,
        DRAW,
        (200, 200, 200, 200),
        ("AsAh7d4c2s", "KsKhKd4d2h", "9c8c7c6c2d", "ThJhQh3s3d"),
        "5c5h5d6s6hTc9d9h",
        "b2 c c c d4d2h d2d d3s3d p x b4 f c c 1:AsAh",
    ),
    "draw_all_in": Script(
        "An all-in player draws too, and everybody is turned up once drawing is over",
        Game.DRAW,
        DRAW,
        (30, 5, 30),
        ("AsAh7d4c2s", "KsKhKd4d2h", "9c8c7c6c2d"),
        "5c5h5d6s6hTc9d9h",
        "b2 r4 r6 c c d4d2h d2d p b4 c",
    ),
    "draw_folded": Script(
        "The last one left wins after the draw without showing, and shows two cards later",
        Game.DRAW,
        {**DRAW, "all_in": False, "min_buy_in": 100},
        (200, 200, 200),
        ("AsAh7d4c2s", "KsKhKd4d2h", "9c8c7c6c2d"),
        "5c5h5d6s6hTc9d9h",
        "x b2 c c p d9c8c7c d7d4c2s x x b4 f f 1:AsAh",
    ),
}


def transcript(script: Script) -> str:
    """All blocks of a hand, from the deal on."""
    return "\n".join(_blocks(script)) + "\n"


def _blocks(script: Script) -> Iterator[str]:
    house = House(script.game, **script.settings)
    for seat, stack in enumerate(script.stacks, 1):
        house.join(seat, stack)
    size = len(script.stacks)
    order = [*range(2, size + 1), 1]
    hole_cards = 2 if script.game is Game.HOLDEM else 5
    yield f"# {script.title}\n"
    house.deal(0, tuple(deck_of(order, hole_cards, script.cards, script.then)))
    yield _block("deal", house, size)
    for move in script.moves.split():
        mover = house.turn
        if move == "t":
            house.expire()
        else:
            house.do(_command(house, move))
        yield _block(move if ":" in move else f"{mover}:{move}", house, size)


def _command(house: House, move: str) -> Command:
    seat, _, rest = move.rpartition(":")
    hand = house.table.hand
    assert hand is not None
    if seat:
        player = PlayerId(f"p{seat}")
        return Leave(player) if rest == "leave" else Reveal(player, hand.hand, parse_cards(rest))
    at = (house.player(hand.to_act).player, hand.hand, hand.turn)
    match rest[0], rest[1:]:
        case "f", _:
            return Fold(*at)
        case "x", _:
            return Check(*at)
        case "c", _:
            return Call(*at)
        case "a", _:
            return AllIn(*at)
        case "b", to:
            return BetTo(*at, Chips(int(to)))
        case "r", to:
            return RaiseTo(*at, Chips(int(to)))
        case _, cards:
            return Draw(*at, parse_cards(cards))


def _block(move: str, house: House, size: int) -> str:
    viewers = [Seat(viewer) for viewer in range(size + 1)]
    lines = [f"> {move}"]
    told = [(_receivers(event, viewers), event) for event in house.events]
    lines += [f"  {receivers}  {_event(event)}" for receivers, event in told if receivers]
    views = [view_of(house.table, viewer) for viewer in viewers]
    lines.append(f"  table  {_public(views[0])}")
    for view in views:
        if _public(view) != _public(views[0]):
            lines.append(f"  table of {view.viewer}  {_public(view)}")
        lines.append(f"  {view.viewer}  {_private(view)}")
    return "\n".join(lines) + "\n"


def _receivers(event: Event, viewers: Sequence[Seat]) -> str:
    receiving = [viewer for viewer in viewers if sees(event, viewer)]
    return "all" if receiving == list(viewers) else ",".join(map(str, receiving))


def _event(event: Event) -> str:
    facts = [
        f"{field.name}={_text(field.name, getattr(event, field.name))}"
        for field in fields(event)
        if field.name not in UNTOLD
    ]
    return " ".join([type(event).__name__, *facts])


def _text(name: str, value: Any) -> str:
    if name in CARDS:
        return f"[{texts_of(value)}]"
    if isinstance(value, Enum):
        return str(value.value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _public(view: TableView) -> str:
    """What is no card of a seat: the same for everybody."""
    pots = " + ".join(f"{pot.amount} of {','.join(map(str, pot.eligible))}" for pot in view.pots)
    seats = "  ".join(_seat(seat) for seat in view.seats)
    asked = f"  asked {view.to_act}" if view.to_act else ""
    return f"{view.street} [{texts_of(view.board)}]  pot {pots or 'none'}  {seats}{asked}"


def _seat(seat: SeatView) -> str:
    drawn = f" drew {seat.drawn}" if seat.drawn >= 0 else ""
    return f"({seat.seat} {seat.state.value} {seat.stack} behind, bet {seat.bet}, {seat.card_count} cards{drawn})"


def _private(view: TableView) -> str:
    """Every card of a seat that the viewer sees, what he may do, and what he may show."""
    seen = "  ".join(f"{seat.seat}:[{texts_of(seat.cards)}]" for seat in view.seats if seat.cards)
    parts = [seen or "no cards"]
    if view.legal is not None:
        parts.append(f"may {_legal(view.legal)}")
    if view.may_reveal:
        parts.append(f"may show {texts_of(view.may_reveal)}")
    return "  ".join(parts)


def _legal(legal: LegalActions) -> str:
    facts = {field.name: getattr(legal, field.name) for field in fields(legal)}
    return " ".join(name if value is True else f"{name}={value}" for name, value in facts.items() if value)


def golden_file(name: str) -> Path:
    return HERE / f"{name}.txt"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: python -m tests.golden.transcripts --write  # replaces {HERE}/*.txt")
    for script_name, hand_script in SCRIPTS.items():
        golden_file(script_name).write_text(transcript(hand_script), encoding="utf-8")
