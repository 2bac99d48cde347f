"""The feed: nobody sees a gap, whatever is lost on the way, and the slow cost the others nothing."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from cluster.envelope import SalonId, Seq
from cluster.gateway import outbox
from cluster.gateway.errors import Declined
from cluster.gateway.outbox import Outbox
from cluster.journal.log import Commit, Entry, Mend, Mended, Passivated, Passivation, Snapshot
from cluster.watching.admission import Ticket
from cluster.watching.watched import Watcher
from croupier.v1 import refusal_pb2, salon_pb2
from engine.commands import AcceptLoss, AddBot, CloseSalon, Leave, Sweep
from engine.decide import Decision, decide
from engine.events import TurnStarted
from engine.game import Game
from engine.settings import BotLevel
from engine.units import HandNumber, Millis, PlayerId, Seat, Turn
from tests.cluster.salons import OWNER, SALON, join
from tests.gateway.parlour import Bell, Eyes, Parlour, settled


@pytest.fixture(autouse=True, params=[False, True], ids=["entries", "bare"])
def wakeups(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a wake-up brings, viewers are shown the same."""
    monkeypatch.setattr(Bell, "bare", request.param)


GAMES = pytest.mark.parametrize("game", list(Game))


async def opened(**given: Any) -> Parlour:
    parlour = Parlour()
    await parlour.open(**{"between_hands": 1_000, **given})
    return parlour


@GAMES
async def test_a_watcher_gets_a_snapshot_and_then_every_seq(game: Game) -> None:
    parlour = await opened(game=game)
    eyes = await parlour.watch("eve")
    await parlour.seat("ann", "bob", "cid")
    await parlour.play_hand()
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert eyes.seqs == list(range(1, head.seq + 1))
    epochs = [update.epoch for update in eyes.updates]
    assert epochs == [epochs[0], *[head.epoch] * (head.seq - 1)]
    assert epochs[0] < head.epoch, "it was opened before it was taken up"
    assert eyes.kinds == ["snapshot", "snapshot", *["commit"] * (head.seq - 2)]


async def test_a_player_is_told_what_is_legal_with_the_event_that_asks_him() -> None:
    parlour = await opened()
    await parlour.seat("ann", "bob")
    eyes = {player: await parlour.watch(player) for player in ("ann", "bob")}
    await parlour.deal()
    hand = parlour.table().hand
    assert hand is not None
    asked = parlour.table().players[hand.to_act]
    assert asked is not None
    for player, seen in eyes.items():
        commit = seen.updates[-1].commit
        assert commit.HasField("your_turn") == (player == asked.player)
    turn = eyes[asked.player].updates[-1].commit.your_turn
    assert (turn.turn_id.hand, turn.turn_id.turn) == (1, 1)
    assert turn.legal.fold
    assert turn.deadline_ms == hand.deadline


async def test_a_lost_wakeup_is_made_good_by_the_look_at_the_head() -> None:
    parlour = await opened()
    eyes = await parlour.watch("eve")
    await parlour.feed.look_around()
    parlour.bell.lost = True
    await parlour.done(join("ann", 1))
    assert eyes.seqs == [1]
    await parlour.feed.look_around()
    await settled()
    assert eyes.seqs == [1, 2]


async def test_the_next_entry_is_shown_without_reading_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read where an entry is missing."""
    monkeypatch.setattr(Bell, "bare", False)
    parlour = await opened()
    await parlour.done(join("ann", 1))
    eyes = await parlour.watch("eve")
    with monkeypatch.context() as shut:
        shut.setattr(parlour.journal, "read", _unasked)
        await parlour.done(join("bob", 2))
        await parlour.done(join("cid", 3))
        assert eyes.seqs == [2, 3, 4]
    parlour.bell.lost = True
    await parlour.done(join("dan", 4))
    parlour.bell.lost = False
    await parlour.done(join("eli", 5))
    assert eyes.seqs == [2, 3, 4, 5, 6]


async def test_an_entry_that_does_not_fit_ends_its_salon_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bell, "bare", False)
    parlour = await opened()
    other = await parlour.open(salon=SalonId("other"))
    await parlour.done(join("ann", 1))
    eyes = await parlour.watch("eve")
    beside = Eyes()
    assert isinstance(await parlour.feed.watch(other, Ticket(PlayerId("eve")), beside), Watcher)
    await settled()
    stored = parlour.journal.salons[SALON]
    wrong = Entry(stored.epoch, Seq(3), Millis(1), (TurnStarted(Seat(9), Turn(1), Millis(5), Millis(5)),))
    stored.entries.append(wrong)
    with capture_logs() as logs:
        parlour.bell.ring(SALON, stored.epoch, 3)
    assert [line["event"] for line in logs] == ["feed_broke"]
    assert eyes.end is not None
    assert eyes.end.reason == refusal_pb2.REASON_QUARANTINED
    await parlour.done(join("ann", 1), other)
    assert beside.seqs == [1, 2]


async def _unasked(*_: object) -> list[Entry]:
    raise AssertionError("the log was read")


async def test_a_resume_replays_what_was_missed_and_nothing_else() -> None:
    parlour = await opened()
    await parlour.seat("ann", "bob")
    first = (await parlour.watch("ann")).updates[0]
    await parlour.deal()
    await parlour.act()
    eyes = await parlour.watch("ann", (first.epoch, first.seq))
    assert eyes.kinds == ["commit", "commit"]
    assert eyes.seqs == [first.seq + 1, first.seq + 2]
    dealt = [event for event in eyes.updates[0].commit.events if event.HasField("hole_cards_dealt")]
    assert [event.hole_cards_dealt.seat for event in dealt] == [1]
    nothing = await parlour.watch("ann", (first.epoch, first.seq + 2))
    assert nothing.updates == []


@pytest.mark.parametrize("place", ["another epoch", "the future", "nothing", "long ago"])
async def test_a_resume_that_cannot_be_replayed_gives_a_snapshot(place: str) -> None:
    parlour = await opened()
    await parlour.seat("ann", "bob")
    first = (await parlour.watch("eve")).updates[0]
    resume = {
        "another epoch": (first.epoch - 1, first.seq),
        "the future": (first.epoch, first.seq + 1),
        "nothing": (0, 0),
        "long ago": (first.epoch, 1),
    }[place]
    for _ in range(8):
        await parlour.play_hand(fold=True)
    if place == "the future":
        resume = (first.epoch, 10_000)
    eyes = await parlour.watch("eve", resume)
    assert eyes.kinds == ["snapshot"]


async def test_a_resume_over_a_change_of_seat_gives_a_snapshot() -> None:
    parlour = await opened()
    await parlour.seat("ann")
    first = (await parlour.watch("bob")).updates[0]
    await parlour.done(join("bob", 2))
    eyes = await parlour.watch("bob", (first.epoch, first.seq))
    assert eyes.kinds == ["snapshot"]
    assert eyes.updates[0].snapshot.viewer == 2


async def test_a_new_epoch_begins_with_a_snapshot() -> None:
    parlour = await opened()
    await parlour.seat("ann")
    eyes = {player: await parlour.watch(player) for player in ("ann", "eve")}
    await parlour.activate()
    await parlour.done(join("bob", 2))
    for seen in eyes.values():
        assert seen.kinds == ["snapshot", "snapshot"]
        assert seen.updates[1].epoch > seen.updates[0].epoch
        assert seen.seqs == [2, 3]


async def test_a_gap_in_the_log_is_read_over_by_a_snapshot() -> None:
    """The feed slept while hands were played and the log behind the last ones was trimmed."""
    parlour = await opened()
    await parlour.seat("ann", "bob")
    eyes = await parlour.watch("eve")
    parlour.bell.lost = True
    for _ in range(4):
        await parlour.play_hand(fold=True)
    parlour.bell.lost = False
    await parlour.done(join("cid", 3))
    assert eyes.kinds == ["snapshot", "snapshot"]
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert eyes.seqs[-1] == head.seq


async def test_a_log_that_was_trimmed_to_its_end_is_read_anew() -> None:
    """The salon was folded and fell silent: nothing follows in the log on what the feed has."""
    parlour = await opened()
    await parlour.seat("ann", "bob")
    eyes = await parlour.watch("eve")
    parlour.bell.lost = True
    await parlour.play_hand(fold=True)
    parlour.journal.salons[SALON].entries.clear()
    for _ in range(2):
        await parlour.feed.look_around()
    await settled()
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert eyes.kinds == ["snapshot", "snapshot"]
    assert eyes.seqs[-1] == head.seq


async def test_what_is_heard_of_while_the_log_answers_is_read_and_no_gap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A commit that is told of during a read is in the next read; only what no read brings was trimmed."""
    monkeypatch.setattr(Bell, "bare", True)
    parlour = await opened()
    await parlour.seat("ann", "bob")
    eyes = await parlour.watch("eve")
    read = parlour.journal.read
    later = [join("dan", 4)]

    async def slow_read(*where: Any) -> list[Entry]:
        entries = await read(*where)
        if later:
            await parlour.done(later.pop())
        return entries

    monkeypatch.setattr(parlour.journal, "read", slow_read)
    await parlour.done(join("cid", 3))
    await settled()
    assert eyes.kinds == ["snapshot", "commit", "commit"]


async def test_the_seat_follows_the_player_as_he_joins_and_leaves() -> None:
    parlour = await opened()
    eyes = await parlour.watch("ann")
    assert eyes.updates[-1].snapshot.viewer == 0
    await parlour.done(join("ann", 3))
    assert eyes.updates[-1].snapshot.viewer == 3
    await parlour.done(Leave(PlayerId("ann")))
    assert eyes.updates[-1].snapshot.viewer == 0


async def test_a_salon_without_spectators_shows_itself_to_the_seated_alone() -> None:
    parlour = await opened(spectators=False)
    assert await parlour.refused("eve") == refusal_pb2.REASON_NO_SPECTATORS
    await parlour.seat("ann")
    eyes = await parlour.watch("ann")
    await parlour.done(Leave(PlayerId("ann")))
    assert eyes.end is not None
    assert eyes.end.reason == refusal_pb2.REASON_NO_SPECTATORS
    assert eyes.updates[-1].ended.reason == refusal_pb2.REASON_NO_SPECTATORS


async def test_an_invitation_salon_is_watched_by_its_owner_the_seated_and_who_has_the_code() -> None:
    parlour = await opened(visibility="invitation")
    assert await parlour.refused("eve") == refusal_pb2.REASON_CODE_REQUIRED
    await parlour.seat("ann")
    for player, invited in (("eve", True), (OWNER, False), ("ann", False)):
        assert (await parlour.watch(player, invited=invited)).kinds == ["snapshot"]


@GAMES
async def test_spectators_are_behind_by_whole_hands_and_the_seated_are_not(game: Game) -> None:
    """V2: a commit of hand h is released when hand h + delay has started."""
    parlour = await opened(game=game, spectator_delay=2)
    await parlour.seat("ann", "bob")
    eve, ann = await parlour.watch("eve"), await parlour.watch("ann")
    ends: dict[int, int] = {}
    for number in (1, 2, 3):
        await parlour.deal()
        assert eve.updates[-1].seq == ends.get(number - 2, 3)
        while (hand := parlour.table().hand) is not None and not hand.over:
            await parlour.act()
            assert eve.updates[-1].seq == ends.get(number - 2, 3)
            assert ann.updates[-1].seq > eve.updates[-1].seq
        head = await parlour.journal.head(SALON)
        assert head is not None
        ends[number] = head.seq
    late = await parlour.watch("fay")
    assert (late.kinds, late.updates[0].seq) == (["snapshot"], ends[1])
    assert late.updates[0].snapshot.hand == 1
    await parlour.done(join("eve", 3))
    assert eve.updates[-1].snapshot.viewer == 3
    assert eve.updates[-1].seq == ends[3] + 1


async def test_a_delayed_spectator_sees_the_end_when_the_salon_is_over() -> None:
    parlour = await opened(spectator_delay=3)
    await parlour.seat("ann", "bob")
    eve = await parlour.watch("eve")
    await parlour.play_hand(fold=True)
    await parlour.done(CloseSalon(OWNER))
    parlour.clock.at += 60_000
    await parlour.done(Sweep())
    assert parlour.table().over
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert eve.updates[-1].seq == head.seq


async def test_spectators_are_shown_nothing_while_the_log_holds_nothing_old_enough() -> None:
    """V2, for a gateway that begins to watch when the log was trimmed to the last hand's end."""
    parlour = await opened(spectator_delay=1)
    await parlour.seat("ann", "bob")
    await parlour.play_hand(fold=True)
    parlour.journal.salons[SALON].entries.clear()
    del parlour.journal.salons[SALON].snapshots[1:]
    eve, ann = await parlour.watch("eve"), await parlour.watch("ann")
    assert (eve.kinds, ann.kinds) == ([], ["snapshot"])
    head = await parlour.journal.head(SALON)
    assert head is not None
    await parlour.deal()
    assert (eve.kinds, eve.seqs) == (["snapshot"], [head.seq])
    await parlour.act()
    assert eve.seqs == [head.seq]


async def test_a_slow_watcher_is_dropped_and_the_others_see_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parlour = await opened()
    await parlour.seat("ann")
    slow = Outbox(together=True)

    class Slow:
        def update(self, update: bytes) -> None:
            slow.put(update)

        def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None: ...

    assert isinstance(await parlour.feed.watch(SALON, Ticket(PlayerId("eve")), Slow()), Watcher)
    quick = await parlour.watch("fay")
    rounds = 0
    monkeypatch.setattr(outbox, "_MOST_PARTS", 64)
    while not slow.closed:
        bot = AddBot(OWNER, PlayerId(f"bot{rounds}"), "Ada", BotLevel.EASY)
        await parlour.done(bot)
        await parlour.done(Leave(PlayerId(f"bot{rounds}")))
        rounds += 1
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert quick.seqs[-1] == head.seq
    with pytest.raises(Declined) as ended:
        await slow.take()
    assert ended.value.refusal.reason == refusal_pb2.REASON_RESYNC


async def test_an_unknown_salon_is_not_watched() -> None:
    parlour = Parlour()
    assert await parlour.refused("eve") == refusal_pb2.REASON_UNKNOWN_SALON
    assert parlour.bell.listeners == {}


async def test_presence_is_said_when_the_first_comes_and_the_last_goes() -> None:
    parlour = await opened()
    sink = await parlour.watch("eve")
    del sink
    other = await parlour.feed.watch(SALON, Ticket(PlayerId("fay")), _Blind())
    assert isinstance(other, Watcher)
    await settled()
    assert parlour.doors.said == [("opened", SALON)]
    parlour.feed.unwatch(other)
    await settled()
    assert parlour.doors.said == [("opened", SALON)]
    alone = Parlour()
    await alone.open()
    watcher = await alone.feed.watch(SALON, Ticket(PlayerId("eve")), _Blind())
    assert isinstance(watcher, Watcher)
    alone.feed.unwatch(watcher)
    await settled()
    assert alone.doors.said == [("opened", SALON), ("closed", SALON)]
    assert alone.bell.listeners == {}


class _Blind:
    def update(self, update: bytes) -> None:
        salon_pb2.PlayResponse.FromString(update)

    def ended(self, salon: SalonId, refusal: refusal_pb2.Refusal) -> None: ...


async def test_a_passivated_salon_is_shown_and_goes_on_without_a_gap() -> None:
    """Its log is one table: who resumes at its last commit has missed nothing, who is behind gets a snapshot."""
    parlour = Parlour()
    await parlour.open()
    await parlour.seat("ann", "bob")
    table = parlour.table()
    head = await parlour.journal.head(SALON)
    assert head is not None
    rest = Passivation(SALON, head.epoch, head.seq, Millis(parlour.clock.at), table, {}, {}, head.chain)
    assert await parlour.journal.passivate(rest) == Passivated()
    level = await parlour.watch("zoe", (head.epoch, head.seq))
    behind = await parlour.watch("yan", (head.epoch, head.seq - 1))
    assert level.kinds == []
    assert (behind.kinds, behind.seqs) == (["snapshot"], [head.seq])
    await parlour.activate()
    await parlour.deal()
    for eyes in (level, behind):
        assert (eyes.kinds[-1], eyes.seqs[-1]) == ("snapshot", head.seq + 1)


@pytest.mark.parametrize("told", [True, False], ids=["told of the entry", "told of its seq"])
async def test_what_a_log_has_lost_is_not_shown_any_more(told: bool) -> None:
    """Whoever saw it gets a snapshot, and does not go on from a table that is not there any more."""
    parlour = await opened()
    await parlour.seat("ann", "bob")
    before = parlour.table()
    eyes = await parlour.watch("zoe")
    last = await parlour.done(join("dan", 3))
    lost = decide(before, AcceptLoss(1, HandNumber(1), "the store went back"), now=Millis(parlour.clock.at))
    assert isinstance(lost, Decision)
    head = await parlour.journal.head(SALON)
    assert head is not None
    base = Snapshot(head.epoch, last, before)
    commit = Commit(SALON, head.epoch, Seq(last + 1), Millis(parlour.clock.at), lost.events)
    assert isinstance(await parlour.journal.mend(Mend(SALON, head.epoch, last, base, (commit,), {})), Mended)
    parlour.bell.bare = not told
    parlour.bell.ring(SALON, head.epoch, last + 1)
    await settled()
    assert (eyes.kinds[-1], eyes.seqs[-1]) == ("snapshot", last + 1)
    assert [seat.player_id for seat in eyes.updates[-1].snapshot.seats] == ["ann", "bob"]


async def test_another_log_with_as_many_commits_is_shown_as_it_is_now() -> None:
    """The store has forgotten that the salon moved, and what its new host committed: the one before has gone on."""
    parlour = await opened()
    await parlour.seat("ann")
    forgotten = parlour.remembered()
    await parlour.activate()
    eyes = await parlour.watch("zoe")
    last = await parlour.done(join("bob", 2))
    parlour.bring_back(forgotten)
    parlour.bell.lost = True
    assert await parlour.done(join("cid", 3)) == last
    for _ in range(2):  # at one of which it was heard of since the last
        await parlour.feed.look_around()
        await settled()
    assert (eyes.kinds[-1], eyes.seqs[-1]) == ("snapshot", last)
    assert [seat.player_id for seat in eyes.updates[-1].snapshot.seats] == ["ann", "cid"]


async def test_what_is_shown_is_told_of_so_that_its_loss_is_found_out() -> None:
    """Whether a wake-up brought it or the log was read."""
    parlour = await opened()
    first = await parlour.done(join("ann", 1))
    await parlour.watch("zoe")
    assert parlour.heard[-1] == (SALON, first)
    for player, seat, lost in (("bob", 2, False), ("cid", 3, True)):
        parlour.bell.lost = lost
        last = await parlour.done(join(player, seat))
        for _ in range(2):
            await parlour.feed.look_around()
            await settled()
        assert parlour.heard[-1] == (SALON, last)
