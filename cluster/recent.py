"""A dict that holds no more than so much: what was set longest ago goes first."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(dict[K, V]):
    """The last `most` keys that were set by `recent[key] = value`, in the order of their last setting."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        self.pop(key, None)
        while len(self) >= self._most:
            del self[next(iter(self))]
        super().__setitem__(key, value)
