"""What the tests of the cluster share: settings, first commits, and hands driven by whoever is to act."""

from typing import Any

from cluster.envelope import Epoch, SalonId, Seq
from cluster.journal.log import Commit
from cluster.salons.memory import digest_of
from engine.commands import Call, Check, Draw, Fold, Join, OpenSalon, TurnCommand
from engine.decide import Decision, decide
from engine.game import Game
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import Chips, Millis, PlayerId, Seat
from engine.view import TableView

OWNER = PlayerId("owner")
SALON = SalonId("s1")


def settings_of(game: Game = Game.HOLDEM, **given: Any) -> Settings:
    settings = make_settings(game, given)
    assert isinstance(settings, Settings), settings
    return settings


def opening(game: Game = Game.HOLDEM, salon: SalonId = SALON, *, at: int = 1_000, **given: Any) -> Commit:
    """The first commit of a salon."""
    command = OpenSalon(OWNER, settings_of(game, **given))
    decision = decide(None, command, now=Millis(at))
    assert isinstance(decision, Decision)
    digest = digest_of(command)
    return Commit(salon, Epoch(0), Seq(1), Millis(at), decision.events, OWNER, "open", digest)


def join(player: str, seat: int, buy_in: int = 0) -> Join:
    return Join(PlayerId(player), player, Seat(seat), Chips(buy_in))


def easy_turn(view: TableView, player: str, *, fold: bool = False) -> TurnCommand:
    """A turn that keeps the hand going: pat, check, call; or with `fold` gives it up."""
    turn = (PlayerId(player), view.hand, view.turn)
    legal = view.legal
    assert legal is not None, "it is not this player's turn"
    if legal.draw:
        return Draw(*turn, ())
    if fold:
        return Fold(*turn)
    return Check(*turn) if legal.check else Call(*turn)


def chips(table: Table) -> int:
    """All chips of a table, those in the middle too."""
    hand = table.hand
    middle = sum(hand.contributions) if hand is not None and not hand.over else 0
    return sum(table.stacks) + middle
