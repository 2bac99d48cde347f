"""A value: what travels between parts of the product and is never changed after it was made.

The type checker holds every value frozen (`frozen_default`). At run time it is a plain slotted
dataclass: freezing costs 0.44 us an instance, which is most of what an event costs, and the engine
makes two of them for every action of every hand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """Make `cls` a value: compared and hashed by its fields, with slots, frozen to the type checker."""
    make: Callable[[type[T]], type[T]] = dataclass(slots=True, unsafe_hash=True)
    return make(cls)


def changed(item: T, **changes: Any) -> T:
    """A copy of the value `item` with some of its fields changed, in half the time of `dataclasses.replace`."""
    kind: Any = type(item)
    for name in kind.__slots__:
        if name not in changes:
            changes[name] = getattr(item, name)
    made: T = kind(**changes)
    return made
