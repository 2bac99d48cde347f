"""The faults: each is struck, held, healed, and over when play goes on everywhere."""

import asyncio
import random
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import psutil

from cluster.client import Client, new_request_id
from cluster.envelope import SalonId
from cluster.routing.drains import NodeId
from cluster.routing.leases import HostName
from croupier.v1.admin_pb2 import CancelDrainRequest, DrainNodeRequest
from tests.chaos.machines import freeze, thaw
from tests.chaos.proxy import Proxy
from tests.chaos.recovery import GoesOn, Happened, Recovery
from tests.chaos.schedule import Kind, Planned
from tests.chaos.town import GatewayProcess, Town

_LAG: Final = 0.15
"""Seconds that a piece is held back at most, for each second that the fault is there."""
_DRAIN_MS: Final = 14_000
_OPERATORS_PATIENCE: Final = 5.0


async def _at_once() -> None:
    """Healed by itself: the supervisor does it."""


@dataclass(frozen=True, slots=True)
class _Struck:
    """A fault that is there."""

    victim: str
    heal: Callable[[], Awaitable[None]] = _at_once
    over: Callable[[], Awaitable[bool]] | None = None
    """Whether what it hit is as it should be, beside play itself."""
    at: float = field(default_factory=time.monotonic)
    """When it struck: it had to find its victim first."""


class Faults:
    """Lets planned faults happen to a town in which `crowd` plays. `began` is the start of the run, monotonic."""

    def __init__(self, town: Town, crowd: GoesOn, began: float, seed: int) -> None:
        self._town = town
        self._recovery = Recovery(town, crowd)
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
        struck = await self._strikes[planned.kind](planned)
        await struck.heal()
        healed = time.monotonic()
        first, whole = await self._recovery.goes_on(f"{planned.kind} of {struck.victim}", struck.over)
        return Happened(
            planned.kind,
            struck.victim,
            struck.at - self._began,
            healed - struck.at,
            first - struck.at,
            whole - struck.at,
        )

    async def _ready(self, kind: Kind) -> None:
        """Wait until what it needs is there, which an earlier fault may have taken: all nodes, or all gateways."""
        town = self._town
        if kind in (Kind.KILL_GATEWAY, Kind.KILL_CARETAKER):

            async def whole() -> bool:
                return all([await gateway.listens() for gateway in town.gateways])

        elif kind in (Kind.KILL_RAYLET, Kind.FREEZE_RAYLET, Kind.DRAIN):

            async def whole() -> bool:
                return not town.machines.lacks_node()

        else:
            return
        await self._recovery.until(whole, f"there is all that {kind} needs")

    # The lines between clients and gateways

    async def _cut(self, planned: Planned) -> _Struck:
        proxies = self._some_proxies(planned)
        for proxy in proxies:
            proxy.cut()

        async def heal() -> None:
            await asyncio.sleep(planned.hold)
            for proxy in proxies:
                proxy.mend()

        return _Struck(f"{len(proxies)} of the lines for {planned.hold:.1f} s", heal)

    async def _delay(self, planned: Planned) -> _Struck:
        proxies = self._some_proxies(planned)
        for proxy in proxies:
            proxy.lag(lambda: self._rng.uniform(0, _LAG * planned.hold))

        async def heal() -> None:
            await asyncio.sleep(planned.hold)
            for proxy in proxies:
                proxy.lag(lambda: 0.0)

        return _Struck(f"{len(proxies)} of the lines, up to {_LAG * planned.hold:.2f} s a piece", heal)

    async def _reset(self, planned: Planned) -> _Struck:
        proxies = self._some_proxies(planned)
        for proxy in proxies:
            proxy.reset()
        return _Struck(f"{len(proxies)} of the lines")

    def _some_proxies(self, planned: Planned) -> list[Proxy]:
        """One gateway's, or all."""
        proxies = [gateway.proxy for gateway in self._town.gateways]
        at = planned.of(len(proxies) + 1)
        return proxies if at == len(proxies) else [proxies[at]]

    # Hosts

    async def _kill_host(self, planned: Planned) -> _Struck:
        host, process, salons = await self._host(planned)
        process.kill()
        return _Struck(f"{host} with {len(salons)} salons", over=self._recovery.elsewhere(salons, {host}))

    async def _freeze_host(self, planned: Planned) -> _Struck:
        host, process, salons = await self._host(planned)
        process.suspend()
        before = await self._recovery.heads(salons)

        async def heal() -> None:
            try:
                await self._recovery.until(
                    self._recovery.served_anew(before), f"the salons of {host} are served anew"
                )
            finally:
                if process.is_running():
                    process.resume()

        async def gone() -> bool:
            return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE

        return _Struck(f"{host} with {len(salons)} salons", heal, gone)

    async def _host(self, planned: Planned) -> tuple[HostName, psutil.Process, set[SalonId]]:
        """A host that has salons, and its process."""
        found: list[tuple[HostName, psutil.Process, set[SalonId]]] = []

        async def there() -> bool:
            census = await self._town.leases.census()
            busy = sorted(
                each.host for each in census if each.salons and not each.starting and not each.given_up
            )
            actors = await self._town.machines.actors()
            busy = [host for host in busy if host in actors]
            if busy:
                host = busy[planned.of(len(busy))]
                salons = await self._town.leases.hot(host)
                found.append((host, psutil.Process(actors[host].pid), salons))
            return bool(busy)

        await self._recovery.until(there, "a host has salons")
        return found[0]

    # Nodes

    async def _kill_raylet(self, planned: Planned) -> _Struck:
        node, hosts, salons = await self._node(planned)
        self._town.machines.raylet(node).kill()
        return _Struck(_node_text(node, hosts, salons), over=self._recovery.elsewhere(salons, hosts))

    async def _freeze_raylet(self, planned: Planned) -> _Struck:
        node, hosts, salons = await self._node(planned)
        family = freeze(self._town.machines.raylet(node))
        before = await self._recovery.heads(salons)

        async def heal() -> None:
            try:
                await self._recovery.until(
                    self._recovery.served_anew(before), f"the salons of node {node[:8]} are served anew"
                )
            finally:
                thaw(family)

        return _Struck(_node_text(node, hosts, salons), heal, self._recovery.elsewhere(salons, hosts))

    async def _restart_gcs(self, planned: Planned) -> _Struck:
        self._town.machines.gcs().kill()

        async def answers() -> bool:
            return not self._town.machines.lacks_gcs() and bool(await self._town.machines.alive())

        return _Struck("the head's", over=answers)

    async def _drain(self, planned: Planned) -> _Struck:
        node, hosts, salons = await self._node(planned)
        deadline = _DRAIN_MS if planned.pick < 0.5 else 0
        order = DrainNodeRequest(node_id=node, deadline_in_ms=deadline)
        await self._ask_operator("DrainNode", order)

        async def empty() -> bool:
            return not any(each.salons for each in await self._town.leases.census() if each.node == node)

        async def heal() -> None:
            try:
                await self._recovery.until(empty, f"node {node[:8]} is drained")
            finally:
                await self._ask_operator("CancelDrain", CancelDrainRequest(node_id=node))

        when = f"within {deadline // 1000} s" if deadline else "between hands"
        return _Struck(f"{_node_text(node, hosts, salons)}, {when}", heal)

    async def _node(self, planned: Planned) -> tuple[NodeId, set[HostName], set[SalonId]]:
        """A worker node that has salons; a new one is given its share in a few seconds."""
        found: list[tuple[NodeId, set[HostName], set[SalonId]]] = []

        async def there() -> bool:
            workers = self._town.machines.workers()
            census = await self._town.leases.census()
            on = {
                node: {each.host for each in census if each.node == node and each.salons} for node in workers
            }
            busy = [node for node in workers if on[node]]
            if busy:
                node = busy[planned.of(len(busy))]
                hot = [await self._town.leases.hot(host) for host in on[node]]
                found.append((node, on[node], set().union(*hot)))
            return bool(busy)

        await self._recovery.until(there, "a node beside the head has salons")
        return found[0]

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
        found: list[tuple[str, GatewayProcess]] = []

        async def one_has_the_role() -> bool:
            role: Any = await self._town.store.get("role:caretaker")
            name = role.decode() if role else ""
            found[:] = [(name, gateway) for gateway in self._town.gateways if name and gateway.name == name]
            return bool(found)

        await self._recovery.until(one_has_the_role, "a gateway is the caretaker")
        ((before, gateway),) = found
        struck = await self._kill(gateway)

        async def another_has_it() -> bool:
            return await one_has_the_role() and found[0][0] != before

        return _Struck(struck.victim, over=another_has_it)

    async def _kill(self, gateway: GatewayProcess) -> _Struck:
        """Over when the others serve; that it comes back is for the supervisor to see to."""
        gateway.kill()
        await gateway.ended_for_good()
        return _Struck(f"gateway at {gateway.listen}")

    async def _kill_valkey(self, planned: Planned) -> _Struck:
        self._town.valkey.end(signal.SIGKILL)
        return _Struck("the salons'", over=self._town.store.ping)

    async def _freeze_valkey(self, planned: Planned) -> _Struck:
        self._town.valkey.send(signal.SIGSTOP)

        async def heal() -> None:
            await asyncio.sleep(planned.hold)
            self._town.valkey.send(signal.SIGCONT)

        return _Struck(f"the salons' for {planned.hold:.1f} s", heal, self._town.store.ping)


def _node_text(node: NodeId, hosts: set[HostName], salons: set[SalonId]) -> str:
    return f"node {node[:8]} with {len(hosts)} hosts and {len(salons)} salons"
