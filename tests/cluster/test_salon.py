"""A salon: one commit in flight, nothing before it, the same answer to a retry, and no doubt about its table."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

import cluster.salons.salon as salon_module
from bots.explanation import Explanation
from cluster.envelope import Accepted, Broken, Refused, RequestReused, Unavailable
from cluster.routing.hosts import Admitted, NotHere, Refusing
from cluster.salons.house import BotTurn
from engine.commands import AddBot, CloseSalon, Command, Leave, RaiseTo, Reveal
from engine.events import CardsShown, Event, HandStarted, TimedOut
from engine.game import Game
from engine.record import table_to_plain
from engine.refusals import Reason
from engine.settings import BotLevel
from engine.table import Player
from engine.units import OPERATOR, Chips, HandNumber, PlayerId
from engine.value import changed
from engine.view import TableView
from tests.cluster.bench import Bench
from tests.cluster.memory_journal import Fault
from tests.cluster.salons import SALON, chips, join

GAMES = pytest.mark.parametrize("game", list(Game))


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = await Bench().opened(turn_time=20_000, time_bank=0)
    yield bench
    bench.salon.close()


async def add_bot(bench: Bench, number: int) -> None:
    await bench.done(AddBot(OPERATOR, PlayerId(f"bot{number}"), f"Bot {number}", BotLevel.EASY))


def events(bench: Bench, kind: type[Event]) -> list[Event]:
    entries = bench.journal.salons[SALON].entries
    return [event for entry in entries for event in entry.events if isinstance(event, kind)]


# Answers


async def test_a_command_is_answered_with_its_commit(bench: Bench) -> None:
    answer = await bench.done(join("ann", 1), view=True)
    head = await bench.journal.head(SALON)
    assert head is not None
    assert (answer.epoch, answer.seq) == (head.epoch, head.seq) == (head.epoch, 2)
    assert answer.view is not None
    assert answer.view.viewer == 1


async def test_a_view_is_as_it_was_after_the_commit_that_is_answered(bench: Bench) -> None:
    """A retry is answered with its old commit: whoever went on from there with a later view would see events twice."""
    first = await bench.done(join("ann", 1), "one", view=True)
    assert await bench.done(join("ann", 1), "one", view=True) == first
    await bench.done(join("bob", 2))
    again = await bench.done(join("ann", 1), "one", view=True)
    assert (again.epoch, again.seq, again.view) == (first.epoch, first.seq, None)


async def test_nothing_is_answered_before_the_commit(bench: Bench) -> None:
    bench.journal.gate.clear()
    rows = len(bench.rows)
    asked = asyncio.create_task(bench.ask(join("ann", 1)))
    await bench.journal.waiting.wait()
    assert not asked.done()
    assert bench.table.seat_of == {}
    assert len(bench.rows) == rows
    bench.journal.gate.set()
    assert isinstance(await asked, Accepted)
    assert bench.table.seat_of == {"ann": 1}
    assert bench.rows[-1]().people == 1


async def test_commands_of_one_salon_are_executed_in_their_order(bench: Bench) -> None:
    batch = [bench.envelope(join(name, 0)) for name in ("ann", "bob", "cid")]
    answers = await bench.salon.handle(batch)
    assert [answer.seq for answer in answers if isinstance(answer, Accepted)] == [2, 3, 4]
    assert bench.table.seat_of == {"ann": 1, "bob": 2, "cid": 3}


async def test_a_retry_gets_the_same_answer_and_is_executed_once(bench: Bench) -> None:
    first = await bench.done(join("ann", 1), "once")
    await bench.done(join("bob", 2))
    again = await bench.done(join("ann", 1), "once")
    assert (again.epoch, again.seq) == (first.epoch, first.seq)
    assert bench.journal.salons[SALON].seq == 3


async def test_a_request_id_with_another_content_is_refused(bench: Bench) -> None:
    await bench.done(join("ann", 1), "once")
    assert await bench.ask(Leave(PlayerId("ann")), "once") == RequestReused()
    assert "ann" in bench.table.seat_of


async def test_a_refusal_changes_and_stores_nothing(bench: Bench) -> None:
    """A retry of what was refused is judged anew."""
    await bench.done(join("ann", 1))
    answer = await bench.ask(join("bob", 1), "again")
    assert isinstance(answer, Refused)
    assert answer.refusal.reason is Reason.SEAT_TAKEN
    assert bench.journal.salons[SALON].seq == 2
    await bench.done(Leave(PlayerId("ann")))
    await bench.done(join("bob", 1), "again")


async def test_a_command_that_names_a_hand_comes_too_late_for_the_next(bench: Bench) -> None:
    """A retry from behind the replies that are kept does nothing; one of those that are gets its answer."""
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    leave = changed(bench.envelope(Leave(PlayerId("cid"))), expected_hand=HandNumber(1))
    (first,) = await bench.salon.handle([leave])
    assert isinstance(first, Accepted)
    await bench.play_out()
    await bench.ring()
    assert await bench.salon.handle([leave]) == [first]
    late = changed(bench.envelope(join("cid", 3)), expected_hand=HandNumber(1))
    (answer,) = await bench.salon.handle([late])
    assert isinstance(answer, Refused)
    assert answer.refusal.reason is Reason.STALE_TURN
    assert dict(answer.refusal.numbers) == {"expected_hand": "1", "hand": "2"}
    (answer,) = await bench.salon.handle([changed(late, expected_hand=HandNumber(2))])
    assert isinstance(answer, Accepted)


async def test_a_spectators_view_is_not_given_early() -> None:
    """V2: who holds no seat sees whole hands late."""
    bench = await Bench().opened(spectator_delay=1)
    assert (await bench.done(None, view=True)).view is None
    bench.salon.close()


async def test_the_lobby_counts_hands_as_late_as_spectators_see_them() -> None:
    """V2: whole hands late, in the lobby too; once the salon is over nothing is held back."""
    bench = await Bench().opened(spectator_delay=2, hand_limit=4)
    await bench.seated("ann", "bob")
    listed = []
    for _ in range(4):
        await bench.ring()
        listed.append(bench.rows[-1]().hand)
        await bench.play_out()
    await bench.ring()
    assert [*listed, bench.rows[-1]().hand] == [0, 0, 1, 2, 4]


# Doubt


@pytest.mark.parametrize("fault", list(Fault))
async def test_a_commit_of_unknown_outcome_is_executed_once(bench: Bench, fault: Fault) -> None:
    bench.journal.faults.append(fault)
    answer = await bench.ask(join("ann", 1), "once")
    assert isinstance(answer, Unavailable)
    assert not bench.salon.loaded
    assert await bench.ask(join("ann", 1), "once") == NotHere(), "nothing is answered before the log is read"
    assert await bench.salon.load() == Admitted()
    again = await bench.done(join("ann", 1), "once")
    assert again.seq == 2
    assert bench.journal.salons[SALON].seq == 2


async def test_a_salon_in_doubt_reads_itself_again(bench: Bench) -> None:
    bench.journal.faults.append(Fault.AFTER)
    await bench.ask(join("ann", 1))
    await bench.settled()
    assert bench.table.seat_of == {"ann": 1}


async def test_a_fenced_salon_says_nothing_more(bench: Bench) -> None:
    await bench.seated("ann")
    stale = bench.salon
    fresh = await bench.activated("host:b")
    assert await bench.ask(join("bob", 2)) == NotHere()
    assert bench.gone == [SALON]
    assert await bench.ask(join("ann", 1), "r1") == NotHere()
    assert await stale.load() == NotHere()
    assert bench.journal.salons[SALON].seq == 2
    fresh.close()


@pytest.mark.parametrize("command", [join("bob", 1), None], ids=["refusal", "look"])
async def test_a_superseded_salon_does_not_speak_from_memory(bench: Bench, command: Command | None) -> None:
    """A refusal and a view are not committed, so the epoch is looked at."""
    await bench.seated("ann")
    fresh = await bench.activated("host:b")
    assert await bench.ask(command) == NotHere()
    fresh.close()


def _breaking(*args: Any, **given: Any) -> None:
    raise RuntimeError("a bug")


async def test_a_bug_costs_one_answer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(salon_module, "decide", _breaking)
        answer = await bench.ask(join("ann", 1))
    assert isinstance(answer, Broken)
    assert len(answer.incident) == 12
    assert not bench.salon.loaded
    await bench.settled()
    await bench.done(join("ann", 1))


async def test_three_bugs_in_a_row_quarantine_the_salon(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(salon_module, "decide", _breaking)
    for _ in range(3):
        await bench.salon.load()
        assert isinstance(await bench.ask(join("ann", 1)), Broken)
    head = await bench.journal.head(SALON)
    assert head is not None
    assert "broke 3 times in a row" in head.quarantine
    assert bench.gone == [SALON]


async def test_a_log_that_cannot_be_replayed_quarantines_its_salon(bench: Bench) -> None:
    await bench.seated("ann")
    del bench.journal.salons[SALON].entries[0]
    bench.salon._drop()
    assert isinstance(await bench.salon.load(), Refusing)
    head = await bench.journal.head(SALON)
    assert head is not None
    assert "commit 1 is missing" in head.quarantine


async def test_a_salon_that_breaks_while_it_begins_is_quarantined_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its log says can be read, and then its timer cannot be set."""
    bench.salon._drop()
    monkeypatch.setattr(salon_module, "next_alarm", _breaking)
    assert [await bench.salon.load() for _ in range(3)] == [NotHere()] * 3
    head = await bench.journal.head(SALON)
    assert head is not None
    assert "broke 3 times in a row" in head.quarantine


async def test_a_quarantined_salon_is_not_kept(bench: Bench) -> None:
    head = await bench.journal.head(SALON)
    assert head is not None
    await bench.journal.quarantine(SALON, head.epoch, "it broke")
    bench.salon._drop()
    assert await bench.salon.load() == Refusing("it broke")
    assert bench.gone == [SALON]


# Time


async def test_a_hand_starts_by_itself(bench: Bench) -> None:
    await bench.seated("ann", "bob")
    await bench.ring()
    assert bench.table.hand is not None
    assert bench.table.hand.deck == bench.deck


async def test_a_timer_that_rings_twice_rings_once(bench: Bench) -> None:
    """B6, keyed by (hand, turn)."""
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    await bench.ring()
    await bench.salon._ring()
    assert len(events(bench, TimedOut)) == 1


async def test_the_command_that_is_committed_before_the_timer_counts(bench: Bench) -> None:
    """B6: the timer comes too late, and a new turn has begun."""
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    turn = bench.turn()
    hand = bench.table.hand
    assert hand is not None
    bench.clock.time = hand.deadline + 10_000
    await bench.done(turn)
    await bench.salon._ring()
    assert events(bench, TimedOut) == []


async def test_the_timer_that_is_committed_before_the_command_counts(bench: Bench) -> None:
    """B6: the turn is over, and so the command is stale."""
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    turn = bench.turn()
    await bench.ring()
    answer = await bench.ask(turn)
    assert isinstance(answer, Refused)
    assert answer.refusal.reason is Reason.STALE_TURN


async def test_a_salon_that_is_over_is_given_up_by_its_host(bench: Bench) -> None:
    await bench.seated("ann")
    await bench.done(CloseSalon(OPERATOR))
    assert bench.gone == [SALON]
    assert bench.rows[-1]().over
    bench.salon = await bench.activated("host:a")
    answer = await bench.ask(join("bob", 2))
    assert isinstance(answer, Refused)
    assert answer.refusal.reason is Reason.SALON_OVER
    assert bench.gone == [SALON, SALON], "it was loaded for this answer alone"


# Going on elsewhere


@GAMES
async def test_a_hand_goes_on_elsewhere_as_it_was(game: Game) -> None:
    bench = await Bench().opened(game, turn_time=20_000)
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    await bench.done(bench.turn())
    before, stale = table_to_plain(bench.table), bench.salon
    hand = bench.table.hand
    assert hand is not None
    bench.salon = await bench.activated("host:b")
    assert table_to_plain(bench.table) == before
    assert bench.table.hand is not None
    assert bench.table.hand.deck == hand.deck
    held = chips(bench.table)
    await bench.play_out()
    assert chips(bench.table) == held
    record = await bench.journal.hand(SALON, HandNumber(1))
    assert record is not None
    assert any(isinstance(event, HandStarted) for event in record.events[:2])
    assert [player.player for player in record.players] == ["bob", "cid", "ann"]
    for salon in (stale, bench.salon):
        salon.close()


async def test_a_reveal_after_the_salon_moved_is_in_the_hands_record(bench: Bench) -> None:
    """S8."""
    await bench.seated("ann", "bob", "cid")
    await bench.ring()
    await bench.done(bench.turn(fold=True))
    await bench.done(bench.turn(fold=True))
    winner = next(
        player
        for player in ("ann", "bob", "cid")
        if bench.table.stacks[bench.table.seat_of[PlayerId(player)]] > 200
    )
    hand = bench.table.hand
    assert hand is not None
    cards = hand.cards[bench.table.seat_of[PlayerId(winner)]]
    stale = bench.salon
    bench.salon = await bench.activated("host:b")
    await bench.done(Reveal(PlayerId(winner), hand.hand, cards))
    record = await bench.journal.hand(SALON, hand.hand)
    assert record is not None
    assert isinstance(record.events[-1], CardsShown)
    assert record.events[-1].cards == cards
    stale.close()


async def test_many_commits_without_a_hand_are_folded(bench: Bench) -> None:
    for _ in range(150):
        await bench.done(join("ann", 1))
        await bench.done(Leave(PlayerId("ann")))
    assert len(bench.journal.salons[SALON].entries) < 256
    bench.salon._drop()
    assert await bench.salon.load() == Admitted()


# Bots


async def test_bots_play_through_the_same_log(bench: Bench) -> None:
    await bench.seated("ann")
    await add_bot(bench, 1)
    await bench.ring()
    while (hand := bench.table.hand) is not None and not hand.over:
        if bench.mover() == "ann":
            await bench.done(bench.turn())
        await bench.settled()
    record = await bench.journal.hand(SALON, HandNumber(1))
    assert record is not None
    assert {note.why for note in record.notes} == {Explanation("I call")}
    assert len(bench.bots.asked) == len(set(bench.bots.asked))


async def test_a_bot_that_is_asked_again_acts_once(bench: Bench) -> None:
    """Its request_id is its turn's."""
    bench.bots.may.clear()
    await add_bot(bench, 1)
    await add_bot(bench, 2)
    bench.watched = True
    await bench.ring()
    bench.salon._doubt()
    assert await bench.salon.load() == Admitted()
    await asyncio.sleep(0)
    assert bench.bots.asked == [(1, 1), (1, 1)]
    bench.bots.may.set()
    await bench.settled()
    assert [note for note in bench.bots.asked if note == (1, 2)] == [(1, 2)]


async def test_a_broken_bot_gives_its_turn_away(bench: Bench) -> None:
    await bench.seated("ann")
    await add_bot(bench, 1)
    bench.bots.bug = RuntimeError("a bot's bug")
    await bench.ring()
    while (hand := bench.table.hand) is not None and not hand.over:
        if bench.mover() == "ann":
            await bench.done(bench.turn())
        await bench.settled()
    assert bench.table.hands_dealt == 1


async def test_a_bot_that_is_refused_gives_its_turn_away(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raise_to_nothing(view: TableView, player: Player) -> BotTurn:
        return BotTurn(
            RaiseTo(player.player, view.hand, view.turn, Chips(1)), Explanation("I raise to nothing")
        )

    monkeypatch.setattr(bench.bots, "decide", raise_to_nothing)
    await bench.seated("ann")
    await add_bot(bench, 1)
    await bench.ring()
    while (hand := bench.table.hand) is not None and not hand.over:
        if bench.mover() == "ann":
            await bench.done(bench.turn())
        await bench.settled()
    record = await bench.journal.hand(SALON, HandNumber(1))
    assert record is not None
    assert not any(isinstance(event, TimedOut) for event in record.events)
    assert {note.why.fallback for note in record.notes} == {"passive"}


async def test_bots_alone_play_only_when_watched(bench: Bench) -> None:
    """Settings: `plays_unwatched` is off."""
    await add_bot(bench, 1)
    await add_bot(bench, 2)
    await bench.ring()
    assert bench.table.hand is None
    bench.watched = True
    await bench.done(None)
    await bench.until(lambda: bench.table.hand_number == 1)


async def test_a_salon_that_plays_unwatched_plays() -> None:
    bench = await Bench().opened(plays_unwatched=True)
    await add_bot(bench, 1)
    await add_bot(bench, 2)
    await bench.ring()
    assert bench.table.hand_number == 1
    bench.salon.close()
