"""The record of a finished hand, from which histories are written and replays are shown.

It holds every event of the hand but those that nobody may see, and what its bots say about their decisions; who
reads it gets what he may see of it (`engine.view.sees`, `cluster.journal.explained`). A hand's record is written in the same commit as the hand's end, and again when a
player reveals cards after it.
"""

from collections.abc import Iterable
from typing import Any, Final

from bots.explanation import Explanation, explanation_from_plain, explanation_to_plain
from engine.events import Audience, CardsShown, Event, HandStarted
from engine.game import RULES_VERSION
from engine.record import UnknownRecord, event_from_plain, event_to_plain
from engine.table import Table
from engine.units import Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value

VERSION: Final = 2
"""1 had a bot's notes as texts."""


@value
class HandPlayer:
    """Who was dealt in: `level` is a bot's, empty for a person; `stack` is before any post."""

    seat: Seat
    player: PlayerId
    name: str
    level: str
    stack: Chips


@value
class Note:
    """What a bot says about its decision of one turn; who may read it after the hand, `explained` says."""

    seat: Seat
    turn: Turn
    why: Explanation


@value
class HandRecord:
    """One hand from its start to its last reveal."""

    hand: HandNumber
    at: Millis
    players: tuple[HandPlayer, ...]
    events: tuple[Event, ...]
    notes: tuple[Note, ...] = ()
    rules_version: str = RULES_VERSION


def begun(table: Table, started: HandStarted) -> HandRecord:
    """The record of a hand that has just started at `table`, still without events."""
    players = []
    for seat, stack in zip(started.seats, started.stacks, strict=True):
        player = table.players[seat]
        assert player is not None, f"seat {seat} was dealt in and is empty"
        level = player.level.value if player.level else ""
        players.append(HandPlayer(seat, player.player, player.name, level, stack))
    return HandRecord(started.hand, started.at, tuple(players), ())


def extended(record: HandRecord, events: Iterable[Event], notes: tuple[Note, ...] = ()) -> HandRecord:
    """The record with what `events` add to it; what nobody may see stays out."""
    seen = tuple(event for event in events if event.AUDIENCE is not Audience.NOBODY)
    return HandRecord(
        record.hand,
        record.at,
        record.players,
        record.events + seen,
        record.notes + notes,
        record.rules_version,
    )


def revealed(record: HandRecord, events: Iterable[Event]) -> HandRecord:
    """The record with the cards that were shown after the hand."""
    return extended(record, (event for event in events if isinstance(event, CardsShown)))


def record_to_plain(record: HandRecord) -> dict[str, Any]:
    """The record as msgpack takes it."""
    return {
        "version": VERSION,
        "rules_version": record.rules_version,
        "hand": record.hand,
        "at": record.at,
        "players": [[p.seat, p.player, p.name, p.level, p.stack] for p in record.players],
        "events": [event_to_plain(event) for event in record.events],
        "notes": [_note_to_plain(note) for note in record.notes],
    }


def record_from_plain(plain: dict[str, Any]) -> HandRecord:
    """The record that `record_to_plain` wrote, in this version or an earlier one. Raises UnknownRecord for a later one."""
    if plain["version"] > VERSION:
        raise UnknownRecord(f"a later version wrote hand {plain['hand']}: it is read where that version runs")
    return HandRecord(
        HandNumber(plain["hand"]),
        Millis(plain["at"]),
        tuple(HandPlayer(*player) for player in plain["players"]),
        tuple(event_from_plain(event) for event in plain["events"]),
        tuple(_note_from_plain(note) for note in plain.get("notes", ())),
        plain["rules_version"],
    )


def _note_to_plain(note: Note) -> list[Any]:
    return [note.seat, note.turn, explanation_to_plain(note.why)]


def _note_from_plain(plain: list[Any]) -> Note:
    seat, turn, why = plain
    return Note(Seat(seat), Turn(turn), explanation_from_plain(why))
