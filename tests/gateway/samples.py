"""One value of every kind that is mirrored, made from its fields' types."""

from dataclasses import fields
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from engine.cards import Card


def sample(kind: Any, number: int = 1) -> Any:
    """A value of class `kind` whose fields differ from their zeros and, as far as types allow, from each other."""
    hints = get_type_hints(kind)
    return kind(
        **{field.name: _value(hints[field.name], number + at) for at, field in enumerate(fields(kind))}
    )


def bare(kind: Any) -> Any:
    """A value of class `kind` with None and nothing wherever that is allowed."""
    hints = get_type_hints(kind)
    return kind(**{field.name: _nothing(hints[field.name]) for field in fields(kind)})


def _value(hint: Any, number: int) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], number + at) for at in range(3))
    choices = [choice for choice in get_args(hint) if choice is not NoneType]
    if choices:
        return _value(choices[0], number)
    if hint is Card:
        return Card(number * 7 % 52)
    plain = getattr(hint, "__supertype__", hint)
    if plain is str:
        return f"text {number}"
    if plain is bool:
        return True
    if plain is int:
        return number
    if issubclass(plain, Enum):
        return list(plain)[number % len(plain)]
    return sample(plain, number)


def _nothing(hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return ()
    if NoneType in get_args(hint):
        return None
    plain = getattr(hint, "__supertype__", hint)
    if plain in (str, bool, int):
        return plain()
    if issubclass(plain, Enum):
        return next(iter(plain))
    return bare(plain)
