"""Redis in memory, as far as leases, the lobby's rows and the clock use it: the twin of the server and of its scripts.

Answers are bytes, as a server's are. A script is found by the hash of its source, so that the product's own classes
run over this one unchanged. Everything here happens at once; whoever wants delays puts them in front.
"""

import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from redis._parsers import Encoder

from cluster.redis_door import lua


class _Pool:
    def get_encoder(self) -> Encoder:
        return Encoder("utf-8", "strict", decode_responses=False)  # type: ignore[no-untyped-call]  # it has none


class Batch:
    """Commands that are done together."""

    def __init__(
        self,
        redis: "MemoryRedis",
        carried: Callable[[Callable[[], Coroutine[Any, Any, Any]]], Awaitable[Any]],
    ) -> None:
        """`carried` brings the work to the server."""
        self._redis = redis
        self._carried = carried
        self._asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, command: str) -> Callable[..., None]:
        return lambda *args, **options: self._asked.append((command, args, options))

    async def execute(self) -> Any:
        return await self._carried(self._done)

    async def _done(self) -> list[Any]:
        return [await getattr(self._redis, name)(*args, **options) for name, args, options in self._asked]


class MemoryRedis:
    """One server. `now` answers milliseconds since the Unix epoch."""

    connection_pool: Final = _Pool()

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.sets: dict[str, dict[str, None]] = {}
        self.sorted: dict[str, dict[str, float]] = {}
        self.hashes: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, tuple[str, int]] = {}
        """Value, and until when it is there."""

    async def time(self) -> tuple[int, int]:
        now = self._now()
        return now // 1_000, now % 1_000 * 1_000

    async def sadd(self, key: str, *members: str) -> int:
        known = self.sets.setdefault(key, {})
        before = len(known)
        known.update(dict.fromkeys(members))
        return len(known) - before

    async def srem(self, key: str, *members: str) -> int:
        known = self.sets.get(key, {})
        return sum(known.pop(member, "") is None for member in members)

    async def smembers(self, key: str) -> list[bytes]:
        """The members, oldest first: in an order that is the same in every run."""
        return [member.encode() for member in self.sets.get(key, {})]

    async def zadd(
        self, key: str, scores: dict[str, float], *, xx: bool = False, nx: bool = False, gt: bool = False
    ) -> int:
        known = self.sorted.setdefault(key, {})
        added = 0
        for member, score in scores.items():
            old = known.get(member)
            if (old is None and xx) or (old is not None and (nx or (gt and score <= old))):
                continue
            added += old is None
            known[member] = float(score)
        return added

    async def zscore(self, key: str, member: str) -> float | None:
        return self.sorted.get(key, {}).get(member)

    async def zrangebyscore(
        self, key: str, low: Any, high: Any, *, start: int = 0, num: int = 10**9, withscores: bool = False
    ) -> list[Any]:
        names = self._by_score(key, _above(str(low)), _below(str(high)))[start : start + num]
        return [(name.encode(), self.sorted[key][name]) if withscores else name.encode() for name in names]

    async def zremrangebyscore(self, key: str, low: Any, high: Any) -> int:
        names = self._by_score(key, _above(str(low)), _below(str(high)))
        for name in names:
            del self.sorted[key][name]
        return len(names)

    async def delete(self, *keys: str) -> int:
        kinds: tuple[dict[str, Any], ...] = (self.sets, self.sorted, self.hashes, self.texts)
        return sum(kind.pop(key, None) is not None for key in keys for kind in kinds)

    async def hget(self, key: str, field: str) -> Any:
        return self.hashes.get(key, {}).get(field)

    async def hdel(self, key: str, *fields: str) -> int:
        known = self.hashes.get(key, {})
        return sum(known.pop(field, None) is not None for field in fields)

    async def hset(self, key: str, field: str, value: str) -> int:
        known = self.hashes.setdefault(key, {})
        new = field not in known
        known[field] = value
        return int(new)

    async def hgetall(self, key: str) -> dict[bytes, bytes]:
        return {field.encode(): str(value).encode() for field, value in self.hashes.get(key, {}).items()}

    async def zrange(self, key: str, first: int, last: int, *, withscores: bool = False) -> list[Any]:
        known = self.sorted.get(key, {})
        names = sorted(known, key=lambda name: (known[name], name))[first : last + 1 or None]
        return [(name.encode(), known[name]) if withscores else name.encode() for name in names]

    def pipeline(self, *, transaction: bool) -> "Batch":
        return Batch(self, lambda work: work())

    async def evalsha(self, sha: str, count: int, *keys_and_args: Any) -> Any:
        return _scripts()[sha](self, list(keys_and_args[:count]), list(keys_and_args[count:]))

    # What the scripts are made of

    def _by_score(
        self, key: str, above: Callable[[float], bool], below: Callable[[float], bool]
    ) -> list[str]:
        known = self.sorted.get(key, {})
        return sorted((name for name, score in known.items() if above(score) and below(score)), key=known.get)  # type: ignore[arg-type]  # every name has a score

    def _text(self, key: str) -> str | None:
        value, until = self.texts.get(key, ("", 0))
        return value if until > self._now() else None

    def _keep(self, key: str, value: str, ms: int) -> None:
        self.texts[key] = (value, self._now() + ms)

    def _lives(self, leases: str, host: str) -> bool:
        lease = self.sorted.get(leases, {}).get(host)
        return lease is not None and lease > self._now()

    def reserve(self, keys: list[str], args: list[Any]) -> list[bytes]:
        leases, room, starting, reservation, nodes, ordered, reported, knowledge = keys
        salon, per_host, most_hosts, patience, fresh, hot, leaving, onto, *knowing = args
        count = knowing[0] if knowing else 0
        older, enough = knowing[1 : 1 + count], knowing[1 + count :]
        said = self.hashes.get(knowledge, {})
        draining = {*self.hashes.get(ordered, {}), *self.hashes.get(reported, {})}
        places = self.hashes.get(nodes, {})
        new = self.sets.get(starting, {})

        def drains(host: str) -> bool:
            return places.get(host) in draining

        def knows(host: str) -> bool:
            return not enough or said.get(host) in enough or (host not in said and host in new)

        def fits(host: str) -> bool:
            if host == leaving or not self._lives(leases, host) or drains(host) or not knows(host):
                return False
            return not onto or places.get(host) == onto

        def take(host: str) -> list[bytes]:
            salons = self.sets.setdefault(hot + host, {})
            salons[salon] = None
            self.sorted.setdefault(room, {})[host] = len(salons)
            self._keep(reservation, host, patience)
            return [b"STARTING" if host in self.sets.get(starting, {}) else b"HOST", host.encode()]

        reserved = self._text(reservation)
        if reserved and fits(reserved):
            return take(reserved)
        fullest = sorted(self.sorted.get(room, {}).items(), key=lambda item: (item[1], item[0]), reverse=True)
        for host, count in fullest:
            if count <= per_host - 1 and fits(host):
                return take(host)
        hosts = self.sorted.get(leases, {})
        if onto or sum(not drains(host) and places.get(host) not in older for host in hosts) >= most_hosts:
            return [b"FULL"]
        self.sorted.setdefault(leases, {})[fresh] = self._now() + patience
        self.sets.setdefault(starting, {})[fresh] = None
        return take(fresh)

    def spare(self, keys: list[str], args: list[Any]) -> int:
        leases, starting, nodes = keys
        name, patience, node, most = args
        places = self.hashes.setdefault(nodes, {})
        if sum(place == node for place in places.values()) >= most:
            return 0
        self.sorted.setdefault(leases, {})[name] = self._now() + patience
        self.sets.setdefault(starting, {})[name] = None
        places[name] = node
        return 1

    def begin(self, keys: list[str], args: list[Any]) -> int:
        leases, processes = keys
        host, process = args
        if host not in self.sorted.get(leases, {}):
            return 0
        return int(self.hashes.setdefault(processes, {}).setdefault(host, process) == process)

    def renew(self, keys: list[str], args: list[Any]) -> int:
        leases, starting, room, nodes, hot, knowledge, known_on_nodes = keys
        host, lease, node, knows = args
        if host not in self.sorted.get(leases, {}):
            return 0
        self.sorted[leases][host] = self._now() + lease
        salons = len(self.sets.get(hot, {}))
        if self.sets.get(starting, {}).pop(host, "") is None:
            self.sorted.setdefault(room, {})[host] = salons
        if node:
            self.hashes.setdefault(nodes, {})[host] = node
        if knows:
            self.hashes.setdefault(knowledge, {})[host] = knows
        if node and knows:
            self.hashes.setdefault(known_on_nodes, {})[node] = knows
        return 1 + salons

    def condemn(self, keys: list[str], args: list[Any]) -> int:
        leases, room, condemned, starting, hot = keys
        host, when = args
        if host not in self.sorted.get(leases, {}):
            return int(host in self.sets.get(condemned, {}))
        if (when == "lapsed" and self._lives(leases, host)) or (when == "empty" and self.sets.get(hot)):
            return 0
        del self.sorted[leases][host]
        self.sorted.get(room, {}).pop(host, None)
        self.sets.get(starting, {}).pop(host, None)
        self.sets.setdefault(condemned, {})[host] = None
        return 1

    def hold(self, keys: list[str], args: list[Any]) -> int:
        hot, room = keys
        salon, host = args
        salons = self.sets.setdefault(hot, {})
        if salon not in salons:
            salons[salon] = None
            if host in self.sorted.get(room, {}):
                self.sorted[room][host] = len(salons)
        return 1

    def release(self, keys: list[str], args: list[Any]) -> int:
        hot, room = keys
        salon, host = args
        self.sets.get(hot, {}).pop(salon, None)
        if host in self.sorted.get(room, {}):
            self.sorted[room][host] = len(self.sets.get(hot, {}))
        return 1

    def sleeper_woken(self, keys: list[str], args: list[Any]) -> int:
        (sleepers,) = keys
        salon, at, until = args
        if self.sorted.get(sleepers, {}).get(salon) != at:
            return 0
        if until:
            self.sorted[sleepers][salon] = until
        else:
            del self.sorted[sleepers][salon]
        return 1

    def hold_role(self, keys: list[str], args: list[Any]) -> int:
        (role,) = keys
        who, lease = args
        holder = self._text(role)
        if holder and holder != who:
            return 0
        self._keep(role, who, lease)
        return 1

    def lobby_write(self, keys: list[str], args: list[Any]) -> int:
        rows, gone = keys
        salon, epoch, seq, row, index, score, over, remembered = args
        old = self.hashes.setdefault(rows, {}).get(salon)
        if old is not None:
            old_epoch, old_seq, old_index, _ = old
            if (old_epoch, old_seq) > (epoch, seq):
                return 0
            if old_index and (old_index != index or over):
                self.sorted.get(old_index, {}).pop(salon, None)
        elif (last := self._text(gone)) and tuple(map(int, last.split("-"))) > (epoch, seq):
            return 0
        if over:
            self.hashes[rows].pop(salon, None)
            self._keep(gone, f"{epoch}-{seq}", remembered)
            return 1
        self.hashes[rows][salon] = (epoch, seq, index, row)
        if index:
            self.sorted.setdefault(index, {})[salon] = score
        return 1


def _above(low: str) -> Callable[[float], bool]:
    if low.startswith("("):
        return lambda score: score > float(low[1:])
    return lambda score: score >= float(low)


def _below(high: str) -> Callable[[float], bool]:
    if high.startswith("("):
        return lambda score: score < float(high[1:])
    return lambda score: score <= float(high)


_Script = Callable[[MemoryRedis, list[str], list[Any]], Any]
_TWINS: Final[dict[str, _Script]] = {
    "reserve": MemoryRedis.reserve,
    "begin": MemoryRedis.begin,
    "renew": MemoryRedis.renew,
    "spare": MemoryRedis.spare,
    "hold": MemoryRedis.hold,
    "sleeper_woken": MemoryRedis.sleeper_woken,
    "condemn": MemoryRedis.condemn,
    "release": MemoryRedis.release,
    "hold_role": MemoryRedis.hold_role,
    "lobby_write": MemoryRedis.lobby_write,
}
_by_hash: Final[dict[str, _Script]] = {}


def _scripts() -> dict[str, _Script]:
    if not _by_hash:
        for name, twin in _TWINS.items():
            _by_hash[hashlib.sha1(lua(name).encode()).hexdigest()] = twin
    return _by_hash
