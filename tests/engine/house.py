"""A house: one salon's table driven through `decide` with a clock by hand.

Every command is checked on its way: the table that was given is as it was, no chip is lost or made, and at the
end of a test `replayed` folds the events again.
"""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from engine.alarms import Alarm, next_alarm
from engine.apply import apply
from engine.betting import legal_actions
from engine.cards import FULL_DECK, Card
from engine.commands import (
    AddBot,
    AllIn,
    BetTo,
    Call,
    Check,
    Command,
    Draw,
    ExpireTurn,
    Fold,
    Join,
    Leave,
    OpenSalon,
    RaiseTo,
    SitIn,
    SitOut,
    StartHand,
    Sweep,
    TopUpTo,
    TurnCommand,
)
from engine.decide import Decision, decide
from engine.events import BlindPosted, Event, HandStarted
from engine.game import Game
from engine.hand import Part
from engine.pots import in_the_middle
from engine.record import table_to_plain
from engine.refusals import Refusal
from engine.settings import BotLevel, Settings, make_settings
from engine.table import Player, Table
from engine.units import NOBODY, TIMER_SLACK, Chips, Millis, PlayerId, Seat

OPENED = Millis(1_000_000)
OWNER = PlayerId("owner")
Kind = TypeVar("Kind")


class House:
    """A salon whose player in seat n is "pn", unless a test says otherwise."""

    def __init__(self, game: Game = Game.HOLDEM, *, seated: Sequence[int] = (), **given: Any) -> None:
        settings = make_settings(game, given)
        assert isinstance(settings, Settings), settings
        self.now = OPENED
        self.log: list[Event] = []
        self.events: tuple[Event, ...] = ()
        """Of the last command."""
        self.keep(decide(None, OpenSalon(OWNER, settings), now=self.now))
        for seat in seated:
            self.join(seat)

    def keep(self, decision: Decision | Refusal) -> "House":
        assert isinstance(decision, Decision), decision
        self.table: Table = decision.table
        self.events = decision.events
        self.log += decision.events
        return self

    def do(self, command: Command) -> "House":
        """The command, which must be accepted."""
        before, given = table_to_plain(self.table), self.table
        self.keep(decide(self.table, command, now=self.now))
        assert table_to_plain(given) == before, "the table that was given must stay as it was"
        accounts = self.table.accounts.values()
        middle = in_the_middle(self.table.hand) if self.table.hand else 0
        held = sum(self.table.stacks) + middle
        assert held == sum(account.bought - account.taken for account in accounts), "P9"
        return self

    def refused(self, command: Command) -> Refusal:
        """The refusal of a command, which must change nothing."""
        before = table_to_plain(self.table)
        answer = decide(self.table, command, now=self.now)
        assert isinstance(answer, Refusal), answer
        assert table_to_plain(self.table) == before
        return answer

    def replayed(self) -> Table:
        """The table that the log makes."""
        table: Table | None = None
        for event in self.log:
            table = apply(table, event)
        assert table is not None
        return table

    # Asking

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The last command's events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    def player(self, seat: int) -> Player:
        player = self.table.players[seat]
        assert player is not None, f"nobody holds seat {seat}"
        return player

    @property
    def alarm(self) -> Alarm | None:
        return next_alarm(self.table)

    @property
    def live(self) -> list[int]:
        """The seats that have not folded, of the hand in progress or just over."""
        hand = self.table.hand
        return [] if hand is None else [seat for seat in hand.seats if hand.parts[seat] is Part.LIVE]

    @property
    def blinds(self) -> tuple[int, int, int]:
        """Of the hand that the last command dealt: the button's seat, who posts the small blind (0: nobody), who the big."""
        (started,) = self.of(HandStarted)
        small = started.small_blind if started.small_blind in started.seats else NOBODY
        return started.button, small, started.big_blind

    @property
    def dealt(self) -> tuple[int, ...]:
        (started,) = self.of(HandStarted)
        return tuple(started.seats)

    @property
    def posts(self) -> list[tuple[int, str, int]]:
        return [(post.seat, post.blind.value, post.amount) for post in self.of(BlindPosted)]

    # Doing

    def wait(self, ms: int) -> "House":
        self.now = Millis(self.now + ms)
        return self

    def join(self, seat: int, buy_in: int = 0, *, player: str = "") -> "House":
        name = player or f"p{seat}"
        return self.do(Join(PlayerId(name), name.upper(), Seat(seat), Chips(buy_in)))

    def add_bot(self, seat: int) -> "House":
        name = f"p{seat}"
        return self.do(AddBot(OWNER, PlayerId(name), name.upper(), BotLevel.EASY, seat=Seat(seat)))

    def leave(self, seat: int) -> "House":
        return self.do(Leave(self.player(seat).player))

    def sit_out(self, seat: int) -> "House":
        return self.do(SitOut(self.player(seat).player))

    def sit_in(self, seat: int, *, post: bool = False) -> "House":
        return self.do(SitIn(self.player(seat).player, post))

    def top_up(self, seat: int, to: int) -> "House":
        return self.do(self.top_up_command(seat, to))

    def deal(self, lot: int = 0, deck: tuple[Card, ...] = FULL_DECK) -> "House":
        """Start the next hand as soon as it is due."""
        self.now = Millis(max(self.now, self.table.next_hand_at))
        return self.do(StartHand(deck, lot))

    def act(self, kind: type[Fold] | type[Check] | type[Call] | type[AllIn]) -> "House":
        """An action by whoever is to act."""
        return self.do(self.move(kind))

    def act_randomly(self, rng: random.Random) -> "House":
        """A random legal action by whoever is to act; at the draw any number of cards."""
        hand = self.table.hand
        assert hand is not None
        ids = (self.player(hand.to_act).player, hand.hand, hand.turn)
        legal = legal_actions(self.table)
        if legal.draw:
            cards = hand.cards[hand.to_act]
            return self.do(Draw(*ids, tuple(rng.sample(cards, rng.randint(0, legal.draw_max)))))
        options: list[Command] = [Check(*ids) if legal.check else Fold(*ids)]
        if legal.call:
            options += [Call(*ids)] * 3
        if legal.bet_max:
            options.append(BetTo(*ids, Chips(rng.randint(legal.bet_min, legal.bet_max))))
        if legal.raise_max:
            options.append(RaiseTo(*ids, Chips(rng.randint(legal.raise_min, legal.raise_max))))
        if legal.all_in:
            options.append(AllIn(*ids))
        return self.do(rng.choice(options))

    def do_if_legal(self, command: Command) -> "House":
        """The command; refused, it must change nothing."""
        answer = decide(self.table, command, now=self.now)
        if isinstance(answer, Refusal):
            assert len(answer.text) > 20
            assert self.refused(command) == answer
            return self
        return self.do(command)

    def top_up_command(self, seat: int, to: int) -> TopUpTo:
        return TopUpTo(self.player(seat).player, Chips(to))

    def move(self, kind: type[Fold] | type[Check] | type[Call] | type[AllIn]) -> TurnCommand:
        hand = self.table.hand
        assert hand is not None
        return kind(self.player(hand.to_act).player, hand.hand, hand.turn)

    @property
    def turn(self) -> int:
        """The seat to act, 0 when the hand is over."""
        return self.table.hand.to_act if self.table.hand else 0

    def fold_out(self) -> "House":
        """Finish the hand: everybody folds but the last."""
        while self.turn:
            self.act(Fold)
        return self

    def expire(self) -> "House":
        """Let the running turn's time and bank run out."""
        hand = self.table.hand
        assert hand is not None
        self.now = Millis(hand.deadline + hand.bank + TIMER_SLACK)
        return self.do(ExpireTurn(hand.hand, hand.turn))

    def sweep(self) -> "House":
        return self.do(Sweep())

    def move_chips(self, giver: int, taker: int, amount: int) -> "House":
        """Make two stacks what many hands might have made them."""
        table = self.table.copy()
        table.stacks[giver] = Chips(table.stacks[giver] - amount)
        table.stacks[taker] = Chips(table.stacks[taker] + amount)
        self.table = table
        return self

    def change(self, step: str) -> "House":
        """A change at a seat in a letter: `-3` leaves, `+3` joins, `o3` sits out, `i3` sits in, `p3` asks to post."""
        kind, seat = step[0], int(step[1:])
        if kind == "p":
            return self.sit_in(seat, post=True)
        return {"-": self.leave, "+": self.join, "o": self.sit_out, "i": self.sit_in}[kind](seat)
