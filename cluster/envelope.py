"""What passes between a gateway and a salon: envelopes there, answers back. Values; Ray pickles them.

Law of this file: nothing here knows Ray, Redis or gRPC. An answer is one of a closed set, so that a
gateway that forgets one fails type checking.
"""

from typing import NewType

from engine.commands import Command
from engine.refusals import Refusal
from engine.units import HandNumber, PlayerId
from engine.value import value
from engine.view import TableView

SalonId = NewType("SalonId", str)
"""A salon's identity: 1 to 32 characters of a-z and 0-9."""

Epoch = NewType("Epoch", int)
"""Which activation of a salon wrote something; a later one is greater, and only the latest can commit."""

Seq = NewType("Seq", int)
"""The number of a commit in a salon's log, from 1, without gaps, over all epochs."""


@value
class Envelope:
    """One command for a salon, or with `command` None a look at it, which also wakes a salon that sleeps.

    `player` is who asks, as the gateway has authenticated him ("" for an operator or the server).
    `request_id` is the caller's, 1 to 64 characters; a command sent again with the same one is executed
    once and gets the same answer. Only a look may leave it empty. `wants_view` asks for the view of
    `player` (a spectator's where he holds no seat) as it is after the command. Once a hand later than
    `expected_hand` has begun, a command that was not executed yet is refused as stale; 0: whenever it comes.
    """

    salon: SalonId
    player: PlayerId
    request_id: str
    command: Command | None
    wants_view: bool = False
    expected_hand: HandNumber = HandNumber(0)


@value
class Accepted:
    """The command is in the log as commit `seq`, or was before: a retry gets the same. A look: the salon's last.

    `view` is as it is after that commit: where there have been others since, a retry gets none.
    """

    epoch: Epoch
    seq: Seq
    view: TableView | None = None


@value
class Refused:
    """The rules do not allow the command; nothing changed and nothing was stored."""

    refusal: Refusal


@value
class Unavailable:
    """The outcome is unknown or the salon is on its way elsewhere: try again with the same request_id."""

    retry_ms: int
    why: str


@value
class Exhausted:
    """No node has room for one more host: try again later, or add nodes."""

    retry_ms: int


@value
class Broken:
    """A bug in the salon, which has reloaded itself; the command is not retried. The log names the incident."""

    incident: str


@value
class Quarantined:
    """The salon's log cannot be replayed, or it broke three times in a row; an operator must look."""

    why: str


@value
class UnknownSalon:
    """There is no such salon."""


@value
class RequestReused:
    """The player has used this request_id for another command, which is the one that counts."""


Answer = Accepted | Refused | Unavailable | Exhausted | Broken | Quarantined | UnknownSalon | RequestReused
