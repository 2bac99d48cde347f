"""Hearing: what the product says in its logs during a schedule is counted, and what would be an alarm is a violation."""

import uuid
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch
from uuid import UUID
from zlib import crc32

import structlog

from cluster.watching.watched import Watcher
from tests.simulation.ground import Ground

ALARMS: Final = frozenset({"salon_broke", "salon_quarantined", "delivery_broke", "feed_broke"})
"""What is only ever said of a bug."""


def _by_name(watcher: Watcher) -> int:
    """A hash for a set of watchers, the order of which is then the same in every run."""
    return crc32(watcher.player.encode())


@contextmanager
def heard(ground: Ground) -> Iterator[None]:
    """Count what is logged, and print nothing; and let names be drawn from the schedule's chance."""

    def listen(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        name = event["event"]
        if not ground.store.over:
            ground.note(f"log {name}", "", dict(event) if ground.diary is not None else None)
        if name in ALARMS:
            ground.violate(f"alarm: {dict(event)}")
        raise structlog.DropEvent

    def number() -> UUID:
        return UUID(int=ground.rng.getrandbits(128), version=4)

    before = structlog.get_config()
    structlog.configure(
        processors=[listen], wrapper_class=structlog.BoundLogger, cache_logger_on_first_use=False
    )
    try:
        with patch.object(uuid, "uuid4", number), patch.object(Watcher, "__hash__", _by_name):
            yield
    finally:
        structlog.configure(**before)
