"""The bare service that the cluster is measured against: grpc.aio, and the bytes of a recorded run.

A program: it takes the file of a recording, says where it listens, and ends with its input. It has the calls of
SalonService that players use. A command brings to each stream what it brought in the real run, and nothing else is done
for it: no session, no rules, no log, no other process. What waits for a stream travels in one message, as the gateway's.
"""

import asyncio
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import grpc

from cluster.bench.recording import Script, Step, load
from cluster.gateway.outbox import Outbox
from croupier.v1.salon_pb2 import ActRequest, PlayRequest, WatchRequest

_SERVICE: Final = "croupier.v1.SalonService"
_SCHEME: Final = "Bearer "


class Echo:
    """The service. Of one event loop."""

    def __init__(self, tokens: list[str], scripts: dict[str, Script]) -> None:
        self._numbers = {token: number for number, token in enumerate(tokens)}
        self._first = {salon: script.first for salon, script in scripts.items()}
        self._steps: dict[str, Iterator[Step]] = {
            salon: cycle(script.steps) for salon, script in scripts.items()
        }
        self._playing = [Outbox(together=True) for _ in tokens]
        self._watching: dict[tuple[int, str], Outbox] = {}

    def handlers(self) -> grpc.GenericRpcHandler:
        """Bytes in, bytes out."""
        return grpc.method_handlers_generic_handler(
            _SERVICE,
            {
                "Play": grpc.stream_stream_rpc_method_handler(self.play),
                "Watch": grpc.unary_stream_rpc_method_handler(self.watch),
                "Act": grpc.unary_unary_rpc_method_handler(self.act),
            },
        )

    async def play(self, requests: Any, context: Any) -> None:
        """Commands in, and what they brought out."""
        number = self._number(context)
        outbox = self._playing[number]
        pump = asyncio.create_task(_pump(outbox, context))
        try:
            async for message in requests:
                request = PlayRequest.FromString(message)
                for watch in request.watch:
                    outbox.put(self._first[watch.salon_id][number])
                for command in request.commands:
                    step = next(self._steps[command.act.salon_id])
                    outbox.put(step.answer)
                    for stream, part in step.updates:
                        self._playing[stream].put(part)
        finally:
            pump.cancel()

    async def watch(self, message: bytes, context: Any) -> None:
        """One salon's updates."""
        salon = WatchRequest.FromString(message).salon_id
        number = self._number(context)
        outbox = self._watching[number, salon] = Outbox(together=False)
        outbox.put(self._first[salon][number])
        await _pump(outbox, context)

    async def act(self, message: bytes, context: Any) -> bytes:  # noqa: ARG002 - the rpc's form
        """The answer to a command."""
        salon = ActRequest.FromString(message).salon_id
        step = next(self._steps[salon])
        for stream, part in step.updates:
            self._watching[stream, salon].put(part)
        return step.answer

    def _number(self, context: Any) -> int:
        metadata = dict(context.invocation_metadata())
        return self._numbers[metadata["authorization"].removeprefix(_SCHEME)]


async def _pump(outbox: Outbox, context: Any) -> None:
    while (message := await outbox.take()) is not None:
        await context.write(message)


async def _serve(recording: Path) -> None:
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Echo(*load(recording)).handlers(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"127.0.0.1:{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
