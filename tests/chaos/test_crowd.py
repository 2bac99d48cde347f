"""A crowd plays over real gateways, Ray and Valkey, without any fault: the checker finds nothing wrong."""

import asyncio
from pathlib import Path

import pytest

from tests.chaos.checker import check
from tests.chaos.crowd import Crowd
from tests.chaos.written import read
from tests.conftest import Valkey
from tests.integration.gateways import Running

SALONS = 4
COMMANDS = 150


@pytest.mark.integration
@pytest.mark.timeout(300)
async def test_a_run_without_faults_breaks_no_law(
    ray_cluster: None, own_valkey: Valkey, tmp_path: Path
) -> None:
    gateways = [Running(own_valkey.url, salons_per_actor=SALONS) for _ in range(2)]
    try:
        for gateway in gateways:
            await gateway.start()
        crowd = Crowd([gateway.address for gateway in gateways], SALONS, tmp_path / "told", seed=1)
        await crowd.open()
        await crowd.play()
        while crowd.acknowledged < COMMANDS:
            crowd.check()
            await asyncio.sleep(0.1)
        await crowd.stop()
    finally:
        for gateway in gateways:
            await gateway.stop()
        await gateways[0].kill_hosts()
    findings = check(read(tmp_path / "valkey" / "appendonlydir"), [tmp_path / "told"])
    assert findings.clean, findings.text
    counts = findings.counts
    assert counts["salons"] == SALONS
    assert counts["commands done"] == crowd.acknowledged >= COMMANDS
    assert counts["commits decided again"] == counts["commits"] > counts["commands done"]
    assert not counts["commands without a definite answer"]
    assert (
        not counts["hands in progress at the end"] + counts["hands void"] + counts["watches that broke last"]
    )
