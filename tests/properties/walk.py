"""A walk: one salon's life, command after command, legal and illegal, held to every law on its way.

Chance comes from a `Random`: a seeded one for quick and long runs, hypothesis's own where it searches and
shrinks. The same numbers make the same walk.
"""

from random import Random

from engine.alarms import next_alarm
from engine.apply import evolve
from engine.betting import legal_actions
from engine.cards import FULL_DECK, Card
from engine.commands import LOTS, CloseSalon, Command, OpenSalon, StartHand
from engine.decide import Decision, decide
from engine.events import (
    Audience,
    Event,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    SalonEnded,
)
from engine.record import (
    command_from_plain,
    command_to_plain,
    refusal_from_plain,
    refusal_to_plain,
    table_to_plain,
)
from engine.refusals import Refusal
from engine.settings import Settings
from engine.table import Table
from engine.units import OPERATOR, Millis, PlayerId, Seat
from engine.view import sees, view_of
from tests.properties import asking, laws
from tests.properties.redeal import Entry, hold
from tests.properties.witness import Witness

OPENED = Millis(1_000_000)
OWNER = PlayerId("owner")


class Walk:
    """A table, its books, and three replicas: of all events, of the public ones, and of one viewer's."""

    def __init__(self, settings: Settings, rng: Random) -> None:
        self.rng = rng
        self.now = OPENED
        self.witness = Witness()
        self.replica, self.public, self.seen = Table(), Table(), Table()
        self.viewer = Seat(rng.randint(0, settings.seats))
        self.diary: list[Entry] = []
        """Of the hand in progress or just over, and what came after it."""
        self.hands = self.turns = 0
        self.over = False
        self.wild = bool(rng.randint(0, 1))
        self.accept(decide(None, OpenSalon(OWNER, settings), now=self.now))
        for _ in range(rng.randint(0, settings.seats)):
            self.do(asking.joining(rng, self.table, self.now))

    @property
    def turn_runs(self) -> bool:
        return self.table.hand is not None and self.table.hand.to_act > 0

    # Doing

    def do(self, command: Command) -> Decision | Refusal:
        """A command; refused, it must have changed nothing, and accepted, the old table stays as it was."""
        assert command_from_plain(command_to_plain(command)) == command, (
            "record: a command is read as another one"
        )
        before, given = table_to_plain(self.table), self.table
        answer = decide(given, command, now=self.now)
        assert table_to_plain(given) == before, "N21: a decision changed the table that it was given"
        self._remember(Entry(self.now, given, command, answer))
        if isinstance(answer, Refusal):
            assert len(answer.text) > 20, "a refusal says what was wrong"
            assert refusal_from_plain(refusal_to_plain(answer)) == answer, (
                "record: a refusal is read as another one"
            )
        else:
            self.accept(answer)
        return answer

    def accept(self, answer: Decision | Refusal) -> None:
        """Take an accepted command's events down, each held to the laws, and the table after them."""
        assert isinstance(answer, Decision), answer
        assert answer.events, "an accepted command that does nothing"
        for event in answer.events:
            self._happen(event)
        self.table = answer.table
        laws.same_tables(self.table, self.replica)
        laws.same_in_public(self.table, self.public)
        laws.views_are_granted(self.table, self.witness)
        seen = view_of(self.seen, self.viewer)
        assert view_of(self.table, self.viewer) == seen, "view: a viewer's events make another view"
        if self.turn_runs:
            self.turns += 1
            laws.offers_are_right(self.table, self.witness)

    def _remember(self, entry: Entry) -> None:
        """Keep a hand's diary; when the next hand starts, the last one is dealt again with other hidden cards."""
        if isinstance(entry.command, StartHand) and isinstance(entry.answer, Decision):
            self.close_diary()
            self.diary = [entry]
        elif self.diary:
            self.diary.append(entry)

    def close_diary(self) -> None:
        if self.diary:
            hold(self.diary, self.rng)

    def _happen(self, event: Event) -> None:
        laws.event_is_due(event, self.witness)
        laws.record_round_trips(event)
        evolve(self.replica, event)
        if event.AUDIENCE is Audience.EVERYBODY:
            evolve(self.public, event)
        if sees(event, self.viewer):
            evolve(self.seen, event)
        self.witness.see(event)
        laws.chips_are_kept(self.replica, self.witness)
        laws.nobody_sees_too_much(event, self.witness, self.replica.settings.seats)
        deal = self.witness.deal
        match event:
            case HoleCardsDealt() if deal:
                laws.cards_go_round(deal, event)
            case HandStarted():
                self.hands += 1
                laws.seats_are_dealt(event, self.witness)
            case HandEnded() if deal:
                laws.hand_is_settled(deal, self.replica)
            case HandVoided():
                laws.hand_is_undone(event, self.witness)
            case SalonEnded():
                assert sum(standing.result for standing in event.standings) == 0, "P9: the standings"
                self.over = True
            case _:
                pass
        if deal:
            laws.cards_are_single(deal)

    # Walking

    def step(self) -> None:
        """Any one thing: mostly a legal action, a due alarm or somebody who comes or goes; else anything at all."""
        chance = self.rng.randint(0, 99)
        waits = not self.turn_runs and not self.table.next_hand_at and not self.over
        if chance < 8 or self.over:
            self.ask_anything()
        elif chance < 15 or (waits and chance < 95):
            self.ask_about_a_seat()
        elif self.turn_runs and chance < 93:
            self.act()
        elif self.turn_runs and chance < 97:
            self.probe()
        else:
            self.alarm()

    def act(self) -> None:
        """A legal action of whoever is to act, in time, on his bank, or late."""
        hand = self.table.hand
        assert hand is not None
        if self.rng.randint(0, 9) == 0:
            late = max(self.table.settings.turn_time, hand.deadline - self.now) + hand.bank + 400
            self.now = Millis(self.now + self.rng.randint(0, late))
        answer = self.do(asking.legal(self.rng, self.table, wild=self.wild))
        assert isinstance(answer, Decision), f"offers: an offered action is refused: {answer}"

    def ask_about_a_seat(self) -> None:
        """Somebody comes or goes, sits out or in, tops up or reveals; often it is allowed."""
        self.do(asking.about_a_seat(self.rng, self.table, self.now))

    def ask_anything(self) -> None:
        """Any command of any player about any turn: accepted exactly if it is offered to him now."""
        if self.rng.randint(0, 1):
            self.do(asking.anything(self.rng, self.table, self.shuffled()))
            return
        command = asking.any_turn(self.rng, self.table)
        allowed = asking.is_offered(self.table, command)
        answer = self.do(command)
        assert isinstance(answer, Decision) == allowed, f"offers: {command} is answered {answer}"

    def probe(self) -> None:
        """Every offered action at its bounds and just outside them, none of them taken."""
        legal, before = legal_actions(self.table), table_to_plain(self.table)
        for command in asking.bounds(self.table):
            answer = decide(self.table, command, now=self.now)
            allowed = asking.is_offered(self.table, command)
            assert isinstance(answer, Decision) == allowed, (
                f"offers: {command}, {legal}, is answered {answer}"
            )
            assert table_to_plain(self.table) == before, "N21: a decision changed the table that it was given"
            if isinstance(answer, Refusal) and command.player == asking.current(self.table)[0]:
                assert answer.legal == legal, "N21: a refusal in turn does not say what would be legal"

    def alarm(self) -> None:
        """Wait for the next alarm and do it: it must be due, and change something."""
        alarm = next_alarm(self.table)
        if alarm is None:
            self.ask_about_a_seat()
            return
        self.now = max(self.now, alarm.at)
        command = alarm.command or StartHand(self.shuffled(), self.rng.randint(0, LOTS - 1))
        answer = self.do(command)
        assert isinstance(answer, Decision), f"alarm: {command} is not due: {answer}"

    def shuffled(self) -> tuple[Card, ...]:
        """A deck; its order is one draw of chance, so that hypothesis has little to shrink."""
        deck = list(FULL_DECK)
        Random(self.rng.randint(0, 2**32)).shuffle(deck)
        return tuple(deck)

    def end(self) -> None:
        """Play the hand out by checks and calls, close the salon, and wait: all three must come to an end."""
        hand = self.table.hand
        most = len(hand.seats) * len(hand.rules.streets) if hand else 0
        asked = 0
        while self.turn_runs:
            asked += 1
            assert asked <= most, "end: a hand that is checked and called does not end"
            self.do(asking.passing(self.table))
        if self.table.closing is None:
            self.do(CloseSalon(OPERATOR))
        waits = 0
        while not self.over:
            waits += 1
            assert waits < 50, "end: a closed salon does not end"
            self.alarm()
        self.close_diary()
        assert next_alarm(self.table) is None, "end: a salon that is over has an alarm"
