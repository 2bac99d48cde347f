"""Records: events, commands, refusals and tables as plain data, for the log, the wire and the snapshots.

Plain data is None, bool, int, str, list and dict with string keys: what msgpack and JSON take. How a class
is written follows from its fields and their types, read once at import, so that a new event needs nothing
here. Law of this file: fields are written in the order in which the class declares them, and a record that
ends early takes the defaults of the rest, so that old logs stay readable. A deck is never in a table's
record: it stands in the vault alone.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.commands import Command
from engine.events import Event
from engine.refusals import Refusal
from engine.table import Table

SCHEMA_VERSION: Final = 2
"""Of what is written; earlier ones are read too. 2: GraceGiven."""
_SECRET: Final = frozenset({"deck"})
_LATER: Final = {"graces": 0, "graced_at": 0}
"""Slots that earlier versions did not have, and what they are where nothing is said."""

_Convert = Callable[[Any], Any]
_Pair = tuple[_Convert, _Convert]
_K = TypeVar("_K")
_V = TypeVar("_V")


class UnknownRecord(ValueError):
    """A record that this version cannot read: an unknown tag, member or field, which the message names."""


class _Codec(NamedTuple):
    """How one type is written and read; None where its values are plain already."""

    write: _Convert | None
    read: _Convert | None


class _Known(dict[_K, _V]):
    """What records may name; anything else is refused by name."""

    def __init__(self, what: str, known: Iterable[tuple[_K, _V]]) -> None:
        super().__init__(known)
        self.what = what

    def __missing__(self, key: _K) -> _V:
        raise UnknownRecord(f"{key!r} is no {self.what}: it was written by another version")


_PLAIN: Final = _Codec(None, None)


def _codec(hint: Any) -> _Codec:
    """The codec of a type hint."""
    hint = getattr(hint, "__supertype__", hint)
    origin = get_origin(hint)
    if hint in (int, str, bool, NoneType):
        return _PLAIN
    if origin in (tuple, list):
        return _sequence_codec(origin, get_args(hint))
    if origin is dict:
        return _dict_codec(get_args(hint)[1])
    if origin in (Union, UnionType):
        return _optional_codec(get_args(hint))
    if issubclass(hint, Enum):
        known = _Known(hint.__name__, ((member.value, member) for member in hint))
        return _Codec(attrgetter("value"), known.__getitem__)
    if is_dataclass(hint):
        return _Codec(*_value_pair(hint))
    return _Codec(*_state_pair(hint))


def _sequence_codec(kind: type, items: tuple[Any, ...]) -> _Codec:
    if kind is tuple and items[-1] is not Ellipsis:
        return _row_codec(tuple(_codec(item) for item in items))
    write, read = _codec(items[0])
    return _Codec(
        list if write is None else lambda value: [write(item) for item in value],
        kind if read is None else lambda plain: kind([read(item) for item in plain]),
    )


def _row_codec(columns: tuple[_Codec, ...]) -> _Codec:
    writes = tuple((at, codec.write) for at, codec in enumerate(columns) if codec.write)
    reads = tuple((at, codec.read) for at, codec in enumerate(columns) if codec.read)
    return _Codec(
        lambda value: _converted(list(value), writes), lambda plain: tuple(_converted(list(plain), reads))
    )


def _dict_codec(item: Any) -> _Codec:
    write, read = _codec(item)
    return _Codec(
        dict if write is None else lambda value: {key: write(item) for key, item in value.items()},
        dict if read is None else lambda plain: {key: read(item) for key, item in plain.items()},
    )


def _optional_codec(choices: tuple[Any, ...]) -> _Codec:
    (inner,) = (choice for choice in choices if choice is not NoneType)
    write, read = _codec(inner)
    if write is None or read is None:
        return _PLAIN
    return _Codec(
        lambda value: None if value is None else write(value),
        lambda plain: None if plain is None else read(plain),
    )


def _converted(values: list[Any], converts: tuple[tuple[int, _Convert], ...]) -> list[Any]:
    """`values` with those converted that are not plain; a record that ends early is left short."""
    for at, convert in converts:
        if at < len(values):
            values[at] = convert(values[at])
    return values


def _value_pair(cls: Any, *tag: str) -> _Pair:
    """How a value class is written and read, as a list of its fields, behind `tag` if one is given."""
    names = [field.name for field in fields(cls)]
    hints = get_type_hints(cls)
    start = len(tag)
    codecs = [(at, _codec(hints[name])) for at, name in enumerate(names, start)]
    writes = tuple((at, codec.write) for at, codec in codecs if codec.write)
    reads = tuple((at, codec.read) for at, codec in codecs if codec.read)
    most = start + len(names)
    values_of = _values_of(names)

    def write(value: Any) -> list[Any]:
        return _converted([*tag, *values_of(value)], writes)

    def read(plain: Any) -> Any:
        if len(plain) > most:
            raise UnknownRecord(
                f"{cls.__name__} has {len(plain) - start} fields where {len(names)} are known"
            )
        return cls(*_converted(list(plain), reads)[start:])

    return write, read


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda _: ()
    if len(names) == 1:
        (name,) = names
        return lambda value: (getattr(value, name),)
    return attrgetter(*names)


def _state_pair(cls: Any) -> _Pair:
    """How a state class, `Table` or `Hand`, is written and read, as a dict by slot; a secret slot is read as empty."""
    hints = {name: hint for name, hint in get_type_hints(cls).items() if name in cls.__slots__}
    codecs = {name: _codec(hint) for name, hint in hints.items() if name not in _SECRET}

    def write(state: Any) -> dict[str, Any]:
        return {
            name: codec.write(getattr(state, name)) if codec.write else getattr(state, name)
            for name, codec in codecs.items()
        }

    def read(plain: dict[str, Any]) -> Any:
        state = cls.__new__(cls)
        for name in _SECRET & hints.keys():
            setattr(state, name, ())
        for name, codec in codecs.items():
            if name not in plain and name in _LATER:
                setattr(state, name, _LATER[name])
                continue
            if name not in plain:
                raise UnknownRecord(f"a {cls.__name__} without {name}: it was written by another version")
            setattr(state, name, codec.read(plain[name]) if codec.read else plain[name])
        return state

    return write, read


class _Family(NamedTuple):
    """The tagged records of one union of value classes; the tag is the class's name."""

    write: dict[type, _Convert]
    read: dict[str, _Convert]


def _family(what: str, classes: tuple[type, ...]) -> _Family:
    pairs = [(cls, _value_pair(cls, cls.__name__)) for cls in classes]
    return _Family(
        _Known(what, ((cls, write) for cls, (write, _) in pairs)),
        _Known(what, ((cls.__name__, read) for cls, (_, read) in pairs)),
    )


_EVENTS: Final = _family("event", get_args(Event))
_COMMANDS: Final = _family("command", get_args(Command))
_REFUSALS: Final = _family("refusal", (Refusal,))
_WRITE_TABLE, _READ_TABLE = _state_pair(Table)


def event_to_plain(event: Event) -> list[Any]:
    """The event as `[tag, *fields]`; the tag is the event's name."""
    plain: list[Any] = _EVENTS.write[type(event)](event)
    return plain


def event_from_plain(plain: list[Any]) -> Event:
    """The event that `event_to_plain` wrote, in this version or an earlier one.

    Raises:
        UnknownRecord: another version wrote it, and this one does not know its tag, a member or a field.
    """
    event: Event = _EVENTS.read[plain[0]](plain)
    return event


def command_to_plain(command: Command) -> list[Any]:
    """The command as `[tag, *fields]`. A StartHand holds the deck: it is for the vault's side of a wire alone."""
    plain: list[Any] = _COMMANDS.write[type(command)](command)
    return plain


def command_from_plain(plain: list[Any]) -> Command:
    """The command that `command_to_plain` wrote.

    Raises:
        UnknownRecord: as for `event_from_plain`.
    """
    command: Command = _COMMANDS.read[plain[0]](plain)
    return command


def refusal_to_plain(refusal: Refusal) -> list[Any]:
    """The refusal as `[tag, *fields]`."""
    plain: list[Any] = _REFUSALS.write[type(refusal)](refusal)
    return plain


def refusal_from_plain(plain: list[Any]) -> Refusal:
    """The refusal that `refusal_to_plain` wrote.

    Raises:
        UnknownRecord: as for `event_from_plain`.
    """
    refusal: Refusal = _REFUSALS.read[plain[0]](plain)
    return refusal


def table_to_plain(table: Table) -> dict[str, Any]:
    """The table as a dict by slot, with its hand, without the deck.

    It shares no list with the table. Private cards are in it: it is for the server's side alone.
    """
    plain: dict[str, Any] = _WRITE_TABLE(table)
    return plain


def table_from_plain(plain: dict[str, Any]) -> Table:
    """The table that `table_to_plain` wrote; the deck of a hand in progress has to come from the vault.

    Raises:
        UnknownRecord: as for `event_from_plain`, or a slot is missing.
    """
    table: Table = _READ_TABLE(plain)
    return table
