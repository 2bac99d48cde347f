"""Salons leave draining nodes whole, between hands at best, and none comes."""

import asyncio

import pytest

from cluster.clock import RedisClock
from cluster.envelope import Accepted, Answer, Exhausted, SalonId
from cluster.routing.drains import NO_DEADLINE
from cluster.routing.leases import HostName
from cluster.routing.moves import Moves
from cluster.routing.sleepers import Sleepers, Waker
from engine.commands import Leave
from engine.units import Millis, PlayerId
from tests.cluster.bench import HandClock
from tests.cluster.placement.nodes import DEADLINE, NEW, OLD, fold, idle, in_hand, node, rounds, until
from tests.cluster.salons import SALON, join
from tests.cluster.town import Town, asked

pytestmark = pytest.mark.integration


async def test_salons_leave_a_draining_node_between_hands(town: Town) -> None:
    salons = ["s1", "s2", "s3"]
    await idle(town, *salons)
    town.hosts.units[NEW] = 4
    await town.leases.drains.order(OLD, NO_DEADLINE)
    await rounds(town.placement())
    assert [await node(town, salon) for salon in salons] == [NEW] * 3
    loaded = set().union(*(town.hosts.running[host].salons for host in town.hosts.on(NEW)))
    assert loaded == set(salons), "they run there with nobody asking"

    async def empty() -> bool:
        """Nothing of ours is left for which the node could not be taken."""
        await rounds(town.placement())
        return town.hosts.on(OLD) == set()

    await until(empty)


async def test_a_command_finds_a_salon_that_moved(town: Town) -> None:
    """From a gateway that knows nothing of it, executed once; and told by the old host where the salon is."""
    await idle(town, "s1", "s2")
    other = town.another()
    await other.call(SalonId("s1"), [asked(None, salon="s1")])
    town.hosts.units[NEW] = 4
    await town.leases.drains.order(OLD, NO_DEADLINE)
    old = HostName(await town.host("s1"))
    moved = await town.hosts.hand_over(old, SalonId("s1"), await _place(town, "s1", old), mid_hand=False)
    assert moved
    assert old in town.hosts.running
    before = await town.journal.head(SalonId("s1"))
    (answer,) = await other.call(SalonId("s1"), [asked(join("bob", 2), "once", salon="s1")])
    again = await town.ask(join("bob", 2), "once", salon="s1")
    assert isinstance(answer, Accepted)
    assert isinstance(again, Accepted)
    assert before is not None
    assert (again.epoch, again.seq) == (answer.epoch, answer.seq) == (before.epoch, before.seq + 1)
    assert town.hosts.running[old].salons == frozenset()
    asked_again = [host for host, salon in town.hosts.admissions if (host, salon) == (old, "s1")]
    assert len(asked_again) == 1, "the old host said where it is, and was not told to load it again"


async def _place(town: Town, salon: str, leaving: HostName) -> HostName:
    place = await town.directory.place_elsewhere(SalonId(salon), leaving)
    assert place is not None
    return place


async def test_commands_that_come_while_salons_move_are_executed_once(town: Town) -> None:
    """Back and forth under load: each is answered, none twice, and the log has no gap."""
    await idle(town)
    town.hosts.units[NEW] = 4
    placement = town.placement()
    answers: list[Answer] = []

    async def play() -> None:
        while not moving.done():
            player = f"p{len(answers)}"
            answers.append(await town.ask(join(player, 2), f"in-{player}"))
            answers.append(await town.ask(Leave(PlayerId(player)), f"out-{player}"))

    async def move() -> None:
        for _ in range(6):
            here = await node(town)
            await town.leases.drains.order(here, NO_DEADLINE)
            async with asyncio.timeout(DEADLINE):
                while await node(town) == here:
                    await rounds(placement)
            await town.leases.drains.call_off(here)
            count = len(answers)
            async with asyncio.timeout(DEADLINE):
                while len(answers) == count:  # noqa: ASYNC110 - it is the player's task that appends
                    await asyncio.sleep(0)

    moving = asyncio.create_task(move())
    await play()
    await moving
    seqs = [answer.seq for answer in answers if isinstance(answer, Accepted)]
    assert seqs == list(range(3, 3 + len(answers)))
    assert len({answer.epoch for answer in answers if isinstance(answer, Accepted)}) >= 6


async def test_a_hand_is_finished_where_it_began_and_the_next_one_begins_elsewhere(town: Town) -> None:
    await in_hand(town)
    town.hosts.units[NEW] = 4
    await town.leases.drains.order(OLD, NO_DEADLINE)
    placement = town.placement()
    await rounds(placement, 3)
    assert await node(town) == OLD
    await fold(town)

    async def moved() -> bool:
        await rounds(placement)
        return await node(town) == NEW

    await until(moved)
    table = await town.table()
    assert table.hand_number == 1, "no other began before it left"

    async def dealt() -> bool:
        return (await town.table()).hand_number == 2

    await until(dealt)


async def test_a_hand_is_moved_with_its_cards_and_clock_when_time_is_short(town: Town) -> None:
    await in_hand(town)
    town.hosts.units[NEW] = 4
    clock = HandClock(0)
    placement = town.placement(clock)
    await town.leases.drains.order(OLD, Millis(60_000))
    await rounds(placement, 2)
    assert await node(town) == OLD
    before = await town.table()
    clock.time = 49_470
    await rounds(placement, 2)
    assert await node(town) == OLD
    # Ten seconds, 20 ms for the salon, and one second of one of two cores for the host that it needs.
    clock.time = 49_480
    await rounds(placement, 2)
    assert await node(town) == NEW
    after = await town.table()
    assert before.hand is not None
    assert after.hand is not None
    assert (after.hand.deck, after.hand.cards) == (before.hand.deck, before.hand.cards)
    assert (after.hand.turn, after.hand.deadline) == (before.hand.turn, before.hand.deadline)
    await fold(town)


async def test_what_ray_drains_is_left_too(town: Town) -> None:
    await idle(town)
    town.hosts.units[NEW] = 4
    town.hosts.draining = {OLD: Millis(1)}
    await rounds(town.placement(HandClock(0)), 2)
    assert await node(town) == NEW
    town.hosts.draining = {}
    await rounds(town.placement())
    assert await town.leases.drains.all() == {}


async def test_no_salon_and_no_spare_goes_to_a_draining_node(town: Town) -> None:
    await idle(town, "s1")
    town.hosts.units[NEW] = 1
    await town.leases.drains.order(OLD, NO_DEADLINE)
    await town.opened("s2", "s3")
    assert isinstance(await town.ask(None, salon="s2"), Accepted)
    assert await node(town, "s2") == NEW
    assert isinstance(await town.ask(None, salon="s3"), Exhausted), "three hosts fit on the old one"
    await rounds(town.placement(spares=4), 2)
    assert len(town.hosts.on(OLD)) == 1
    await town.leases.drains.call_off(OLD)
    assert isinstance(await town.ask(None, salon="s3"), Accepted)


async def test_room_in_a_draining_nodes_host_is_not_used(town: Town) -> None:
    town.directory = town.another(salons_per_host=3)
    await idle(town, "s1")
    town.hosts.units[NEW] = 1
    await town.leases.drains.order(OLD, NO_DEADLINE)
    await idle(town, "s2")
    assert await node(town, "s2") == NEW


async def test_where_nothing_has_room_salons_stay_and_play(town: Town) -> None:
    """A node that drains and is the only one: the next hand is dealt all the same."""
    await in_hand(town)
    await town.leases.drains.order(OLD, NO_DEADLINE)
    placement = town.placement()
    await rounds(placement, 2)
    await fold(town)

    async def dealt() -> bool:
        await rounds(placement)
        return (await town.table()).hand_number == 2

    await until(dealt)
    assert await node(town) == OLD


async def test_an_order_is_forgotten_when_its_node_has_left(town: Town) -> None:
    await town.leases.drains.order(OLD, NO_DEADLINE)
    await town.leases.drains.order(NEW, NO_DEADLINE)
    await rounds(town.placement())
    assert await town.leases.drains.all() == {OLD: NO_DEADLINE}


async def test_a_salon_whose_move_nobody_finished_is_loaded_by_its_new_host(town: Town) -> None:
    """Whoever moved it died after the compare-and-set; the count at a renewal tells the host."""
    await idle(town)
    town.hosts.units[NEW] = 4
    await town.leases.drains.order(OLD, NO_DEADLINE)
    town.hosts.lost_hand_overs = 1
    await rounds(town.placement())
    new = HostName(await town.host())
    assert town.hosts.where[new] == NEW
    host = town.hosts.running[new]
    assert host.salons == frozenset()
    host._lease = Millis(1_500)
    living = asyncio.create_task(host.run())

    async def loaded() -> bool:
        return host.salons == {SALON}

    await until(loaded)
    living.cancel()


async def test_a_salon_that_goes_to_a_host_that_is_given_up_meanwhile_is_taken_up_by_another(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever saw to the dead host's salons saw this one where it was; nobody asks for it, and its hand goes on."""
    await in_hand(town)
    town.hosts.units[NEW] = 4
    (old,) = town.hosts.running
    hand_over, targets = town.hosts.hand_over, []

    async def late(host: HostName, salon: SalonId, to: HostName, *, mid_hand: bool) -> bool:
        targets.append(to)
        town.hosts.die(to)
        await town.leases.condemn(to, only_if_lapsed=False)
        assert await town.directory.evacuate(to)
        return await hand_over(host, salon, to, mid_hand=mid_hand)

    monkeypatch.setattr(town.hosts, "hand_over", late)
    await Moves(town.hosts, town.leases, town.directory).all(old)
    assert await town.host() == targets[0]

    async def wake(salon: SalonId) -> Answer:
        return await town.ask(None, salon=salon)

    clock = RedisClock(town.store)
    await clock.synchronise()
    waker = Waker(Sleepers(town.store), town.leases, "me", now=clock.now, wake=wake)

    async def runs() -> bool:
        await waker.look_around()
        return any(host.salons for host in town.hosts.running.values())

    await until(runs)


async def test_two_rounds_at_once_do_what_one_does(town: Town) -> None:
    """A caretaker that was thought dead and its successor: every salon is on one host, and loaded there alone."""
    salons = ["s1", "s2", "s3"]
    await idle(town, *salons)
    town.hosts.units[NEW] = 4
    await town.leases.drains.order(OLD, NO_DEADLINE)
    both = [town.placement(spares=1) for _ in range(2)]

    async def empty() -> bool:
        await asyncio.gather(*(rounds(each) for each in both))
        return town.hosts.on(OLD) == set()

    await until(empty)
    assert [await node(town, salon) for salon in salons] == [NEW] * 3
    loaded = [salon for host in town.hosts.running.values() for salon in host.salons]
    assert sorted(loaded) == salons
    for salon in salons:
        answer = await town.ask(join("bob", 2), salon=salon)
        assert isinstance(answer, Accepted)
        assert answer.seq == 3
