"""What a salon says from memory: the view of whoever asks, and that a command comes too late."""

from cluster.envelope import Envelope
from engine.refusals import Reason, Refusal, refuse
from engine.table import Table
from engine.units import NOBODY, PlayerId, Seat
from engine.view import TableView, view_of


def view_for(table: Table, player: PlayerId) -> TableView | None:
    """The player's view; a spectator's only where it is not to come late (V2)."""
    seat: Seat = table.seat_of.get(player, NOBODY)
    if seat == NOBODY and (table.settings.spectator_delay or not table.settings.spectators):
        return None
    return view_of(table, seat)


def too_late(envelope: Envelope, table: Table) -> Refusal | None:
    """Why a command is stale that names a hand; it may be a retry from behind the replies that are kept."""
    expected, hand = envelope.expected_hand, table.hand_number
    if not expected or hand <= expected:
        return None
    text = f"it comes too late: it was meant for hand {expected}, and hand {hand} has begun; look again"
    return refuse(Reason.STALE_TURN, text, expected_hand=expected, hand=hand)
