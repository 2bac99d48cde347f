"""What `croupier history --hand --explain` prints of a hand, line by line.

python -m tests.golden.test_explained_hand --write   # the only way that the file changes
"""

import os
import sys
import time
from pathlib import Path

import pytest

from bots.explanation import Explanation
from cluster.codec.messages import record_to_message
from cluster.commands.history import hand_lines
from cluster.journal.explained import explained
from cluster.journal.hand_record import HandPlayer, HandRecord, Note
from croupier.v1 import history_pb2
from engine.cards import parse_cards
from engine.events import (
    BetMade,
    Blind,
    BlindPosted,
    Called,
    CardsShown,
    Checked,
    Event,
    Folded,
    HandEnded,
    HandStarted,
    HoleCardsDealt,
    PotAwarded,
    Raised,
    Shown,
    StreetStarted,
    TurnStarted,
)
from engine.game import Street
from engine.units import NOBODY, Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.view import sees

GOLDEN = Path(__file__).with_name("explained_hand.golden")
ANN, ADA, CARL = Seat(1), Seat(2), Seat(3)


def turn(number: int, seat: Seat) -> TurnStarted:
    return TurnStarted(seat, Turn(number), Millis(20_000), Millis(0))


EVENTS: tuple[Event, ...] = (
    HandStarted(HandNumber(7), ANN, ADA, CARL, (ANN, ADA, CARL), (Chips(200),) * 3, Millis(0)),
    BlindPosted(ADA, Blind.SMALL, Chips(1)),
    BlindPosted(CARL, Blind.BIG, Chips(2)),
    HoleCardsDealt(ADA, parse_cards("AhAd")),
    HoleCardsDealt(CARL, parse_cards("Kc9d")),
    HoleCardsDealt(ANN, parse_cards("KsKh")),
    turn(1, ANN),
    Called(ANN, Chips(2), Chips(2)),
    turn(2, ADA),
    Raised(ADA, Chips(7), Chips(8)),
    turn(3, CARL),
    Folded(CARL),
    turn(4, ANN),
    Called(ANN, Chips(6), Chips(8)),
    StreetStarted(Street.FLOP, parse_cards("2c7d9h")),
    turn(5, ADA),
    BetMade(ADA, Chips(12), Chips(12)),
    turn(6, ANN),
    Called(ANN, Chips(12), Chips(12)),
    StreetStarted(Street.TURN, parse_cards("3s")),
    turn(7, ADA),
    Checked(ADA),
    turn(8, ANN),
    Checked(ANN),
    StreetStarted(Street.RIVER, parse_cards("3d")),
    turn(9, ADA),
    Checked(ADA),
    turn(10, ANN),
    Checked(ANN),
    CardsShown(ADA, parse_cards("AhAd"), Shown.SHOWDOWN),
    PotAwarded(0, Chips(42), (ANN, ADA), (ADA,), (Chips(42),)),
    HandEnded(HandNumber(7), Millis(60_000)),
)
NOTES = (
    Note(ADA, Turn(2), Explanation("raises the best 4% again", pot_odds=0.2, mix=(("raise", 0.85), ("call", 0.15)),
                                   lot=0.301, path="table")),
    Note(CARL, Turn(3), Explanation("calls only the best 9% at these odds", pot_odds=0.33, path="table")),
    Note(ADA, Turn(5), Explanation("bets for value", ranges="seat 1: 22-QQ, A2s+, KJo+ (31%)", equity=0.8214, error=0.0051,
                                   samples=5_600, pot_odds=0.0, mix=(("bet 12", 0.8), ("check", 0.2)), lot=0.114,
                                   path="workers")),
    Note(ADA, Turn(7), Explanation("checks to a raise", equity=0.79, error=0.02, samples=420, pot_odds=0.0,
                                   path="workers", fallback="partial")),
    Note(ADA, Turn(9), Explanation("wins 74%, bets from 62%", equity=0.74, pot_odds=0.0, fallback="normal")),
)  # fmt: skip
RECORD = HandRecord(
    HandNumber(7),
    Millis(0),
    (
        HandPlayer(ANN, PlayerId("ann"), "Ann", "", Chips(200)),
        HandPlayer(ADA, PlayerId("bot1"), "Ada", "hard", Chips(200)),
        HandPlayer(CARL, PlayerId("bot2"), "Carl", "normal", Chips(200)),
    ),
    EVENTS,
    NOTES,
)


def message(viewer: Seat, *, operator: bool = False, explain: bool = True) -> history_pb2.HandRecord:
    """The hand as its reader is sent it."""
    visible = tuple(event for event in EVENTS if sees(event, viewer))
    return record_to_message(RECORD, visible, explained(RECORD, operator=operator) if explain else ())


def printed() -> str:
    """What Ann, a spectator's operator, and Ann without explanations are told."""
    parts = []
    for title, record in (
        ("Ann, with --explain", message(ANN)),
        ("an operator, with --explain --as-operator", message(NOBODY, operator=True)),
        ("a spectator, without", message(NOBODY, explain=False)),
    ):
        parts.append("\n".join([f"# {title}", *hand_lines(record, "s1")]))
    return "\n\n".join(parts) + "\n"


@pytest.fixture
def greenwich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "TZ", "UTC")
    time.tzset()


def test_a_hand_is_told_with_its_explanations(greenwich: None) -> None:
    assert printed() == GOLDEN.read_text()


def test_carl_is_explained_to_operators_alone() -> None:
    """He folded: why he did would tell what he held (S5)."""
    for viewer in (NOBODY, ANN, ADA):
        assert {each.seat for each in message(viewer).explanations} == {ADA}
    assert {each.seat for each in message(NOBODY, operator=True).explanations} == {ADA, CARL}


if __name__ == "__main__" and "--write" in sys.argv:
    os.environ["TZ"] = "UTC"
    time.tzset()
    GOLDEN.write_text(printed())
