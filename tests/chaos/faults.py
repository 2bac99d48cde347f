"""The faults: each is struck, held, undone, and over when play goes on everywhere."""

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from cluster.client import Client, new_request_id
from croupier.v1.admin_pb2 import CancelDrainRequest, DrainNodeRequest
from tests.chaos.frozen import Frozen, has_ended
from tests.chaos.recovery import BOUND, GoesOn, Hangs, Happened, Recovery
from tests.chaos.schedule import NODES, Kind, Planned
from tests.chaos.town import GatewayProcess, Town
from tests.chaos.victims import Victims

_LAG: Final = 0.15
"""Seconds that a piece is held back at most, for each second that the fault is there."""
_DRAIN_MS: Final = 14_000
_AFTER_THE_DRAIN: Final = 10.0
"""Seconds after a drain's deadline: hosts may have to be started for its salons, of which each takes several, and a
gateway up to 17, where everything shares two busy cores."""
_TAKEOVER: Final = 5.0
"""Seconds by which another gateway is the caretaker,"""
_LOADED: Final = 3.0
"""and for which its sweep, due every half second, and our look may wait where everything shares two busy cores."""
_OPERATORS_PATIENCE: Final = 5.0


async def _at_once() -> None:
    """Healed by itself: the supervisor does it."""


async def _nothing() -> None:
    """There is nothing to undo."""


@dataclass(frozen=True, slots=True)
class _Struck:
    """A fault that is there."""

    victim: str
    held: Callable[[], Awaitable[None]] = _at_once
    """Waits until it is healed, or until it is to be undone."""
    undo: Callable[[], Awaitable[bool | None]] = _nothing
    """Done in any case; answers whether a host woke, where hosts were frozen."""
    over: Callable[[], Awaitable[bool]] | None = None
    """Whether what it hit is as it should be, beside play itself."""
    within: float | None = None
    """Seconds in which it must be healed."""
    at: float = field(default_factory=time.monotonic)
    """When it struck: it had to find its victim first."""


class Faults:
    """Lets planned faults happen to a town in which `crowd` plays. `began` is the start of the run, monotonic."""

    def __init__(self, town: Town, crowd: GoesOn, began: float, seed: int) -> None:
        self._town = town
        self._recovery = Recovery(town, crowd)
        self._victims = Victims(town, self._recovery)
        self._began = began
        self._rng = random.Random(seed)
        self._strikes: dict[Kind, Callable[[Planned], Awaitable[_Struck]]] = {
            Kind.CUT: self._cut,
            Kind.DELAY: self._delay,
            Kind.RESET: self._reset,
            Kind.KILL_HOST: self._kill_host,
            Kind.KILL_RAYLET: self._kill_raylet,
            Kind.KILL_GATEWAY: self._kill_gateway,
            Kind.KILL_CARETAKER: self._kill_caretaker,
            Kind.KILL_VALKEY: self._kill_valkey,
            Kind.FREEZE_HOST: self._freeze_host,
            Kind.FREEZE_RAYLET: self._freeze_raylet,
            Kind.FREEZE_VALKEY: self._freeze_valkey,
            Kind.RESTART_GCS: self._restart_gcs,
            Kind.DRAIN: self._drain,
        }

    async def happen(self, planned: Planned) -> Happened:
        """Let it happen, and wait until it is over. Raises Hangs."""
        await self._ready(planned.kind)
        struck = await self._strike(planned)
        woken = None
        try:
            await struck.held()
            healed = time.monotonic()
        finally:
            woken = await struck.undo()
        first, whole = await self._recovery.goes_on(f"{planned.kind} of {struck.victim}", struck.over)
        return Happened(
            planned.kind,
            struck.victim,
            struck.at - self._began,
            healed - struck.at,
            first - struck.at,
            whole - struck.at,
            struck.within,
            woken,
        )

    async def _strike(self, planned: Planned) -> _Struck:
        """Strike; a victim that has ended when it is to be struck was none, and another is looked for."""
        struck: list[_Struck] = []

        async def hit() -> bool:
            struck.append(await self._strikes[planned.kind](planned))
            return True

        await self._recovery.until(hit, f"{planned.kind} hits somebody")
        return struck[0]

    async def _ready(self, kind: Kind) -> None:
        """Wait until what it needs is there, which an earlier fault may have taken: all nodes, or all gateways."""
        town = self._town
        if kind in (Kind.KILL_GATEWAY, Kind.KILL_CARETAKER):

            async def whole() -> bool:
                return all([await gateway.listens() for gateway in town.gateways])

        elif kind in NODES:

            async def whole() -> bool:
                return not town.machines.lacks_node()

        else:
            return
        await self._recovery.until(whole, f"there is all that {kind} needs")

    # The lines between clients and gateways

    async def _cut(self, planned: Planned) -> _Struck:
        victim = await self._victims.lines(planned)
        for proxy in victim.proxies:
            proxy.cut()

        async def mend() -> None:
            for proxy in victim.proxies:
                proxy.mend()

        return _Struck(f"{victim} for {planned.hold:.1f} s", _for(planned), mend)

    async def _delay(self, planned: Planned) -> _Struck:
        victim = await self._victims.lines(planned)
        for proxy in victim.proxies:
            proxy.lag(lambda: self._rng.uniform(0, _LAG * planned.hold))

        async def hurry() -> None:
            for proxy in victim.proxies:
                proxy.lag(lambda: 0.0)

        return _Struck(f"{victim}, up to {_LAG * planned.hold:.2f} s a piece", _for(planned), hurry)

    async def _reset(self, planned: Planned) -> _Struck:
        victim = await self._victims.lines(planned)
        for proxy in victim.proxies:
            proxy.reset()
        return _Struck(str(victim))

    # Hosts

    async def _kill_host(self, planned: Planned) -> _Struck:
        victim = await self._victims.host(planned)
        victim.process.kill()
        return _Struck(str(victim), over=self._recovery.elsewhere(set(victim.heads), {victim.host}))

    async def _freeze_host(self, planned: Planned) -> _Struck:
        victim = await self._victims.host(planned)
        frozen = Frozen.one(victim.process)
        served, elsewhere = (
            self._recovery.served_anew(victim.heads),
            self._recovery.elsewhere(set(victim.heads), {victim.host}),
        )

        async def held() -> None:
            await self._recovery.until(served, f"the salons of {victim.host} are served anew")

        async def thaw() -> bool:
            return bool(frozen.thaw())

        async def gone() -> bool:
            return has_ended(victim.process) and await elsewhere()

        return _Struck(str(victim), held, thaw, gone, BOUND)

    # Nodes

    async def _kill_raylet(self, planned: Planned) -> _Struck:
        victim = await self._victims.node(planned)
        victim.raylet.kill()
        elsewhere = self._recovery.elsewhere(set(victim.heads), set(victim.hosts))

        async def gone() -> bool:
            return victim.node not in await self._town.machines.alive() and await elsewhere()

        return _Struck(str(victim), over=gone)

    async def _freeze_raylet(self, planned: Planned) -> _Struck:
        """The node is out of the cluster, its salons are elsewhere, and all that knew nothing of it goes on."""
        victim = await self._victims.node(planned)
        frozen = Frozen.family(victim.raylet)
        hosts = {actor.pid for actor in victim.hosts.values()}
        if not hosts <= frozen.pids:
            frozen.thaw()
            raise Hangs(f"{hosts - frozen.pids} did not stop with the raylet that they are hosts of")
        served, elsewhere = (
            self._recovery.served_anew(victim.heads),
            self._recovery.elsewhere(set(victim.heads), set(victim.hosts)),
        )

        async def left() -> bool:
            return victim.node not in await self._town.machines.alive() and await served()

        async def held() -> None:
            await self._recovery.until(left, f"the salons of {victim} are served anew")

        async def thaw() -> bool:
            return bool(frozen.thaw() & hosts)

        async def gone() -> bool:
            out = victim.node not in await self._town.machines.alive()
            return out and has_ended(victim.raylet) and await elsewhere()

        return _Struck(str(victim), held, thaw, gone, BOUND)

    async def _restart_gcs(self, planned: Planned) -> _Struck:
        victim = await self._victims.gcs()
        victim.process.kill()
        machines = self._town.machines

        async def answers() -> bool:
            """It is another, knows the nodes that it has never seen, and they have outlived it."""
            if machines.lacks_gcs() or machines.gcs().pid == victim.process.pid:
                return False
            return victim.nodes <= await machines.alive() & machines.running()

        return _Struck(str(victim), over=answers)

    async def _drain(self, planned: Planned) -> _Struck:
        victim = await self._victims.node(planned)
        deadline = _DRAIN_MS if planned.pick < 0.5 else 0
        order = DrainNodeRequest(node_id=victim.node, deadline_in_ms=deadline)
        ordered = time.monotonic()

        async def empty() -> bool:
            census = await self._town.leases.census()
            return not any(each.salons for each in census if each.node == victim.node)

        async def held() -> None:
            await self._ask_operator("DrainNode", order)
            await self._recovery.until(empty, f"node {victim.node[:8]} is drained")

        async def call_off() -> None:
            await self._ask_operator("CancelDrain", CancelDrainRequest(node_id=victim.node))

        when = f"within {deadline // 1000} s" if deadline else "between hands"
        within = deadline / 1000 + _AFTER_THE_DRAIN if deadline else None
        return _Struck(f"{victim}, {when}", held, call_off, within=within, at=ordered)

    async def _ask_operator(self, method: str, request: Any) -> None:
        """Have one of the gateways do it, as an operator."""

        async def done() -> bool:
            gateway = self._rng.choice(self._town.gateways)
            async with Client(gateway.listen, patience=_OPERATORS_PATIENCE) as operator:
                await operator.sign_in("Operator", new_request_id())
                operator.operator_token = self._town.token
                await operator.call(getattr(operator.admin, method), request)
            return True

        await self._recovery.until(done, f"{method} is answered")

    # Gateways and Valkey

    async def _kill_gateway(self, planned: Planned) -> _Struck:
        gateways = self._town.gateways
        return await self._kill(gateways[planned.of(len(gateways))])

    async def _kill_caretaker(self, planned: Planned) -> _Struck:
        before, gateway = await self._victims.caretaker()
        struck = await self._kill(gateway)

        async def another_has_it() -> bool:
            return await self._victims.role() not in ("", before)

        async def held() -> None:
            await self._recovery.until(another_has_it, "another gateway is the caretaker")

        return _Struck(struck.victim, held, within=_TAKEOVER + _LOADED, at=struck.at)

    async def _kill(self, gateway: GatewayProcess) -> _Struck:
        """Over when the others serve; that it comes back is for the supervisor to see to."""
        struck = _Struck(f"gateway at {gateway.listen}")
        gateway.kill()
        await gateway.ended_for_good()
        return struck

    async def _kill_valkey(self, planned: Planned) -> _Struck:
        self._town.valkey.end(signal.SIGKILL)
        return _Struck("the salons'", over=self._town.store.ping)

    async def _freeze_valkey(self, planned: Planned) -> _Struck:
        self._town.valkey.send(signal.SIGSTOP)

        async def thaw() -> None:
            self._town.valkey.send(signal.SIGCONT)

        return _Struck(f"the salons' for {planned.hold:.1f} s", _for(planned), thaw, self._town.store.ping)


def _for(planned: Planned) -> Callable[[], Awaitable[None]]:
    """Holds a fault for as long as it is planned."""

    async def held() -> None:
        await asyncio.sleep(planned.hold)

    return held
