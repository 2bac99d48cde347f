"""A rush: thousands of streams that are begun at once, as after a gateway's death, are all taken."""

import asyncio
from collections import Counter
from typing import Any

import grpc
import pytest

from cluster.gateway.server import OPTIONS

pytestmark = pytest.mark.integration

STREAMS = 4_000
CONNECTIONS = 40


async def test_no_stream_of_a_rush_is_cancelled() -> None:
    """With gRPC's own limits a third of them are."""
    server = grpc.aio.server(options=OPTIONS)
    over = asyncio.Event()

    async def watch(request: bytes, context: Any) -> None:
        await context.write(request)
        await over.wait()

    handlers: dict[str, Any] = {"Watch": grpc.unary_stream_rpc_method_handler(watch)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Salons", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    own = (("grpc.use_local_subchannel_pool", 1),)
    channels: list[Any] = [
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=own) for _ in range(CONNECTIONS)
    ]
    calls: list[Any] = [
        channels[number % CONNECTIONS].unary_stream("/Salons/Watch")(b"x") for number in range(STREAMS)
    ]
    try:
        assert Counter(await asyncio.gather(*map(_first, calls))) == {"x": STREAMS}
    finally:
        over.set()
        for call in calls:
            call.cancel()
        for channel in channels:
            await channel.close()
        await server.stop(None)


async def _first(call: Any) -> str:
    """The call's first message, or what it ended with."""
    try:
        message: bytes = await call.read()
    except grpc.aio.AioRpcError as error:
        return str(error.code())
    return message.decode()
