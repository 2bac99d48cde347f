"""A host's process: one that never begins ends by itself, whoever has forgotten it, and one that began stays."""

import asyncio
import inspect
import uuid
from typing import Any

import pytest
import ray
from ray.exceptions import ActorDiedError

from cluster.actors.joining import HOST_RESOURCE, NAMESPACE
from cluster.actors.salon_actor import HostSettings, SalonActor
from cluster.routing.leases import HostName
from tests.cluster.salons import SALON
from tests.integration.site import LEASE, Site, until

pytestmark = pytest.mark.integration


def created(name: HostName, url: str, *, patience: float) -> Any:
    """The actor, which nobody has told to start."""
    options = {"name": name, "namespace": NAMESPACE, "num_cpus": 0, "resources": {HOST_RESOURCE: 1}}
    return ray.remote(SalonActor).options(**options).remote(name, HostSettings(url, LEASE), patience)


async def ended(actor: Any) -> bool:
    try:
        await actor.pid.remote()
    except ActorDiedError:
        return True
    return False


async def test_a_process_that_nobody_starts_ends(ray_cluster: None, redis_url: str) -> None:
    """It holds a place that no other host gets; whoever created it has died, or could not kill it."""
    actor = created(HostName(f"host:{uuid.uuid4().hex}"), redis_url, patience=0.2)
    await until(lambda: ended(actor))


async def test_async_actors_run_on_uvloop(ray_cluster: None) -> None:
    """Hosts are such: a salon actor's methods are coroutines."""
    assert inspect.iscoroutinefunction(SalonActor.start)

    class Asked:
        async def loop(self) -> str:
            return type(asyncio.get_running_loop()).__module__

    actor: Any = ray.remote(Asked).options(num_cpus=0).remote()
    try:
        assert await actor.loop.remote() == "uvloop"
    finally:
        ray.kill(actor)


async def test_a_process_that_was_given_up_before_it_began_ends(site: Site, redis_url: str) -> None:
    actor = created(HostName(f"host:{uuid.uuid4().hex}"), redis_url, patience=2.0)
    assert not await actor.start.remote()
    await until(lambda: ended(actor))


async def test_a_process_that_began_stays(site: Site, redis_url: str) -> None:
    reserved = await site.leases.reserve(SALON, per_host=1, most_hosts=1)
    assert reserved is not None
    actor = created(reserved.host, redis_url, patience=3.0)
    assert await actor.start.remote()
    await asyncio.sleep(3.5)
    assert not await ended(actor)
    ray.kill(actor)
