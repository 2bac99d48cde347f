"""A store that forgets, where mending it meets a fault too; and what is said of a log that cannot be read."""

import re
from typing import Any

import pytest

from cluster.journal.chain import LENGTH, LINK, VAULT
from cluster.journal.log import Fenced, Gap, LogCorrupt, LogFault, Mend, Mended, fold
from cluster.journal.salon_keys import key
from cluster.routing.hosts import Admitted, NotHere
from cluster.salons.salon import Salon
from engine.cards import FULL_DECK
from engine.events import HandVoided, HoleCardsDealt, TailLost
from engine.record import table_to_plain
from engine.table import Table
from engine.units import Seat
from tests.cluster.bench import Bench
from tests.cluster.lost_tails.forgetting import (
    DEAD,
    LIVE,
    Damage,
    Store,
    happened,
    loaded,
    log_gone,
    read,
    two_more,
    vault_changed,
    whole,
)
from tests.cluster.salons import SALON, chips

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("executed", [False, True])
@pytest.mark.parametrize("damage, lost", DEAD)
async def test_a_loss_that_could_not_be_said_at_once_is_said_later(
    bench: Bench, keys: Store, monkeypatch: pytest.MonkeyPatch, *, damage: Damage, lost: int, executed: bool
) -> None:
    """The store answers once more wrongly or not at all: what was acknowledged is never gone on without in silence."""
    held = chips(bench.table)
    await keys.remember()
    for _ in range(2):
        await bench.done(bench.turn())
    last = (await loaded(bench)).head.seq
    bench.salon.close()
    await damage(keys)
    mend, faults = bench.journal.mend, [LogFault("it did not answer")]

    async def fails_once(plan: Mend) -> Mended | Fenced | Gap:
        if not faults:
            outcome: Mended | Fenced | Gap = await mend(plan)
            return outcome
        if executed:
            await mend(plan)
        raise faults.pop()

    monkeypatch.setattr(bench.journal, "mend", fails_once)
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:b", made=last)
    bench.salon = Salon(SALON, bench.house("host:b"))
    with pytest.raises(LogFault):
        await bench.salon.load()
    assert bench.salon.made == last
    assert await bench.salon.load() == Admitted()
    entries = await read(bench)
    (said,) = happened(entries, TailLost)
    assert isinstance(said, TailLost)
    assert said.commits == (5 if damage is log_gone else lost)
    assert len(happened(entries, HandVoided)) == (damage is not log_gone)
    assert (entries[-1].seq, chips(bench.table)) == (last + 1, held)
    await bench.settled()
    await whole(bench)


@pytest.mark.parametrize("damage", LIVE)
async def test_a_salon_whose_new_epoch_it_was_not_told_of_still_knows_what_it_acknowledged(
    bench: Bench, keys: Store, monkeypatch: pytest.MonkeyPatch, damage: Damage
) -> None:
    """It begins to mend, and of that the first answer is lost: the later epoch is its own."""
    await two_more(bench, keys)
    held = table_to_plain(bench.table)
    await damage(keys)
    activate, faults = bench.journal.activate, [LogFault("the answer was lost")]

    async def unheard_once(*given: Any, **named: Any) -> Any:
        outcome = await activate(*given, **named)
        if faults:
            raise faults.pop()
        return outcome

    monkeypatch.setattr(bench.journal, "activate", unheard_once)
    bench.salon._doubt()
    with pytest.raises(LogFault):
        await bench.salon.load()
    assert await bench.salon.load() == Admitted()
    assert table_to_plain(bench.table) == held
    assert happened(await read(bench), TailLost) == []
    await bench.settled()
    await whole(bench)


async def test_what_another_host_committed_meanwhile_is_not_written_over(bench: Bench, keys: Store) -> None:
    """The salon was elsewhere and came back, and the store has forgotten what was done there: that is a loss."""
    await keys.remember()
    bench.salon._doubt()
    stale = bench.salon
    bench.salon = await bench.activated("host:b")
    last = await bench.done(bench.turn())
    bench.salon.close()
    await keys.bring_back()
    head = await bench.journal.head(SALON)
    await bench.journal.activate(SALON, head.epoch, "host:a", made=last.seq)
    bench.salon = stale
    assert await bench.salon.load() == Admitted()
    assert len(happened(await read(bench), TailLost)) == 1
    await bench.settled()
    await whole(bench)


async def test_what_another_host_was_not_told_of_is_said_by_who_has_it_next(
    bench: Bench, keys: Store
) -> None:
    """It was given the salon without a commit that this one had acknowledged, by a gateway that knew no better."""
    await keys.remember()
    acknowledged = await bench.done(bench.turn())
    await keys.bring_back()
    stale = bench.salon
    other = await bench.activated("host:b")
    assert await stale.load() == Admitted()
    bench.salon = stale
    assert await bench.ask(None) == NotHere()
    other.close()
    bench.salon = await bench.activated("host:c")
    (lost,) = happened(await read(bench), TailLost)
    assert isinstance(lost, TailLost)
    assert lost.commits == 1
    head = await bench.journal.head(SALON)
    assert head.seq > acknowledged.seq
    await whole(bench)


# What is said of it


async def test_why_a_log_cannot_be_read_names_no_card(bench: Bench, keys: Store) -> None:
    """A log of the releases that wrote no hashes, whose vault has a byte too many: the deck would be the reason."""
    entries = await keys.entries()
    await keys.redis.delete(key(SALON, "log"))
    for place, fields in entries:
        bare = {name: value for name, value in fields.items() if name not in (LINK, VAULT)}
        await keys.redis.xadd(key(SALON, "log"), bare, id=place)
    await keys.redis.lset(key(SALON, "snap"), 0, await unchained(keys))
    await keys.redis.hdel(key(SALON, "head"), "chain")
    assert (await loaded(bench)).loss is None
    await vault_changed(keys)
    with pytest.raises(LogCorrupt) as corrupt:
        await bench.journal.load(SALON)
    assert re.fullmatch(r"salon s1: entry \d+-\d+ cannot be read: ExtraData", str(corrupt.value))


async def unchained(keys: Store) -> bytes:
    """The newest snapshot without its chain."""
    raw: bytes = await keys.redis.lindex(key(SALON, "snap"), 0)
    place, _, packed = raw.partition(b":")
    return place + b":" + packed[2 + LENGTH :]


def test_why_an_event_does_not_fit_names_no_card() -> None:
    with pytest.raises(LogCorrupt) as corrupt:
        fold(Table(), [HoleCardsDealt(Seat(1), FULL_DECK[:2])])
    assert re.fullmatch(r"HoleCardsDealt does not fit the table: \w+", str(corrupt.value))
