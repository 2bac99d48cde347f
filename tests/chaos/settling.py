"""Settling: one salon's history folded anew from its writes, every commit decided again by the engine, every hand paid again.

Law of this file: what happened is what was written. The simulation's witness holds each commit to its laws; what only
a real run has (chains, the vault's hashes, hand records) is held to here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgpack

from cluster.codec.commands import COMMAND_REQUESTS, Caller, Malformed, command_of
from cluster.codec.messages import settings_asked
from cluster.envelope import SalonId, Seq
from cluster.journal.chain import LINK, VAULT, link, vault_hash
from cluster.journal.hand_record import record_from_plain
from cluster.journal.log import Commit
from engine.apply import evolve
from engine.commands import (
    LOTS,
    AcceptLoss,
    AllIn,
    BetTo,
    Call,
    Check,
    Command,
    Draw,
    ExpireTurn,
    ExtendAbsences,
    Fold,
    GiveGrace,
    RaiseTo,
    StartHand,
    Sweep,
)
from engine.decide import Decision, decide
from engine.events import (
    Audience,
    BetMade,
    ButtonDrawn,
    Called,
    CardsDrawn,
    CardsReplaced,
    CardsShown,
    Checked,
    DeckShuffled,
    Event,
    Folded,
    GraceGiven,
    HandEnded,
    HandStarted,
    HandVoided,
    PlayerSeated,
    Raised,
    SalonOpened,
    SatOut,
    TailLost,
    TimedOut,
)
from engine.record import event_from_plain
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import Millis, PlayerId
from tests.chaos.findings import Findings, Law
from tests.chaos.testimony import Hearsay
from tests.chaos.written import Activation, Entry, Rewriting, Salon
from tests.simulation.witness import Chronicle, Witness

_LAWS: Final = {
    "epochs": Law.EPOCHS,
    "fence": Law.EPOCHS,
    "fork": Law.FORK,
    "vault": Law.RULES,
    "time": Law.TIMERS,
    "timer": Law.TIMERS,
    "twice": Law.TWICE,
    "chips": Law.CHIPS,
    "replay": Law.RULES,
    "hands": Law.HANDS,
    "lost": Law.LOST,
    "answers": Law.TWICE,
    "stale": Law.SHOWN,
    "secrets": Law.SECRETS,
}
"""Which law each of the witness's violations breaks."""
_MOVES: Final = (Folded, Checked, Called, BetMade, Raised, CardsDrawn)


@dataclass
class Settled:
    """A salon's history, and the witness who saw it."""

    salon: SalonId
    witness: Witness
    last_at: int = 0
    """When the last commit was made."""

    @property
    def due(self) -> int:
        """When the hand that is in progress goes on at the latest; 0 where none is."""
        table = self.chronicle.table if self.chronicle else Table()
        if table.hand is None or table.hand.over:
            return 0
        return max(self.last_at, table.hand.deadline + table.hand.bank)

    @property
    def chronicle(self) -> Chronicle | None:
        """None where no first commit was written."""
        return self.witness.salons.get(self.salon)


def settle(name: SalonId, salon: Salon, hearsay: Hearsay, findings: Findings) -> Settled:
    """Fold and judge all that was written of a salon; `hearsay` knows the commands that clients sent."""
    return _Settling(name, hearsay, findings).settle(salon)


class _Settling:
    def __init__(self, name: SalonId, hearsay: Hearsay, findings: Findings) -> None:
        self._name = name
        self._hearsay = hearsay
        self._findings = findings
        self._witness = Witness(self._told, lambda _: None)
        self._chain = b""
        self._seen: set[tuple[str, str]] = set()
        self._records: dict[int, list[Event]] = {}
        self._record: list[Event] | None = None
        self._in_hand = False

    def settle(self, salon: Salon) -> Settled:
        settled = Settled(self._name, self._witness)
        for write in salon.writes:
            match write:
                case Activation():
                    self._findings.counts["activations"] += 1
                    if self._name in self._witness.salons:
                        self._witness.activated(self._name, write.epoch, Seq(0))
                    else:
                        self._witness.salons[self._name] = Chronicle(write.epoch)
                case Rewriting():
                    self._violate(Law.FORK, write.why)
                case Entry():
                    settled.last_at = max(settled.last_at, self._entry(write))
        self._hands(salon)
        if salon.quarantine:
            self._violate(Law.FAULTS, f"it was taken out of play: {salon.quarantine}")
        return settled

    def _told(self, text: str) -> None:
        law, _, what = text.partition(": ")
        self._findings.violate(_LAWS[law], what)

    def _violate(self, law: Law, text: str) -> None:
        self._findings.violate(law, f"{self._name}: {text}")

    # Commits

    def _entry(self, entry: Entry) -> Millis:
        """Take a commit in; when it was made."""
        self._findings.counts["commits"] += 1
        chronicle = self._witness.salons.setdefault(self._name, Chronicle(entry.epoch))
        place = f"{entry.epoch}-{entry.seq}"
        if entry.fields.get(LINK) != link(self._chain, entry.seq, entry.fields):
            self._violate(Law.FORK, f"{place} does not follow in the chain")
        self._chain = entry.fields.get(LINK, b"")
        if vault_hash(entry.vault) != entry.fields.get(VAULT, vault_hash(b"")):
            self._violate(Law.RULES, f"{place} was written without its part of the vault")
        commit = _commit(self._name, entry)
        self._twice(commit, place)
        before = chronicle.tables[-1]
        events = commit.events
        self._witness.committed(commit, entry.epoch, events)
        if chronicle.seq == entry.seq:
            self._decided(before, commit, place)
            self._void(before, commit, place)
            self._remember(events)
        self._findings.counts["events"] += len(events)
        return commit.at

    def _twice(self, commit: Commit, place: str) -> None:
        """Also where the salon has forgotten the request: no client sends one so late that it could be done again."""
        request = (commit.player, commit.request_id)
        if commit.request_id and request in self._seen:
            self._violate(Law.TWICE, f"{request} was done again as {place}")
        self._seen.add(request)

    def _decided(self, before: Table, commit: Commit, place: str) -> None:
        """Decide the commit again."""
        events = commit.events
        for command in _commands(before, commit, self._hearsay):
            decision = (
                _opened(commit, command)
                if isinstance(command, Settings)
                else _decide(before, command, commit)
            )
            if isinstance(decision, tuple) and decision == events:
                self._findings.counts["commits decided again"] += 1
                return
        self._violate(Law.RULES, f"{place} is not what the engine decides: {_names(events)}")

    def _void(self, before: Table, commit: Commit, place: str) -> None:
        """V1: a hand is void only where a tail was lost and that was said; then it gives every stake back."""
        if not any(isinstance(event, HandVoided) for event in commit.events):
            return
        self._findings.counts["hands void"] += 1
        if not isinstance(commit.events[0], TailLost):
            self._violate(Law.HANDS, f"{place} makes a hand void, and nothing was lost")
        hand = before.hand
        assert hand is not None, "the witness folded it"
        table = before.copy()
        for event in commit.events:
            evolve(table, event)
            if isinstance(event, HandVoided):
                break
        for seat in hand.seats:
            if table.stacks[seat] != before.stacks[seat] + hand.contributions[seat]:
                self._violate(Law.CHIPS, f"{place} does not give back what seat {seat} had put in")

    # Hands

    def _remember(self, events: tuple[Event, ...]) -> None:
        """Keep what a hand's record must say."""
        started = next((event for event in events if isinstance(event, HandStarted)), None)
        seen = [event for event in events if event.AUDIENCE is not Audience.NOBODY]
        if started:
            self._record = self._records[started.hand] = list(seen)
            self._findings.counts["hands begun"] += 1
        elif self._record is not None and self._in_hand:
            self._record += seen
        elif self._record is not None:
            self._record += [event for event in seen if isinstance(event, CardsShown)]
        self._findings.counts["hands ended"] += sum(isinstance(event, HandEnded) for event in events)
        if started:
            self._in_hand = True
        if any(isinstance(event, HandEnded | HandVoided) for event in events):
            self._in_hand = False

    def _hands(self, salon: Salon) -> None:
        """Hold the records of finished hands to the log, and see which hand has no end."""
        chronicle = self._witness.salons.get(self._name)
        if chronicle is None:
            return
        for number, events in self._records.items():
            if number == chronicle.hand:
                continue
            raw = salon.hands.get(number)
            if raw is None:
                self._violate(Law.HANDS, f"hand {number} is over and has no record")
            elif list(record_from_plain(msgpack.unpackb(raw)).events) != events:
                self._violate(Law.HANDS, f"the record of hand {number} says something else than the log")
        if chronicle.hand and chronicle.table.over:
            self._violate(Law.HANDS, f"hand {chronicle.hand} never ended, and the salon is over")


def _commit(name: SalonId, entry: Entry) -> Commit:
    plains: list[Any] = msgpack.unpackb(entry.fields[b"e"])
    if entry.vault:
        for at, plain in msgpack.unpackb(entry.vault):
            plains.insert(at, plain)
    return Commit(
        name,
        entry.epoch,
        Seq(entry.seq),
        Millis(int(entry.fields[b"t"])),
        tuple(event_from_plain(plain) for plain in plains),
        PlayerId(entry.fields.get(b"p", b"").decode()),
        entry.fields.get(b"r", b"").decode(),
    )


# Deciding again


def _decide(before: Table, command: Command, commit: Commit) -> tuple[Event, ...] | None:
    decision = decide(before, command, now=commit.at)
    return decision.events if isinstance(decision, Decision) else None


def _opened(commit: Commit, settings: Settings) -> tuple[Event, ...] | None:
    """The opening, whose bots are seated as the settings say."""
    opened, *seated = commit.events
    assert isinstance(opened, SalonOpened), "the first event of a log"
    bots = [(event.level, event.style) for event in seated if isinstance(event, PlayerSeated)]
    asked = [(bot.level, bot.style) for bot in sorted(settings.bots, key=lambda bot: not bot.seat)]
    return commit.events if opened.settings == settings and bots == asked else None


def _commands(before: Table, commit: Commit, hearsay: Hearsay) -> Iterator[Command | Settings]:
    """What may have made a commit: the request that a client sent, else what its events tell."""
    asked = hearsay.asked.get((commit.player, commit.request_id))
    if asked is not None and type(asked.request) in COMMAND_REQUESTS:
        name = next((e.name for e in commit.events if isinstance(e, PlayerSeated)), "")
        command = command_of(asked.request, Caller(commit.player, name, _no_bot))
        if not isinstance(command, Malformed):
            yield command
    elif asked is not None:
        made = make_settings(*_asked_settings(asked.request.settings))
        if isinstance(made, Settings):
            yield made
    elif commit.request_id:
        yield from _move(before, commit)
    else:
        yield from _own(before, commit)


def _asked_settings(message: Any) -> tuple[Any, dict[str, Any]]:
    given = settings_asked(message)
    return given.pop("game"), given


def _no_bot(salon: SalonId, request: str) -> tuple[PlayerId, str]:
    raise AssertionError("clients of a crowd add no bots")


def _move(before: Table, commit: Commit) -> Iterator[Command]:
    """What a bot may have done."""
    hand = before.hand
    if hand is None:
        return
    turn = (commit.player, hand.hand, hand.turn)
    for event in commit.events:
        if not isinstance(event, _MOVES):
            continue
        match event:
            case Folded():
                yield Fold(*turn)
            case Checked():
                yield Check(*turn)
            case Called():
                yield Call(*turn)
            case BetMade():
                yield BetTo(*turn, event.to)
            case Raised():
                yield RaiseTo(*turn, event.to)
            case CardsDrawn():
                given = [e.discards for e in commit.events if isinstance(e, CardsReplaced)]
                yield Draw(*turn, given[0] if given else ())
        yield AllIn(*turn)
        return


def _own(before: Table, commit: Commit) -> Iterator[Command]:
    """What the salon itself may have done."""
    events, hand = commit.events, before.hand
    deck = next((event.cards for event in events if isinstance(event, DeckShuffled)), None)
    if deck is not None:
        drawn = next((event.seat for event in events if isinstance(event, ButtonDrawn)), None)
        lots = range(_most(before)) if drawn is not None else range(1)
        yield from (StartHand(deck, lot) for lot in lots)
    elif hand is not None and any(isinstance(event, TimedOut) for event in events):
        yield ExpireTurn(hand.hand, hand.turn)
    elif hand is not None and isinstance(events[0], GraceGiven):
        yield GiveGrace(hand.hand, hand.turn, Millis(commit.at - (events[0].deadline - hand.deadline)))
    elif all(isinstance(event, SatOut) for event in events):
        yield ExtendAbsences(Millis(commit.at - max(_gained(before, events))))
        yield Sweep()
    elif isinstance(events[0], TailLost):
        why = next((event.why for event in events if isinstance(event, HandVoided)), "")
        yield AcceptLoss(events[0].commits, events[0].hand, why)
    else:
        yield Sweep()


def _gained(before: Table, events: tuple[Event, ...]) -> Iterator[int]:
    """For how many milliseconds longer each seat is kept for who sits out."""
    for event in events:
        player = before.players[event.seat] if isinstance(event, SatOut) else None
        if isinstance(event, SatOut) and player is not None:
            yield event.evict_at - player.evict_at


def _most(table: Table) -> int:
    """So many lots that every seat is drawn by one."""
    return min(LOTS, max(len(table.players), 1))


def _names(events: tuple[Event, ...]) -> str:
    return ", ".join(type(event).__name__ for event in events)
