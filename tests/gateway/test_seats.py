"""Seats: which salons are noted of a player, and when he counts as being in a hand."""

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisGone

from cluster.envelope import Envelope, SalonId
from cluster.gateway.seats import MOST_NOTES, Note, RedisNotes, Seats, Usher
from engine.commands import Leave
from engine.units import Millis, PlayerId
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import HandClock, Parlour

ANN, EVE = PlayerId("ann"), PlayerId("eve")
ELSEWHERE = SalonId("s2")
LONG = 3_600_000


class Notebook:
    """Notes in memory."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self.notes: dict[PlayerId, dict[SalonId, Millis]] = {}
        self.gone = False

    async def write(self, player: PlayerId, salon: SalonId) -> None:
        if self.gone:
            raise RedisGone
        self.notes.setdefault(player, {})[salon] = self._clock.now()

    async def read(self, player: PlayerId) -> list[Note]:
        return [Note(*note) for note in reversed(self.notes.get(player, {}).items())]

    async def forget(self, player: PlayerId, note: Note) -> None:
        del self.notes[player][note.salon]


class Room:
    """A parlour whose guests are ushered in."""

    def __init__(self) -> None:
        self.parlour = Parlour()
        self.notebook = Notebook(self.parlour.clock)
        self.seats = Seats(self.notebook, self.parlour.feed, self.parlour.clock)
        self.usher = Usher(self.parlour, self.notebook)
        self._asked = 0

    async def join(self, player: str, seat: int, salon: SalonId = SALON) -> None:
        self._asked += 1
        command = join(player, seat)
        await self.usher.call(salon, [Envelope(salon, PlayerId(player), f"join-{self._asked}", command)])

    async def seated(self) -> "Room":
        await self.parlour.open(between_hands=1_000, hand_limit=1_000)
        await self.join("ann", 1)
        await self.join("bob", 2)
        return self


async def test_who_is_dealt_in_plays_until_the_hand_is_over() -> None:
    room = await Room().seated()
    assert not await room.seats.plays(ANN)
    await room.parlour.deal()
    assert await room.seats.plays(ANN)
    assert not await room.seats.plays(EVE)
    while (hand := room.parlour.table().hand) is not None and not hand.over:
        assert await room.seats.plays(ANN)
        await room.parlour.act()
    assert not await room.seats.plays(ANN)


async def test_who_has_folded_or_left_waits_for_the_hands_end_too() -> None:
    room = await Room().seated()
    await room.join("cid", 3)
    await room.join("dan", 4)
    await room.parlour.deal()
    await room.parlour.act(fold=True)
    await room.parlour.done(Leave(ANN))
    assert room.parlour.table().in_hand
    for player in ("ann", "bob", "cid", "dan"):
        assert await room.seats.plays(PlayerId(player))


async def test_who_sits_down_in_the_middle_of_a_hand_is_not_in_it() -> None:
    room = await Room().seated()
    await room.parlour.deal()
    await room.join("cid", 3)
    assert not await room.seats.plays(PlayerId("cid"))


async def test_every_salon_where_a_seat_was_asked_for_is_looked_at() -> None:
    room = await Room().seated()
    await room.parlour.open(salon=ELSEWHERE)
    await room.join("ann", 1, ELSEWHERE)
    await room.join("ann", 2, SalonId("nowhere"))
    await room.parlour.deal()
    assert await room.seats.plays(ANN)


async def test_a_salon_where_he_has_no_seat_is_forgotten_long_after_he_asked() -> None:
    room = await Room().seated()
    await room.parlour.open(salon=ELSEWHERE)
    await room.join("ann", 1, ELSEWHERE)
    await room.join("ann", 2, SalonId("nowhere"))
    await room.parlour.done(Leave(ANN), ELSEWHERE)
    await room.seats.plays(ANN)
    assert len(room.notebook.notes[ANN]) == 3
    room.parlour.clock.at += LONG
    await room.seats.plays(ANN)
    assert list(room.notebook.notes[ANN]) == [SALON]


async def test_a_seat_is_not_asked_for_before_it_is_noted() -> None:
    room = Room()
    await room.parlour.open()
    room.notebook.gone = True
    with pytest.raises(RedisGone):
        await room.join("ann", 1)
    assert not room.parlour.table().seat_of


@pytest.mark.integration
async def test_notes_are_kept_of_the_salons_asked_last(store: Redis) -> None:
    clock = HandClock()
    notes = RedisNotes(store, clock)
    for at in range(MOST_NOTES + 5):
        clock.at = 1_700_000_000_000 + at
        await notes.write(ANN, SalonId(f"s{at}"))
    kept = await notes.read(ANN)
    assert [note.salon for note in kept] == [f"s{at}" for at in range(MOST_NOTES + 4, 4, -1)]
    assert kept[0].at == 1_700_000_000_000 + MOST_NOTES + 4
    assert await notes.read(EVE) == []
    assert await store.pttl("seats:ann") > 0


@pytest.mark.integration
async def test_a_note_that_was_made_anew_meanwhile_is_not_forgotten(store: Redis) -> None:
    clock = HandClock()
    notes = RedisNotes(store, clock)
    clock.at = 1_700_000_000_001
    await notes.write(ANN, SALON)
    (old,) = await notes.read(ANN)
    clock.at += 1
    await notes.write(ANN, SALON)
    await notes.forget(ANN, old)
    (new,) = await notes.read(ANN)
    assert new.at == clock.at
    await notes.forget(ANN, new)
    assert await notes.read(ANN) == []
