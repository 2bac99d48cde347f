"""Mirrors: a message that has the fields of a value, turned into it and back.

Law of this file: how a class is mirrored follows from its fields, their types and the message's descriptor,
read once at import; a field without its twin is a TypeError there, not a surprise later. A twin has the
field's name, with `_ms` behind a Millis and `_id` behind a PlayerId or SalonId. Cards are texts, "As". None is a field
that is not set, or an enum's zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, Final, Generic, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from cluster.envelope import SalonId
from engine.cards import Card, parse_card, text_of
from engine.units import Millis, PlayerId

V = TypeVar("V")
M = TypeVar("M", bound=Message)

_SUFFIXES: Final[dict[Any, str]] = {Millis: "_ms", PlayerId: "_id", SalonId: "_id"}

_REQUIRED: Final = object()
"""Stands for the missing default of a field that must be set."""
_Convert = Callable[[Any], Any]
Pair = tuple[_Convert | None, _Convert | None]
"""How a value is written and how it is read; None where it is the same on both sides."""


class Twin(NamedTuple):
    """One field of a value and its field of the message; None where the values are the same on both sides."""

    name: str
    twin: str
    write: _Convert | None
    read: _Convert | None
    nested: bool
    """Whether it is a message within the message, which may be missing."""


class Mirror(Generic[V, M]):
    """The value class `value` and the message class `message` as each other's mirror."""

    def __init__(
        self,
        value: type[V],
        message: type[M],
        *,
        renamed: Mapping[str, str] | None = None,
        pairs: Mapping[type, "Pair"] | None = None,
    ) -> None:
        """Pair the fields.

        `renamed` names the twins that do not follow the rule, "" for a field without one; `pairs` has how to
        write and read those classes that are not mirrored by the rule.

        Raises:
            TypeError: a field of `value` has no twin.
        """
        self.value = value
        self.message = message
        self.twins: Final = _twins(value, message, renamed or {}, pairs or {})

    def to_message(self, value: V) -> M:
        """The message that says what `value` says."""
        given: dict[str, Any] = {
            twin: getattr(value, name) if write is None else write(getattr(value, name))
            for name, twin, write, _, _ in self.twins
        }
        return self.message(**given)

    def from_message(self, message: M, **more: Any) -> V:
        """The value that `message` says, with `more` for the fields without a twin.

        Raises:
            ValueError: a card or an enum's number is none.
        """
        return self.value(**{twin.name: _read(message, twin) for twin in self.twins}, **more)

    def given(self, message: M) -> dict[str, Any]:
        """The fields of the value that are set in `message`; in a list, those that are not empty.

        Raises:
            ValueError: a card or an enum's number is none.
        """
        present = {descriptor.name for descriptor, _ in message.ListFields()}
        return {twin.name: _read(message, twin) for twin in self.twins if twin.twin in present}


def _read(message: Message, twin: Twin) -> Any:
    if twin.nested and not message.HasField(twin.twin):
        return None
    plain = getattr(message, twin.twin)
    return plain if twin.read is None else twin.read(plain)


def _twins(
    value: Any, message: type[Message], renamed: Mapping[str, str], pairs: Mapping[type, Pair]
) -> tuple[Twin, ...]:
    hints = get_type_hints(value)
    twins = []
    for field in fields(value):
        hint = hints[field.name]
        twin = renamed.get(field.name, field.name + _SUFFIXES.get(hint, ""))
        if not twin:
            continue
        descriptor = message.DESCRIPTOR.fields_by_name.get(twin)
        if descriptor is None:
            raise TypeError(f"{value.__name__}.{field.name} has no twin {message.DESCRIPTOR.name}.{twin}")
        zero = field.default if field.default is not MISSING else _REQUIRED
        write, read = pairs.get(hint) or _pair(hint, descriptor, zero)
        nested = descriptor.message_type is not None and not descriptor.is_repeated
        twins.append(Twin(field.name, twin, write, read, nested))
    return tuple(twins)


def _pair(hint: Any, descriptor: Any, zero: Any) -> Pair:
    """How a value of type `hint` is written to the field and read from it; `zero` is an unset enum's."""
    if get_origin(hint) is tuple:
        return _sequence(get_args(hint)[0], descriptor)
    choices = [choice for choice in get_args(hint) if choice is not NoneType]
    inner = choices[0] if choices else hint
    if descriptor.enum_type is not None:
        return _enum(inner, descriptor.enum_type, None if choices else zero)
    if is_dataclass(inner):
        return _nested(inner, descriptor, optional=bool(choices))
    return None, None


def _sequence(item: Any, descriptor: Any) -> Pair:
    if item is Card:
        return _texts, _cards
    write, read = _pair(item, descriptor, _REQUIRED)
    if write is None or read is None:
        return _same, tuple
    return lambda values: [write(value) for value in values], lambda plain: tuple(
        read(each) for each in plain
    )


def _same(values: Any) -> Any:
    return values


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return [text_of(card) for card in cards]


def _cards(texts: Any) -> tuple[Card, ...]:
    return tuple(parse_card(text) for text in texts)


def _nested(value: Any, descriptor: Any, *, optional: bool) -> Pair:
    mirror: Mirror[Any, Any] = Mirror(value, GetMessageClass(descriptor.message_type))
    if not optional:
        return mirror.to_message, mirror.from_message
    return lambda inner: None if inner is None else mirror.to_message(inner), mirror.from_message


def _enum(hint: Any, descriptor: EnumDescriptor, zero: Any) -> Pair:
    """Members by name; a text is the member's name in small letters. Unset is `zero`."""
    prefix = descriptor.values_by_number[0].name.removesuffix("UNSPECIFIED")
    numbers: dict[Any, int] = {}
    for each in descriptor.values:
        name = each.name.removeprefix(prefix)
        if each.number and hint is str:
            numbers[name.lower()] = each.number
        elif each.number and name in hint.__members__:
            numbers[hint[name]] = each.number
    if issubclass(hint, Enum) and len(numbers) != len(hint):
        raise TypeError(
            f"{descriptor.name} lacks {[member.name for member in hint if member not in numbers]}"
        )
    members: dict[int, Any] = {number: member for member, number in numbers.items()}
    if zero is not _REQUIRED:
        numbers.setdefault(zero, 0)
        members[0] = zero

    def read(number: int) -> Any:
        if number not in members:
            raise ValueError(f"{number} is no {descriptor.name}: set one of {', '.join(_names(descriptor))}")
        return members[number]

    return numbers.__getitem__, read


def _names(descriptor: EnumDescriptor) -> list[str]:
    return [each.name for each in descriptor.values if each.number]
