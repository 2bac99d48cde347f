"""What `croupier gateway` says before it serves."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cluster.commands import gateway
from cluster.settings import SetupFault


@pytest.fixture
async def head() -> AsyncIterator[str]:
    """What answers at an address of this machine's loopback, as the head that `croupier up` starts."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def test_a_head_that_ray_looks_for_elsewhere_is_not_waited_for(
    head: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Ray takes the machine's own address for a loopback one, it would try for ever and say nothing."""
    elsewhere = "127.0.0.1:1"
    monkeypatch.setattr(gateway, "looked_for_at", lambda _: elsewhere)
    with pytest.raises(
        SetupFault, match=f"RAY_ADDRESS={head} listens .* alone.* at {elsewhere}: .*-role head"
    ):
        await gateway._check_ray(head)


async def test_a_head_that_is_there_is_joined(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "looked_for_at", lambda address: address)
    await gateway._check_ray(head)
