"""The directory: one activation, one unanswered batch a salon, and the same request until an answer comes."""

import asyncio
from typing import Any

import pytest

from cluster.envelope import (
    Accepted,
    Broken,
    Envelope,
    Epoch,
    Exhausted,
    Quarantined,
    Refused,
    SalonId,
    Seq,
    Unavailable,
    UnknownSalon,
)
from cluster.journal.salon_keys import key
from cluster.routing.hosts import HostAnswer, HostDied
from cluster.routing.leases import HostName
from engine.commands import Command, SitIn, SitOut
from engine.events import TailLost
from engine.units import Millis, PlayerId
from tests.cluster.salons import SALON, join
from tests.cluster.town import Town, asked

pytestmark = pytest.mark.integration


async def test_the_first_envelope_activates_a_salon(town: Town) -> None:
    await town.opened()
    assert isinstance(await town.ask(join("ann", 1)), Accepted)
    assert list(town.hosts.running) == [await town.host()]
    assert await town.leases.hot(next(iter(town.hosts.running))) == {SALON}


async def test_a_salon_is_loaded_before_its_new_host_is_asked(town: Town) -> None:
    """Asked first, the host would only say that it has not got it."""
    await town.opened()
    await town.ask(join("ann", 1))
    assert town.hosts.admissions == [(await town.host(), SALON)]
    assert town.hosts.calls == [[SALON]]


async def test_an_unknown_salon_is_said_to_be_unknown(town: Town) -> None:
    assert await town.ask(None) == UnknownSalon()
    assert town.hosts.running == {}


async def test_a_command_needs_a_request_id(town: Town) -> None:
    with pytest.raises(ValueError, match="request_id"):
        await town.directory.call(SALON, [Envelope(SALON, PlayerId("ann"), "", join("ann", 1))])


async def test_ten_directories_make_one_activation(town: Town) -> None:
    await town.opened()
    everybody = [town.another() for _ in range(10)]
    answers = await asyncio.gather(*(each.call(SALON, [asked(None)]) for each in everybody))
    assert len({answer.epoch for (answer,) in answers if isinstance(answer, Accepted)}) == 1
    assert len(town.hosts.running) == 1
    assert len(await town.leases.living()) == 1


async def test_commands_of_one_salon_keep_their_order(town: Town) -> None:
    await town.opened()
    players = [f"p{number}" for number in range(1, 7)]
    calls = [town.ask(join(player, 0)) for player in players]
    answers = await asyncio.gather(*calls)
    seqs = [answer.seq for answer in answers if isinstance(answer, Accepted)]
    assert seqs == [2, 3, 4, 5, 6, 7]


async def test_calls_at_one_moment_get_their_own_answers(town: Town) -> None:
    """Each of several calls for one salon gets an answer for each of its envelopes, whichever came first."""
    await town.opened()
    calls = [
        [asked(join("ann", 1), "ann-1"), asked(join("ann", 2), "ann-2")],
        [asked(join("bob", 2), "bob-1")],
        [asked(join("cid", 3), "cid-1"), asked(join("cid", 4), "cid-2"), asked(None, "look")],
    ]
    answers = await asyncio.gather(*(town.directory.call(SalonId(SALON), call) for call in calls))
    assert [[type(answer) for answer in each] for each in answers] == [
        [Accepted, Refused],
        [Accepted],
        [Accepted, Refused, Accepted],
    ]


async def test_salons_of_one_host_travel_together(town: Town) -> None:
    town.directory = town.another(salons_per_host=5)
    salons = [f"s{number}" for number in range(5)]
    await town.opened(*salons)
    for salon in salons:
        await town.ask(None, salon=salon)
    town.hosts.calls.clear()
    await asyncio.gather(*(town.ask(join("ann", 1), salon=salon) for salon in salons))
    assert sorted(town.hosts.calls[0]) == salons


async def test_a_salon_is_in_one_unanswered_batch(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.calls.clear()
    await asyncio.gather(*(town.ask(join(f"p{number}", 0)) for number in range(6)))
    assert len(town.hosts.calls) <= 2, "the first goes alone, and those that come meanwhile go together"


async def test_a_slow_salon_does_not_hold_up_its_neighbours(town: Town) -> None:
    town.directory = town.another(salons_per_host=2)
    await town.opened("slow", "quick")
    for salon in ("slow", "quick"):
        await town.ask(None, salon=salon)
    (host,) = town.hosts.running.values()
    lock = host._salons[SalonId("slow")]._lock
    async with lock:
        slow = asyncio.create_task(town.ask(join("ann", 1), salon="slow"))
        assert isinstance(await town.ask(join("ann", 1), salon="quick"), Accepted)
        assert isinstance(await town.ask(join("bob", 2), salon="quick"), Accepted)
        assert not slow.done()
    assert isinstance(await slow, Accepted)
    head = await town.journal.head(SalonId("slow"))
    assert head is not None
    assert head.seq == 2, "asked again with the same request_id, it was executed once"


async def test_who_travels_with_a_stalled_salon_does_not_wait_for_it(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a batch may take. Its commits are stalled until all its neighbours have acted twice."""
    monkeypatch.setattr("cluster.salons.host._BATCH_PATIENCE", 3_600.0)
    town.directory = town.another(salons_per_host=8)
    salons = ["slow", *(f"s{number}" for number in range(7))]
    await town.opened(*salons)
    for salon in salons:
        await town.ask(None, salon=salon)
    (host,) = town.hosts.running.values()
    town.hosts.calls.clear()
    async with host._salons[SalonId("slow")]._lock:
        asking = {salon: asyncio.create_task(town.ask(join("ann", 1), salon=salon)) for salon in salons}
        slow = asking.pop("slow")
        async with asyncio.timeout(5):
            first = await asyncio.gather(*asking.values())
            second = await asyncio.gather(*(town.ask(join("bob", 2), salon=salon) for salon in asking))
        assert not slow.done()
    assert sorted(town.hosts.calls[0]) == sorted(salons), "they travelled together"
    assert all(isinstance(answer, Accepted) for answer in (*first, *second, await slow))


async def test_a_lost_answer_is_asked_for_again(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.lost_answers = 2
    answer = await town.ask(join("ann", 1))
    assert isinstance(answer, Accepted)
    assert answer.seq == 2
    head = await town.journal.head(SALON)
    assert head is not None
    assert head.seq == 2


async def test_many_commands_of_one_player_are_executed_once_though_their_answers_are_lost(
    town: Town,
) -> None:
    """Of each player the salon remembers the last eight alone."""
    await town.opened()
    await town.ask(join("ann", 1))
    ann = PlayerId("ann")
    commands: list[Command] = [SitOut(ann), SitIn(ann)] * 6
    town.hosts.lost_answers = 1
    envelopes = [asked(command, f"ann-{at}") for at, command in enumerate(commands)]
    answers = await town.directory.call(SALON, envelopes)
    assert [answer.seq for answer in answers if isinstance(answer, Accepted)] == list(range(3, 15))
    head = await town.journal.head(SALON)
    assert head is not None
    assert head.seq == 14


async def test_a_refusal_is_an_answer(town: Town) -> None:
    await town.opened()
    await town.ask(join("ann", 1))
    assert isinstance(await town.ask(join("bob", 1)), Refused)


async def test_after_its_patience_the_outcome_is_unknown(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.lost_answers = 1_000
    assert isinstance(await town.ask(join("ann", 1), patience=0.3), Unavailable)


async def test_a_host_that_says_nothing_costs_the_caller_his_patience_and_no_more(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.talking.clear()
    async with asyncio.timeout(2):
        assert isinstance(await town.ask(join("ann", 1), patience=0.1), Unavailable)
    town.hosts.talking.set()
    assert isinstance(await town.ask(join("ann", 1)), Accepted)


async def test_a_bug_on_the_way_is_answered(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.bug = RuntimeError("a bug")
    assert isinstance(await town.ask(join("ann", 1)), Broken)
    town.hosts.bug = None
    assert isinstance(await town.ask(join("ann", 1)), Accepted)


async def test_answers_to_something_else_are_a_bug_that_keeps_nobody_waiting(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town.opened()
    await town.ask(None)

    async def nothing(*_: object, patient: bool) -> list[list[HostAnswer]]:
        del patient
        return [[]]

    with monkeypatch.context() as broken:
        broken.setattr(town.hosts, "deliver", nothing)
        assert isinstance(await town.ask(join("ann", 1)), Broken)
    assert isinstance(await town.ask(join("ann", 1)), Accepted)


async def test_nobody_tries_for_a_caller_who_has_gone(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    town.hosts.talking.clear()
    envelopes = [asked(join("ann", 1), "ann-1"), asked(join("bob", 2), "bob-1")]
    call = asyncio.create_task(town.directory.call(SALON, envelopes))
    while len(town.hosts.calls) < 2:  # noqa: ASYNC110 - it is the directory's tasks that call
        await asyncio.sleep(0)
    call.cancel()
    town.hosts.lost_answers = 1_000
    town.hosts.talking.set()
    assert isinstance(await town.ask(None, patience=0.3), Unavailable)
    async with asyncio.timeout(5):
        while town.directory._boxes:  # noqa: ASYNC110 - it is emptied by a task of its own
            await asyncio.sleep(0)


async def test_no_room_is_said_at_once(town: Town) -> None:
    """Ray would wait in silence."""
    town.hosts.room = 1
    await town.opened("one", "two")
    assert isinstance(await town.ask(None, salon="one"), Accepted)
    assert isinstance(await town.ask(None, salon="two"), Exhausted)
    town.hosts.room = 2
    assert isinstance(await town.ask(None, salon="two"), Accepted)


async def test_packing_fills_a_host_before_the_next(town: Town) -> None:
    town.directory = town.another(salons_per_host=2)
    salons = [f"s{number}" for number in range(5)]
    await town.opened(*salons)
    for salon in salons:
        await town.ask(None, salon=salon)
    assert sorted(len(host.salons) for host in town.hosts.running.values()) == [1, 2, 2]


async def test_a_dead_hosts_salons_all_move(town: Town) -> None:
    town.directory = town.another(salons_per_host=3)
    salons = ["s1", "s2", "s3"]
    await town.opened(*salons)
    for salon in salons:
        await town.ask(join("ann", 1), salon=salon)
    old = next(iter(town.hosts.running))
    town.hosts.die(old)
    assert isinstance(await town.ask(join("bob", 2), salon="s1"), Accepted)
    async with asyncio.timeout(5):
        while await town.leases.condemned():  # noqa: ASYNC110 - it happens in Redis
            await asyncio.sleep(0.01)
    assert {await town.host(salon) for salon in salons} == set(town.hosts.running)
    assert old not in town.hosts.running
    assert await town.leases.hot(old) == set()


async def test_the_death_of_a_salons_last_host_is_not_that_of_its_next(town: Town) -> None:
    """An envelope that waits in a frozen host hears of its end when the salon has long been elsewhere."""
    await town.opened()
    await town.ask(None)
    old = HostName(await town.host())
    town.hosts.talking.clear()
    town.hosts.bug = HostDied(old)
    waiting = asyncio.create_task(town.ask(join("ann", 1), patience=5))
    while len(town.hosts.calls) < 2:  # noqa: ASYNC110 - it is the directory's tasks that call
        await asyncio.sleep(0)
    await town.leases.condemn(old, only_if_lapsed=False)
    assert await town.directory.evacuate(old)
    new = HostName(await town.host())
    town.hosts.talking.set()
    await asyncio.sleep(0)
    town.hosts.bug = None
    assert isinstance(await waiting, Accepted)
    assert (await town.host(), set(town.hosts.killed)) == (new, {old})


async def test_a_host_that_is_being_created_is_not_asked(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cluster.routing.directory._START_SLICE", 0.01)
    town.hosts.starting.clear()
    deliver, asked_early = town.hosts.deliver, 0

    async def noted(*arguments: Any, patient: bool) -> list[list[HostAnswer]]:
        nonlocal asked_early
        asked_early += not town.hosts.starting.is_set()
        return await deliver(*arguments, patient=patient)

    monkeypatch.setattr(town.hosts, "deliver", noted)
    await town.opened()
    call = asyncio.create_task(town.ask(join("ann", 1)))
    await asyncio.sleep(0.2)
    town.hosts.starting.set()
    assert isinstance(await call, Accepted)
    assert asked_early == 0


async def test_a_host_that_never_starts_is_given_up(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Losers and later callers wait for the winner's host, and try again when no lease came."""
    monkeypatch.setattr("cluster.routing.leases.STARTING", 200)
    town.hosts.unborn = 1
    await town.opened()
    caring = asyncio.create_task(town.caretaker().run())
    assert isinstance(await town.ask(join("ann", 1)), Accepted)
    caring.cancel()
    assert await town.leases.living() == [await town.host()]
    assert len(town.hosts.killed) == 1


async def test_a_full_cluster_is_asked_for_room_once_a_salon(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each sweep over a dead host, while nobody has room for its salons."""
    town.directory = town.another(salons_per_host=3)
    salons = ["s1", "s2", "s3"]
    await town.opened(*salons)
    for salon in salons:
        await town.ask(None, salon=salon)
    (host,) = town.hosts.running
    reserve, asked_for = town.leases.reserve, []

    async def noted(salon: SalonId, **options: Any) -> Any:
        asked_for.append(salon)
        return await reserve(salon, **options)

    monkeypatch.setattr(town.leases, "reserve", noted)
    town.hosts.room = 0
    assert await town.leases.condemn(host, only_if_lapsed=False)
    assert not await town.directory.evacuate(host)
    assert sorted(asked_for) == salons
    town.hosts.room = 1
    assert await town.directory.evacuate(host)
    assert await town.leases.condemned() == []


async def test_a_quarantined_salon_is_said_to_be(town: Town) -> None:
    await town.opened()
    head = await town.journal.head(SALON)
    assert head is not None
    await town.journal.quarantine(SALON, head.epoch, "it broke")
    assert await town.ask(None) == Quarantined("it broke")


async def test_a_host_given_up_drops_its_salons(town: Town) -> None:
    await town.opened()
    await town.ask(None)
    ((name, host),) = town.hosts.running.items()
    await town.leases.condemn(name, only_if_lapsed=False)
    await host._renew()
    assert host.salons == frozenset()
    assert await town.leases.renew(name, Millis(1_000)) is None


async def test_a_salon_that_lost_what_a_gateway_was_told_of_says_so(town: Town) -> None:
    """Its host is gone, and the store has forgotten its last commits: they are lost, and nobody gets their numbers."""
    await town.opened()
    assert isinstance(await town.ask(join("ann", 1), "one"), Accepted)
    keys = [key(SALON, part) for part in ("head", "log", "replies")]
    before: dict[str, Any] = {name: await town.store.dump(name) for name in keys}
    told = await town.ask(join("bob", 2), "two")
    assert isinstance(told, Accepted)
    for name, value in before.items():
        await town.store.delete(name)
        await town.store.restore(name, 0, value)
    town.hosts.die(HostName(await town.host()))
    answer = await town.ask(join("bob", 2), "two")
    assert isinstance(answer, Accepted)
    assert answer.seq > told.seq + 1
    entries = await town.journal.read(SALON, (Epoch(0), Seq(0)))
    (lost,) = [event for entry in entries for event in entry.events if isinstance(event, TailLost)]
    assert lost.commits == 1
    assert set((await town.table()).seat_of) == {"ann", "bob"}
