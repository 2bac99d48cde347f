"""Who may read why a bot decided as it did: whoever was shown the cards that it decided with, and operators."""

from random import Random
from typing import Any

import pytest

from bots.explanation import Explanation
from cluster.journal import hand_record
from cluster.journal.explained import cards_named, explained
from cluster.journal.hand_record import HandRecord, Note, record_from_plain, record_to_plain
from engine.alarms import next_alarm
from engine.cards import FULL_DECK, Card, parse_cards
from engine.commands import (
    LOTS,
    AllIn,
    BetTo,
    Call,
    Check,
    Command,
    Draw,
    Fold,
    OpenSalon,
    RaiseTo,
    Reveal,
    StartHand,
)
from engine.decide import Decision, decide
from engine.events import CardsMucked, CardsShown, Event, HandStarted, HoleCardsDealt, Shown, StreetStarted
from engine.game import Game, Street
from engine.hand import Part
from engine.table import Table
from engine.units import HandNumber, Millis, Seat, Turn
from engine.view import view_of
from tests.cluster.salons import OWNER, join, settings_of

ACES, KINGS, BOARD = parse_cards("AsAh"), parse_cards("KsKh"), parse_cards("2c7d9h")
WHY = Explanation("wins 80%", ranges="AhKh, QQ+", equity=0.8)


def shown(cards: tuple[Card, ...], why: Shown = Shown.SHOWDOWN) -> CardsShown:
    return CardsShown(Seat(1), cards, why)


def record_of(*events: Event, why: Explanation = WHY) -> HandRecord:
    """A hand in which the bots in seats 1 and 2 were dealt in, and each decided once."""
    dealt = (HoleCardsDealt(Seat(1), ACES), HoleCardsDealt(Seat(2), KINGS))
    notes = (Note(Seat(1), Turn(1), why), Note(Seat(2), Turn(2), Explanation("holds kings")))
    return HandRecord(
        HandNumber(1), Millis(5), (), (*dealt, StreetStarted(Street.FLOP, BOARD), *events), notes
    )


def seats(record: HandRecord, *, operator: bool = False) -> list[int]:
    return [note.seat for note in explained(record, operator=operator)]


@pytest.mark.parametrize(
    "events,readable",
    [
        ((), []),
        ((shown(ACES),), [1]),
        ((shown(ACES, Shown.ALL_IN),), [1]),
        ((shown(ACES, Shown.VOLUNTARY),), [1]),
        ((shown(ACES[:1], Shown.VOLUNTARY),), []),
        ((shown(ACES[:1], Shown.VOLUNTARY), shown(ACES[1:], Shown.VOLUNTARY)), [1]),
        ((shown(ACES[:1], Shown.VOLUNTARY), shown(ACES[:1], Shown.VOLUNTARY)), []),
        ((shown(ACES), CardsMucked(Seat(2))), [1]),
        ((shown(ACES), CardsShown(Seat(2), KINGS, Shown.SHOWDOWN)), [1, 2]),
    ],
    ids=["folded", "showdown", "all-in", "revealed", "one card", "one by one", "twice one", "mucked", "both"],
)
def test_a_bot_is_explained_once_all_its_cards_were_shown(
    events: tuple[Event, ...], readable: list[int]
) -> None:
    """S3, S4, S5, S8: for every player and spectator alike; an operator reads all."""
    record = record_of(*events)
    assert seats(record) == readable
    assert seats(record, operator=True) == [1, 2]


@pytest.mark.parametrize(
    "rule,readable",
    [
        ("a pair of As Ah", True),
        ("AsAh on 2c 7d 9h", True),
        ("AKs, ATo+, 22+ and other classes", True),
        ("Kd was thrown away", False),
        ("gave up 3c4d", False),
        ("the other's Ks", False),
    ],
)
def test_what_names_a_card_that_was_not_shown_is_kept_back(rule: str, readable: bool) -> None:
    """S5: discards are seen by their owner alone."""
    for why in (Explanation(rule), Explanation("", mix=((rule, 1.0),), lot=0.5)):
        record = record_of(shown(ACES), why=why)
        assert seats(record) == ([1] if readable else [])
        assert seats(record, operator=True) == [1, 2]


def test_a_range_may_name_cards_that_an_opponent_was_thought_to_hold() -> None:
    assert cards_named(Explanation("", ranges="seat 2: KsKh, KdKc")) == set()
    assert cards_named(Explanation("AsKd")) == {"As", "Kd"}


def test_a_record_is_read_with_its_explanations() -> None:
    record = record_of(shown(ACES))
    assert record_from_plain(record_to_plain(record)) == record


def test_records_of_earlier_versions_are_read() -> None:
    """Version 1 had texts for notes, and the first of all had none."""
    plain: dict[str, Any] = record_to_plain(record_of(shown(ACES)))
    assert plain["version"] == 2
    old = {**plain, "version": 1, "notes": [[1, 1, "wins 80%"]]}
    assert record_from_plain(old).notes == (Note(Seat(1), Turn(1), Explanation("wins 80%")),)
    del old["notes"]
    assert record_from_plain(old).notes == ()


class Played:
    """Random hands at one table, recorded as a salon does; every player is a bot that says what it holds."""

    def __init__(self, game: Game, rng: Random) -> None:
        self.rng = rng
        self.now = 1_000
        self.record: HandRecord | None = None
        self.seats: tuple[Seat, ...] = ()
        players = rng.randint(2, 5)
        more: dict[str, Any] = {"all_in": True} if game is Game.DRAW else {}
        opened = decide(
            None, OpenSalon(OWNER, settings_of(game, seats=players, hand_limit=1_000, **more)), now=Millis(1)
        )
        assert isinstance(opened, Decision)
        self.table: Table = opened.table
        for seat in range(1, players + 1):
            self.do(join(f"p{seat}", seat))

    def do(self, command: Command) -> None:
        """What a salon's memory does with a command that is accepted."""
        self.now += 1
        decision = decide(self.table, command, now=Millis(self.now))
        assert isinstance(decision, Decision), decision
        hand = self.table.hand
        notes: tuple[Note, ...] = ()
        started = next((event for event in decision.events if isinstance(event, HandStarted)), None)
        if started:
            self.record = hand_record.begun(self.table, started)
            self.seats = started.seats
        elif hand is not None and not hand.over:
            notes = (Note(hand.to_act, hand.turn, WHY),)
        if self.record is not None:
            self.record = hand_record.extended(self.record, decision.events, notes)
        self.table = decision.table

    def turn(self) -> Command:
        hand = self.table.hand
        assert hand is not None
        view = view_of(self.table, hand.to_act)
        player = self.table.players[hand.to_act]
        assert player is not None
        assert view.legal is not None
        legal, turn = view.legal, (player.player, hand.hand, hand.turn)
        if legal.draw:
            count = self.rng.randint(0, legal.draw_max)
            return Draw(*turn, tuple(self.rng.sample(list(hand.cards[hand.to_act]), count)))
        choices: list[Command] = [Check(*turn)] if legal.check else []
        choices += [Call(*turn), Call(*turn)] if legal.call else []
        choices += [Fold(*turn)] if legal.fold and legal.call else []
        choices += [BetTo(*turn, legal.bet_min)] if legal.bet_min else []
        choices += [RaiseTo(*turn, legal.raise_min)] if legal.raise_min else []
        choices += [AllIn(*turn)] if legal.all_in and not self.rng.randrange(4) else []
        return self.rng.choice(choices)

    def hand(self) -> HandRecord:
        """One hand, and what some show after it."""
        deck = list(FULL_DECK)
        self.rng.shuffle(deck)
        self.do(StartHand(tuple(deck), self.rng.randrange(LOTS)))
        while (hand := self.table.hand) is not None and not hand.over:
            self.do(self.turn())
        for seat in self.seats:
            player = self.table.players[seat]
            view = view_of(self.table, seat)
            if player is not None and view.may_reveal and not self.rng.randrange(3):
                count = self.rng.randint(1, len(view.may_reveal))
                self.do(
                    Reveal(player.player, view.hand, tuple(self.rng.sample(list(view.may_reveal), count)))
                )
        assert self.record is not None
        return self.record


@pytest.mark.parametrize("game", Game)
def test_no_explanation_reaches_who_may_not_see_the_bots_cards(game: Game) -> None:
    """S4, S5 in random hands: by what lies face up at the table, told apart from the record that is projected."""
    rng = Random(f"explained {game}")
    told = kept = 0
    for _ in range(60):
        played = Played(game, rng)
        for _ in range(5):
            alarm = next_alarm(played.table)
            if alarm is None or alarm.command is not None:
                break
            played.now = max(played.now, alarm.at)
            record = played.hand()
            hand = played.table.hand
            assert hand is not None
            face_up = {seat for seat in played.seats if set(hand.cards[seat]) <= set(hand.shown[seat])}
            assert all(hand.parts[seat] is not Part.OUT for seat in face_up)
            readable = explained(record, operator=False)
            assert readable == tuple(note for note in record.notes if note.seat in face_up)
            assert explained(record, operator=True) == record.notes
            told += len(readable)
            kept += len(record.notes) - len(readable)
    assert min(told, kept) > 100
