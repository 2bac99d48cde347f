"""The roles of deploy/croupier-role as processes: a head, a worker and a gateway find each other and play."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster.local.processes import end, marked
from tests.edge.running import croupier, environment, eventually

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(400)]

ROLE = Path(__file__).parents[2] / "deploy" / "croupier-role"
MARK = "CROUPIER_TEST_ROLES"
Start = Callable[..., "subprocess.Popen[bytes]"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def start(short_dir: Path, tmp_path: Path, redis_url: str) -> Iterator[Start]:
    """Starts a role on this machine; all of them, with what they have started, end with the test."""
    started = []
    mark = str(tmp_path)
    own = {
        MARK: mark,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RAY_TMPDIR": str(short_dir / "roles"),
        "RAY_AUTH_TOKEN": "0123456789abcdef" * 2,
        "RAY_START_HOOK": "cluster.local.raystart.without_client_server",
        # Several nodes on one machine; they listen on all addresses then, to whoever holds the token.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
        "SPT_NOENV": "1",
        "CROUPIER_NODE_IP": "127.0.0.1",
        "CROUPIER_RAYLET_PORT": "0",
        "CROUPIER_REDIS_URL": redis_url,
    }

    def run(role: str, **more: str) -> "subprocess.Popen[bytes]":
        with (tmp_path / f"{role}.log").open("wb") as log:
            process = subprocess.Popen(
                [ROLE, role], env=environment(tmp_path, **own, **more), stdout=log, stderr=log
            )
        started.append(process)
        return process

    yield run
    end(marked(MARK, mark), grace=5)
    for process in started:
        process.wait(30)


def test_head_worker_and_gateway_make_a_cluster_that_deals(start: Start, tmp_path: Path) -> None:
    ray, grpc = free_port(), free_port()
    places = {"CROUPIER_RAY_ADDRESS": f"127.0.0.1:{ray}", "CROUPIER_LISTEN": f"127.0.0.1:{grpc}"}
    start("head", CROUPIER_RAY_PORT=str(ray))
    eventually("the head listens", lambda: listens(ray))
    worker = start("worker", CROUPIER_SALON_HOSTS="4", CROUPIER_EQUITY_SLOTS="0", **places)

    def joined() -> bool:
        """Two nodes that join one machine at the same moment get in each other's way."""
        log = (tmp_path / "worker.log").read_text()
        assert worker.poll() is None, log
        return "Ray runtime started" in log

    eventually("the worker has joined", joined)
    gateway = start("gateway", **places)

    def serves() -> bool:
        assert gateway.poll() is None, (tmp_path / "gateway.log").read_text()
        return listens(grpc)

    eventually("the gateway listens", serves)

    at = ("--address", f"127.0.0.1:{grpc}")
    settings = ("-s", "bot_speed=instant", "-s", "between_hands_ms=1000", "-s", "plays_unwatched=on")

    def created() -> bool:
        """Not at once: the gateway counts the nodes' room once a second."""
        return croupier(tmp_path, "create", "holdem", "--bots", "easy,easy", *settings, *at).returncode == 0

    eventually("a salon is open", created)

    def dealt() -> bool:
        rows = json.loads(croupier(tmp_path, "salons", "--json", *at).stdout)["salons"]
        return any(int(row["hand"]) > 1 for row in rows)

    eventually("it deals", dealt)
    gateway.send_signal(signal.SIGTERM)
    assert gateway.wait(30) == 0


@pytest.mark.parametrize(
    "arguments,variables,complaint",
    [
        ((), {}, "head|worker|gateway"),
        (("head",), {}, "RAY_AUTH_TOKEN"),
        (("dealer",), {"RAY_AUTH_TOKEN": "x"}, "head|worker|gateway"),
        (("worker",), {"RAY_AUTH_TOKEN": "x"}, "CROUPIER_RAY_ADDRESS"),
        (("worker",), {"RAY_AUTH_TOKEN": "x", "CROUPIER_RAY_ADDRESS": "head:6379"}, "CROUPIER_SALON_HOSTS"),
        (("gateway",), {"RAY_AUTH_TOKEN": "x", "CROUPIER_RAY_ADDRESS": "head:6379"}, "CROUPIER_REDIS_URL"),
    ],
)
def test_role_without_what_it_needs_says_so(
    tmp_path: Path, arguments: tuple[str, ...], variables: dict[str, str], complaint: str
) -> None:
    answer = subprocess.run(
        [ROLE, *arguments],
        env=environment(tmp_path, **variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert complaint in answer.stderr
