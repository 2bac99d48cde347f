"""Refusals: what a command is answered with when the rules do not allow it. A value, never an exception."""

from enum import StrEnum

from engine.legal import LegalActions
from engine.value import value


class Reason(StrEnum):
    """Why a command was refused. On the wire: the ErrorInfo reason, in capitals."""

    NOT_YOUR_TURN = "not_your_turn"
    STALE_TURN = "stale_turn"
    ILLEGAL_ACTION = "illegal_action"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    NOT_YOUR_CARD = "not_your_card"
    CARD_NAMED_TWICE = "card_named_twice"
    TOO_MANY_CARDS = "too_many_cards"
    NO_HAND = "no_hand"
    NOTHING_TO_REVEAL = "nothing_to_reveal"
    SALON_FULL = "salon_full"
    SEAT_TAKEN = "seat_taken"
    NO_SUCH_SEAT = "no_such_seat"
    ALREADY_SEATED = "already_seated"
    NOT_SEATED = "not_seated"
    BUY_IN_OUT_OF_RANGE = "buy_in_out_of_range"
    TOP_UP_OUT_OF_RANGE = "top_up_out_of_range"
    LEAVING = "leaving"
    ALREADY_SITTING_OUT = "already_sitting_out"
    ALREADY_SITTING_IN = "already_sitting_in"
    NO_CHIPS = "no_chips"
    NOT_COVERED = "not_covered"
    NOT_THE_OWNER = "not_the_owner"
    NOT_A_BOT = "not_a_bot"
    SETTING_OUT_OF_RANGE = "setting_out_of_range"
    SETTINGS_CONFLICT = "settings_conflict"
    TURNED_OFF = "turned_off"
    NAME_REFUSED = "name_refused"
    NOT_READY = "not_ready"
    SALON_CLOSING = "salon_closing"
    SALON_OVER = "salon_over"


@value
class Refusal:
    """A command that changed nothing.

    `text` is one English sentence for a person or a developer: what was wrong and what would be right
    ("raise to 250 refused: the minimum is 400"). `numbers` holds the same facts for a program, such as
    (("min", "400"), ("max", "5000")). `legal` is given to the player whose turn it is.
    """

    reason: Reason
    text: str
    numbers: tuple[tuple[str, str], ...] = ()
    legal: LegalActions | None = None


def refuse(reason: Reason, text: str, **numbers: int | str) -> Refusal:
    """A refusal with its numbers by keyword."""
    return Refusal(reason, text, tuple((name, str(number)) for name, number in numbers.items()))
