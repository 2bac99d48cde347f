"""A window: how many jobs may be under way at a time, by whether the last ones were done in time.

As networks do it: each that is done in time lets a little more, one that is late halves it, and of those that were
under way together only the first late one counts.
"""

from typing import Final

_LEAST: Final = 1


class Window:
    """Begins as wide as it may become, `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._wide = float(most)
        self._begun = 0
        self._halved_at = 0

    @property
    def wide(self) -> int:
        """How many jobs may be under way."""
        return int(self._wide)

    def begin(self) -> int:
        """Begin a job; answers its number, for `landed`."""
        self._begun += 1
        return self._begun

    def landed(self, number: int, *, in_time: bool) -> None:
        """A job was done, or its time is over."""
        if in_time:
            self._wide = min(self._most, self._wide + 1 / self._wide)
        elif number > self._halved_at:
            self._wide = max(_LEAST, self._wide / 2)
            self._halved_at = self._begun
