"""Records are plain, complete and readable again; a deck is never in a table's."""

import json
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from engine.cards import FULL_DECK, Card
from engine.commands import Command, RaiseTo, StartHand
from engine.events import BetMade, Event, PlayerSeated, SatOut
from engine.hand import Hand
from engine.legal import LegalActions
from engine.record import (
    UnknownRecord,
    command_from_plain,
    command_to_plain,
    event_from_plain,
    event_to_plain,
    refusal_from_plain,
    refusal_to_plain,
    table_from_plain,
    table_to_plain,
)
from engine.refusals import Reason, Refusal, refuse
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn

PLAIN = (NoneType, bool, int, str, list, dict)


def samples(hint: Any, *, start: int = 1) -> Iterator[Any]:
    """Two values of a type, an ordinary and, where there is one, an empty one."""
    hint = getattr(hint, "__supertype__", hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (int, str, bool):
        yield from {int: (start, 0), str: (f"s{start}", ""), bool: (True, False)}[hint]
    elif origin in (Union, UnionType):
        yield from (next(samples(choice)) if choice is not NoneType else None for choice in arguments)
    elif origin in (tuple, list):
        yield from sequences(origin, arguments)
    elif origin is dict:
        yield from (
            {key: value} for key, value in zip(samples(arguments[0]), samples(arguments[1]), strict=False)
        )
    elif issubclass(hint, Enum):
        yield from list(hint)[:2]
    elif hasattr(hint, "__dataclass_fields__"):
        yield from made(hint)
    else:
        yield slotted(hint)


def sequences(kind: Any, items: tuple[Any, ...]) -> Iterator[Any]:
    if kind is tuple and items[-1] is not Ellipsis:
        yield tuple(next(samples(item, start=at)) for at, item in enumerate(items, 7))
    else:
        yield kind(samples(items[0]))
        yield kind()


def made(cls: Any) -> Iterator[Any]:
    """Two instances of a value class: one of ordinary fields, one of empty ones."""
    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls)]
    for pick in (0, -1):
        yield cls(*(list(samples(hints[name], start=at))[pick] for at, name in enumerate(names, 1)))


def slotted(cls: Any) -> Any:
    """A state of a slotted class, filled by its slots' types."""
    state = cls.__new__(cls)
    hints = get_type_hints(cls)
    for at, name in enumerate(sorted(cls.__slots__), 1):
        setattr(state, name, next(samples(hints[name], start=at)))
    return state


def assert_plain(value: Any) -> None:
    """Exactly the plain types, without any subclass of them."""
    assert type(value) in PLAIN, value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        assert_plain(part)
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)


def slots_of(state: Table | Hand) -> dict[str, Any]:
    """A state's slots as a dict, its hand's too."""
    slots = {name: getattr(state, name) for name in state.__slots__}
    return {name: slots_of(slot) if isinstance(slot, Hand) else slot for name, slot in slots.items()}


EVENTS = [sample for cls in get_args(Event) for sample in made(cls)]
COMMANDS = [sample for cls in get_args(Command) for sample in made(cls)]
REFUSALS = [*made(Refusal), refuse(Reason.AMOUNT_OUT_OF_RANGE, "too little", min=400, max=5000)]


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_every_event_comes_back_from_its_record(event: Event) -> None:
    plain = event_to_plain(event)
    assert_plain(plain)
    again = event_from_plain(json.loads(json.dumps(plain)))
    assert again == event
    assert [type(getattr(again, field.name)) for field in fields(event)] == [
        type(getattr(event, field.name)) for field in fields(event)
    ]


@pytest.mark.parametrize("command", COMMANDS, ids=repr)
def test_every_command_comes_back_from_its_record(command: Command) -> None:
    plain = command_to_plain(command)
    assert_plain(plain)
    assert command_from_plain(json.loads(json.dumps(plain))) == command


@pytest.mark.parametrize("refusal", REFUSALS, ids=repr)
def test_every_refusal_comes_back_from_its_record(refusal: Refusal) -> None:
    plain = refusal_to_plain(refusal)
    assert_plain(plain)
    assert refusal_from_plain(json.loads(json.dumps(plain))) == refusal


def test_a_record_is_its_tag_and_its_fields() -> None:
    """The form is a promise to every log ever written."""
    assert event_to_plain(BetMade(Seat(2), Chips(10), Chips(30))) == ["BetMade", 2, 10, 30]
    raise_to = RaiseTo(PlayerId("ann"), HandNumber(4), Turn(2), Chips(600))
    assert command_to_plain(raise_to) == ["RaiseTo", "ann", 4, 2, 600]
    legal = LegalActions(fold=True, call=Chips(5))
    plain = refusal_to_plain(Refusal(Reason.STALE_TURN, "late", (("turn", "3"),), legal))
    assert plain[:4] == ["Refusal", "stale_turn", "late", [["turn", "3"]]]
    assert plain[4][:3] == [True, False, 5]


def test_a_record_that_ends_early_takes_the_defaults() -> None:
    """Old logs stay readable: new fields are appended with a default."""
    assert event_from_plain(["PlayerSeated", 1, "ann", "Ann", 200, 30_000, 5]) == PlayerSeated(
        Seat(1), PlayerId("ann"), "Ann", Chips(200), Millis(30_000), Millis(5)
    )
    sat_out = event_from_plain(["SatOut", 3, "busted", 9])
    assert isinstance(sat_out, SatOut)
    assert sat_out.need == 0


@pytest.mark.parametrize(
    "plain, named",
    [
        (["BetTripled", 1], "BetTripled"),
        (["SatOut", 3, "abducted", 9], "abducted"),
        (["Folded", 1, 2], "Folded"),
    ],
)
def test_what_another_version_wrote_is_refused_by_name(plain: list[Any], named: str) -> None:
    with pytest.raises(UnknownRecord, match=named):
        event_from_plain(plain)


def test_unknown_commands_and_refusals_are_refused_by_name() -> None:
    with pytest.raises(UnknownRecord, match="Cheat"):
        command_from_plain(["Cheat"])
    with pytest.raises(UnknownRecord, match="Shrug"):
        refusal_from_plain(["Shrug"])


def test_a_table_comes_back_from_its_record_without_the_deck() -> None:
    table = slotted(Table)
    table.hand.deck = FULL_DECK
    plain = table_to_plain(table)
    assert_plain(plain)
    assert "deck" not in plain["hand"]
    again = table_from_plain(json.loads(json.dumps(plain)))
    assert again.hand is not None
    assert again.hand.deck == ()
    table.hand.deck = ()
    assert slots_of(again) == slots_of(table)


def test_a_table_without_a_hand_comes_back_from_its_record() -> None:
    table = slotted(Table)
    table.hand = None
    assert table_from_plain(table_to_plain(table)).hand is None


def test_a_tables_record_shares_nothing_with_the_table() -> None:
    """A snapshot that is being written does not follow the game."""
    table = slotted(Table)
    plain = table_to_plain(table)
    before = json.dumps(plain)
    table.stacks[0] += 1
    table.hand.bets[0] += 1
    table.seat_of["new"] = 3
    assert json.dumps(plain) == before


def test_a_table_that_lacks_a_slot_is_refused_by_name() -> None:
    plain = table_to_plain(slotted(Table))
    del plain["banks"]
    with pytest.raises(UnknownRecord, match="banks"):
        table_from_plain(plain)


def test_every_slot_but_the_deck_is_in_the_record() -> None:
    """A slot without a type hint would be forgotten in silence."""
    plain = table_to_plain(slotted(Table))
    assert set(plain) == set(Table.__slots__)
    assert set(plain["hand"]) == set(Hand.__slots__) - {"deck"}


def test_a_shuffled_deck_is_written_for_the_vault() -> None:
    start = StartHand(deck=FULL_DECK, lot=7)
    assert command_from_plain(command_to_plain(start)) == start
    assert command_to_plain(start)[1][0] == Card(0)
