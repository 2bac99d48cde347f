"""What survives the death of a host, and what a host that froze and woke may still do: nothing."""

import asyncio
import contextlib
import signal
from collections.abc import Callable

import psutil
import pytest

from cluster.journal.log import Activated
from cluster.routing.hosts import NotHere
from cluster.routing.leases import HostName, Standing
from engine.events import HandStarted
from engine.game import Game
from engine.units import HandNumber
from tests.cluster.salons import chips, easy_turn, join
from tests.integration.site import DEADLINE, Site, until

pytestmark = pytest.mark.integration
GAMES = pytest.mark.parametrize("game", list(Game))


@GAMES
async def test_a_hand_goes_on_with_the_same_cards_after_kill_9(site: Site, game: Game) -> None:
    salon = await site.seated(game)
    await site.act(salon)
    player, view = await site.mover(salon)
    before = await site.table(salon)
    process = await site.process(salon)
    old = await site.host(salon)
    process.send_signal(signal.SIGKILL)
    first = await site.done(salon, easy_turn(view, player), "retried")
    again = await site.done(salon, easy_turn(view, player), "retried")
    assert (again.epoch, again.seq) == (first.epoch, first.seq)
    assert await site.host(salon) != old
    after = await site.table(salon)
    assert before.hand is not None
    assert after.hand is not None
    assert after.hand.hand == before.hand.hand
    assert after.hand.deck == before.hand.deck
    assert after.hand.cards == before.hand.cards
    assert chips(after) == chips(before)
    while (await site.journal.hands(salon)) == []:
        await site.act(salon)
    assert chips(await site.table(salon)) == chips(before)
    record = await site.journal.hand(salon, HandNumber(1))
    assert record is not None
    assert sum(isinstance(event, HandStarted) for event in record.events) == 1


async def test_a_command_in_flight_when_its_host_dies_is_executed_once(site: Site) -> None:
    salon = await site.seated()
    process = await site.process(salon)
    process.suspend()
    asked = asyncio.create_task(site.done(salon, join("dan", 4), "once"))
    await asyncio.sleep(0)
    process.kill()
    answer = await asked
    table = await site.table(salon)
    assert table.seat_of["dan"] == 4  # type: ignore[index]  # a player's id is a string
    assert (await site.done(salon, join("dan", 4), "once")).seq == answer.seq


async def test_the_salons_of_a_silent_host_move_with_nobody_asking(site: Site) -> None:
    salon = await site.seated(turn_time=300_000)
    await site.mover(salon)
    old = await site.host(salon)
    process = await site.process(salon)
    process.send_signal(signal.SIGKILL)

    async def moved() -> bool:
        await site.caretaker.sweep()
        return await site.host(salon) != old and await site.leases.condemned() == []

    await until(moved)
    assert await site.leases.standing(await site.host(salon)) is Standing.LIVING
    assert await site.leases.hot(await site.host(salon)) == {salon}


async def test_a_host_that_froze_and_woke_writes_and_answers_nothing(site: Site) -> None:
    """Its command was on the way when its salon went elsewhere; so was a refusal, which it would not have to write."""
    salon = await site.seated(turn_time=300_000)
    await site.act(salon)
    frozen = await site.host(salon)
    process = await site.process(salon)
    player, view = await site.mover(salon)
    legal = site.envelope(salon, easy_turn(view, player), "stale")
    refused = site.envelope(salon, join("eve", 1), "refused")
    process.suspend()
    try:
        stale = asyncio.create_task(site.hosts.deliver(frozen, [[refused, legal]], patient=True))
        head = await site.journal.head(salon)
        assert head is not None
        won = await site.journal.activate(salon, head.epoch, "host:another")
        assert isinstance(won, Activated)
        assert not stale.done()
    finally:
        process.resume()
    assert await stale == [[NotHere(), NotHere()]]
    assert await site.hosts.deliver(frozen, [[legal]], patient=True) == [[NotHere()]]
    after = await site.journal.head(salon)
    assert after is not None
    assert (after.epoch, after.seq, after.host) == (won.epoch, head.seq, "host:another")


async def test_a_host_that_froze_is_replaced_and_gives_up_when_it_wakes(site: Site) -> None:
    salon = await site.seated(turn_time=300_000)
    player, view = await site.mover(salon)
    frozen = await site.host(salon)
    process = await site.process(salon)
    process.suspend()
    try:

        async def replaced() -> bool:
            await site.caretaker.sweep()
            return await site.host(salon) != frozen

        await until(replaced)
        await site.done(salon, easy_turn(view, player))
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.resume()
    before = await site.journal.head(salon)
    await asyncio.to_thread(process.wait, DEADLINE)
    assert await site.journal.head(salon) == before


async def test_ten_directories_make_one_activation(sites: Callable[..., Site]) -> None:
    everybody = [sites() for _ in range(10)]
    salon = await everybody[0].open()
    began = await everybody[0].journal.head(salon)
    answers = await asyncio.gather(*(site.done(salon, None) for site in everybody))
    assert len({answer.epoch for answer in answers}) == 1
    head = await everybody[0].journal.head(salon)
    assert began is not None
    assert head is not None
    assert head.epoch == answers[0].epoch
    assert len(await everybody[0].leases.living()) == 1


async def test_packed_salons_of_a_dead_host_all_move_at_once(sites: Callable[..., Site]) -> None:
    site = sites(salons_per_host=20)
    salons = [await site.open(request_id=f"open-{n}") for n in range(20)]
    await asyncio.gather(*(site.done(salon, join("ann", 1)) for salon in salons))
    assert len({await site.host(salon) for salon in salons}) == 1
    old = await site.host(salons[0])
    (await site.process(salons[0])).send_signal(signal.SIGKILL)
    await site.done(salons[0], join("bob", 2))

    async def moved() -> bool:
        return old not in {await site.host(salon) for salon in salons}

    await until(moved)
    answers = await asyncio.gather(*(site.done(salon, join("cid", 3)) for salon in salons))
    assert len(answers) == 20


async def test_spares_that_do_not_start_hold_up_no_host_that_a_salon_waits_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than may start at a time, on a node that has no unit free: Ray waits for one in silence."""
    spares = {HostName(f"host:spare-{number}") for number in range(16)}
    start = site.hosts._start

    async def waits_for_room(host: HostName, where: dict[str, str] | None) -> None:
        await (asyncio.Event().wait() if host in spares else start(host, where))

    monkeypatch.setattr(site.hosts, "_start", waits_for_room)
    here = (await site.hosts.nodes())[0].node
    starting = [asyncio.create_task(site.hosts.start(spare, node=here)) for spare in spares]
    salon = await site.open()
    await site.done(salon, join("ann", 1))
    for spare in starting:
        spare.cancel()
    ended = await asyncio.gather(*starting, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ended), "they waited all the time"
