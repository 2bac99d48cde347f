"""Wake-ups over real pub/sub: they come, channels come and go, and a lost connection is made again."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from cluster.redis_door import connect
from cluster.watching.wakeups import Wakeups
from tests.integration.site import DEADLINE, until

pytestmark = pytest.mark.integration


class Heard:
    """A listener, and what it heard."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()

    async def next(self) -> bytes:
        async with asyncio.timeout(DEADLINE):
            return await self.messages.get()

    async def after(self, store: Redis, channel: str) -> bytes:
        """The next message; published until somebody listens, since a subscription takes its time."""
        await until(lambda: _heard(store, channel))
        return await self.next()


async def _heard(store: Redis, channel: str) -> bool:
    return bool(await store.publish(channel, "x"))


async def _unheard(store: Redis, channel: str) -> bool:
    return not await _heard(store, channel)


@pytest.fixture
async def wakeups(store: Redis) -> AsyncIterator[Wakeups]:
    made = Wakeups(store)
    running = asyncio.create_task(made.run())
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_each_channel_has_its_listener_and_is_forgotten(wakeups: Wakeups, store: Redis) -> None:
    one, other = Heard(), Heard()
    wakeups.listen("one", one.messages.put_nowait)
    assert await one.after(store, "one") == b"x"
    wakeups.listen("other", other.messages.put_nowait)
    assert await other.after(store, "other") == b"x"
    wakeups.forget("one")
    await until(lambda: _unheard(store, "one"))
    await store.publish("other", "y")
    assert await other.next() == b"y"
    assert await _unheard(store, "one")


async def test_nothing_is_kept_of_a_channel_that_was_forgotten(wakeups: Wakeups, store: Redis) -> None:
    """What redis-py believed to be subscribed to would be so again with the next connection."""
    stays = Heard()
    wakeups.listen("stays", stays.messages.put_nowait)
    await stays.after(store, "stays")
    for number in range(20):
        passing = Heard()
        wakeups.listen(f"passing {number}", passing.messages.put_nowait)
        await passing.after(store, f"passing {number}")
        wakeups.forget(f"passing {number}")
        await until(lambda: _unheard(store, f"passing {number}"))  # noqa: B023 - it is awaited here
    await store.publish("stays", "y")
    assert await stays.next() == b"y"
    assert set(wakeups._pubsub.channels) == {b"stays"}
    assert wakeups._pubsub.pending_unsubscribe_channels == set()


async def test_a_lost_connection_is_made_again_with_all_its_channels(wakeups: Wakeups, store: Redis) -> None:
    heard = Heard()
    wakeups.listen("one", heard.messages.put_nowait)
    await heard.after(store, "one")
    with capture_logs() as logs:
        assert await store.client_kill_filter(_type="pubsub") == 1
        await until(lambda: _unheard(store, "one"))
        await heard.after(store, "one")
    assert [line["event"] for line in logs] == ["wakeups_lost"]


async def test_silence_is_no_loss(redis_url: str, store: Redis) -> None:
    """A connection that hears nothing for longer than a command may take is not given up."""
    hasty = connect(redis_url)
    hasty.connection_pool.connection_kwargs["socket_timeout"] = 0.2
    made = Wakeups(hasty)
    running = asyncio.create_task(made.run())
    heard = Heard()
    made.listen("one", heard.messages.put_nowait)
    await heard.after(store, "one")
    with capture_logs() as logs:
        await asyncio.sleep(0.6)  # the silence itself
        await store.publish("one", "y")
        assert await heard.next() == b"y"
    assert logs == []
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await hasty.aclose()
