"""A slow start: the event loop goes on during the first call, and later calls cost it no thread."""

import asyncio
import threading

import pytest

from cluster.slow_start import SlowStart

PATIENCE = 10.0
"""Seconds, of which nothing is waited for that works."""


async def test_the_loop_goes_on_during_the_first_call() -> None:
    """It lets the call end: on the loop itself it would wait for ever."""
    gone_on = threading.Event()
    calling = asyncio.ensure_future(SlowStart(gone_on.wait)(PATIENCE))
    await asyncio.sleep(0)
    gone_on.set()
    assert await calling


async def test_later_calls_are_made_where_they_are_asked_for() -> None:
    call = SlowStart(threading.get_ident)
    assert await call() != threading.get_ident()
    assert await call() == threading.get_ident()


async def test_a_call_that_failed_was_no_start() -> None:
    where: list[int] = []

    def fail() -> None:
        where.append(threading.get_ident())
        raise ConnectionError

    call = SlowStart(fail)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await call()
    assert threading.get_ident() not in where
