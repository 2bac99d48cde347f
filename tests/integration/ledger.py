"""A ledger of a salon's chips, kept from the events that a client receives. It knows nothing of the engine."""

from typing import Any, Final

from croupier.v1 import event_pb2, view_pb2

_PUT_IN: Final = frozenset({"ante_posted", "blind_posted", "called", "bet_made", "raised"})


class Ledger:
    """Stacks and pot, event by event; `enter` asserts P9 after each."""

    def __init__(self) -> None:
        self.stacks: dict[int, int] = {}
        self.pot = 0
        self.bought = 0
        self.taken = 0
        self.hands = 0
        self.events = 0

    def open(self, view: view_pb2.SalonView) -> None:
        """Go on from a snapshot, which stands for the commits it shows: its chips must be all that were bought."""
        self.stacks = {seat.seat: seat.stack for seat in view.seats}
        self.pot = sum(pot.amount for pot in view.pots) if view.in_hand else 0
        chips = sum(self.stacks.values()) + self.pot + self.taken
        if view.hand:
            assert chips == self.bought, f"{chips} chips of {self.bought} in a snapshot"
        self.bought = chips
        self.hands = view.hands_dealt - view.in_hand

    def enter(self, event: event_pb2.Event) -> None:
        """Book one event, then hold that no chip was lost or made and no stack is below zero."""
        kind = event.WhichOneof("event")
        assert kind is not None, "an event without content"
        self._book(kind, getattr(event, kind))
        self.events += 1
        chips = sum(self.stacks.values()) + self.pot + self.taken
        assert chips == self.bought, f"{chips} chips of {self.bought} after {kind}"
        assert min(self.stacks.values(), default=0) >= 0, kind
        assert self.pot >= 0, kind

    def _book(self, kind: str, event: Any) -> None:
        if kind in _PUT_IN:
            self.stacks[event.seat] -= event.amount
            self.pot += event.amount
        elif kind == "uncalled_bet_returned":
            self.stacks[event.seat] += event.amount
            self.pot -= event.amount
        elif kind == "pot_awarded":
            self._award(event)
        elif kind == "hand_ended":
            assert self.pot == 0, f"{self.pot} chips left over"
            self.hands += 1
        else:
            self._seat(kind, event)

    def _award(self, event: event_pb2.PotAwarded) -> None:
        assert sum(event.shares) == event.amount
        assert set(event.winners) <= set(event.eligible)
        for seat, share in zip(event.winners, event.shares, strict=True):
            self.stacks[seat] += share
            self.pot -= share

    def _seat(self, kind: str, event: Any) -> None:
        if kind == "player_seated":
            self.stacks[event.seat] = event.stack
            self.bought += event.stack
        elif kind == "topped_up":
            self.stacks[event.seat] += event.amount
            self.bought += event.amount
            assert self.stacks[event.seat] == event.stack
        elif kind == "player_left":
            assert self.stacks.pop(event.seat) == event.stack
            self.taken += event.stack
