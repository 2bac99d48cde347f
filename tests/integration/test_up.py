"""`croupier up` as people run it: it starts, goes on after a kill -9, refuses clearly, and leaves nothing."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from cluster.commands.demo import DEMO_SALONS
from tests.edge.running import Up, croupier, eventually

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    house = Up(tmp_path)
    yield house
    house.tidy()


def hands(home: Path) -> dict[str, int]:
    """The hand number of every salon."""
    answer = croupier(home, "salons", "--json")
    assert answer.returncode == 0, answer.stderr
    return {row["salon_id"]: int(row["hand"]) for row in json.loads(answer.stdout)["salons"]}


def go_on(home: Path, than: dict[str, int]) -> bool:
    """Whether the salons of `than` have dealt since, as far as a gateway answers at all."""
    answer = croupier(home, "salons", "--json")
    if answer.returncode:
        return False
    now = {row["salon_id"]: int(row["hand"]) for row in json.loads(answer.stdout)["salons"]}
    return all(now.get(salon, 0) > hand for salon, hand in than.items())


def test_salons_go_on_after_kill_9_and_a_stop_leaves_nothing(up: Up, tmp_path: Path) -> None:
    """A killed `up` leaves Valkey, Ray and salons running; the next one ends them and goes on with the same salons."""
    up.start()
    eventually("the demo salons are open", lambda: len(hands(tmp_path)) == len(DEMO_SALONS))
    first = hands(tmp_path)
    eventually("all of them play", lambda: go_on(tmp_path, dict.fromkeys(first, 0)))
    before = hands(tmp_path)

    up.kill()
    left = up.children()
    names = {process.name() for process in left}
    assert {"gcs_server", "raylet", "valkey-server"} <= names
    run_dir = up.data.recorded()
    assert run_dir is not None

    up.start()
    assert "that the last `croupier up` left when it was killed" in up.said
    assert not [process for process in left if process.is_running() and process.status() != "zombie"]
    assert not run_dir[0].exists()
    assert set(hands(tmp_path)) == set(before)
    eventually("the same salons go on", lambda: go_on(tmp_path, before))

    own = up.children()
    run_dir = up.data.recorded()
    assert own
    assert run_dir is not None
    assert up.stop() == 0
    assert not [process for process in own if process.is_running() and process.status() != "zombie"]
    assert not run_dir[0].exists()
    assert up.data.recorded() is None
    assert sorted(path.name for path in up.data.path.iterdir()) == [
        "demo_salons.json",
        "house_session.json",
        "lock",
        "logs",
        "valkey",
    ]


@pytest.mark.slow
def test_what_dies_is_started_again(up: Up, tmp_path: Path) -> None:
    """Valkey, the gateway and Ray, each by kill -9, while the salons play."""
    up.start()
    eventually("the demo salons are open", lambda: len(hands(tmp_path)) == len(DEMO_SALONS))

    def is_part(process: psutil.Process, word: str) -> bool:
        return any(word in argument for argument in process.cmdline()[:4])

    for word in ("valkey-server", "gateway", "ray.scripts.scripts"):
        before = hands(tmp_path)
        victim = next(process for process in up.children() if is_part(process, word))
        victim.kill()
        eventually(f"the salons go on without {word}", partial(go_on, tmp_path, before))
    assert up.said.count("starting it again") == 3
    assert up.stop() == 0
    assert up.children() == []


def test_ctrl_c_during_the_start_leaves_nothing(up: Up, tmp_path: Path) -> None:
    process = up.begin()
    eventually("something was started", lambda: bool(up.children()))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert up.children() == []
    assert up.data.recorded() is None


def test_output_that_nobody_reads_any_more_ends_it_and_leaves_nothing(up: Up) -> None:
    """`croupier up | head -1`, and likewise a terminal that was closed."""
    reading, writing = os.pipe()
    process = up.begin(output=writing)
    os.close(writing)
    eventually("something was started", lambda: bool(up.children()))
    os.close(reading)
    process.send_signal(signal.SIGHUP)
    process.wait(60)
    assert up.children() == []
    assert up.data.recorded() is None


def refused(home: Path, *arguments: str, **more: str) -> str:
    """What `up` says when it does not start; it says so in one line, without a traceback."""
    answer = croupier(home, "up", "--plain", *arguments, **more)
    assert answer.returncode == 3
    complaint = answer.stderr.strip()
    assert "\n" not in complaint
    assert "Traceback" not in answer.stdout
    return complaint


def test_taken_port_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        complaint = refused(tmp_path, "--listen", f"127.0.0.1:{port}")
    assert f"CROUPIER_LISTEN=127.0.0.1:{port}" in complaint
    assert "--listen" in complaint


def test_broken_variable_is_refused_with_what_would_be_right(tmp_path: Path) -> None:
    complaint = refused(tmp_path, CROUPIER_HOST_LEASE_MS="soon")
    assert "CROUPIER_HOST_LEASE_MS=soon" in complaint
    assert "from 500 to 60000" in complaint


def test_missing_redis_is_refused_and_what_was_started_is_ended(tmp_path: Path) -> None:
    complaint = refused(
        tmp_path,
        "--listen",
        "127.0.0.1:0",
        CROUPIER_REDIS_URL="redis://127.0.0.1:1",
        CROUPIER_RAY_ADDRESS="127.0.0.1:1",
    )
    assert "CROUPIER_REDIS_URL=redis://127.0.0.1:1" in complaint or "CROUPIER_RAY_ADDRESS" in complaint


def test_missing_ray_is_refused_and_what_was_started_is_ended(tmp_path: Path) -> None:
    complaint = refused(tmp_path, "--listen", "127.0.0.1:0", CROUPIER_RAY_ADDRESS="127.0.0.1:1")
    assert "no Ray at CROUPIER_RAY_ADDRESS=127.0.0.1:1" in complaint
    assert not (tmp_path / "data" / "up.json").exists()
    assert not (tmp_path / "data" / "valkey" / "valkey.pid").exists()


def test_data_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    assert "set CROUPIER_DATA_DIR" in refused(tmp_path)
