"""Commands that travel together: each gets its own answer, and a batch that is lost is lost for all of it."""

import asyncio

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from cluster.coalesced import Coalesced
from cluster.redis_door import connect, script

pytestmark = pytest.mark.integration


async def test_each_of_many_commands_gets_its_own_answer(store: Redis) -> None:
    together = Coalesced(store)
    await asyncio.gather(*(together.set(f"key-{number}", number) for number in range(1_000)))
    answers = await asyncio.gather(*(together.get(f"key-{number}") for number in range(1_000)))
    assert answers == [str(number).encode() for number in range(1_000)]


async def test_a_command_that_is_wrong_spoils_no_other(store: Redis) -> None:
    together = Coalesced(store)
    await together.set("text", "a")
    wrong, right = await asyncio.gather(together.incr("text"), together.get("text"), return_exceptions=True)
    assert isinstance(wrong, ResponseError)
    assert right == b"a"


async def test_a_script_that_the_server_forgot_is_loaded_again(store: Redis) -> None:
    together = Coalesced(store)
    await store.script_flush()
    hold = script(together, "hold_role")
    assert await hold(["role:test"], ["me", 1_000])


async def test_a_server_that_does_not_answer_is_a_fault_for_every_caller() -> None:
    nobody = connect("redis://127.0.0.1:1/0")
    together = Coalesced(nobody)
    outcomes = await asyncio.gather(*(together.get("key") for _ in range(3)), return_exceptions=True)
    assert all(isinstance(outcome, RedisError | OSError) for outcome in outcomes)
    await nobody.aclose()


async def test_a_caller_that_gives_up_leaves_the_others_their_answers(store: Redis) -> None:
    together = Coalesced(store)
    await together.set("key", "a")
    hasty = asyncio.ensure_future(together.get("key"))
    patient = asyncio.ensure_future(together.get("key"))
    await asyncio.sleep(0)
    hasty.cancel()
    assert await patient == b"a"
