"""A felt: one hand on a table of its own, dealt from a known deck and played from a line of moves.

Seats are 1 to n. Unless a test says otherwise the last seat has the button, so that seat 1 is the first to the
left of it: the small blind, and heads-up the big blind. A move is a letter for whoever is to act: `f` fold, `x`
check, `c` call, `b20` bet to 20, `r40` raise to 40, `a` all-in, `p` stand pat, `dAsKd` draw for the ace and the
king, `t` let the time run out. `3:c` says besides that it is seat 3's turn.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine import play
from engine.apply import evolve
from engine.betting import legal_actions
from engine.cards import FULL_DECK, Card, parse_cards
from engine.commands import AllIn, BetTo, Call, Check, Draw, ExpireTurn, Fold, RaiseTo, TurnCommand
from engine.draft import Draft
from engine.events import (
    AntePosted,
    Blind,
    BlindPosted,
    CardsMucked,
    CardsShown,
    DeckShuffled,
    Event,
    HandStarted,
    LeaveAsked,
    LeavingCause,
    PlayerSeated,
    PotAwarded,
    SalonOpened,
    UncalledBetReturned,
)
from engine.game import Game, HandRules, Street
from engine.hand import Hand
from engine.legal import LegalActions
from engine.pots import in_the_middle
from engine.refusals import Refusal
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import TIMER_SLACK, Chips, HandNumber, Millis, PlayerId, Seat, Turn

START = Millis(1_000_000)
Post = tuple[int, Blind, int]
"""A seat, what it posts, and how much of it."""


def settings(game: Game, **given: Any) -> Settings:
    """Settings that are known to be good."""
    made = make_settings(game, given)
    assert isinstance(made, Settings), made
    return made


class Felt:
    """A table in a hand, and the events since the hand began."""

    def __init__(self, made: Settings, stacks: Sequence[int], *, rules: HandRules | None = None) -> None:
        self.now = START
        self.table = Table()
        self.opening: list[Event] = [SalonOpened(PlayerId("owner"), made, START)]
        """What happened before the first hand."""
        for place, stack in enumerate(stacks):
            seat = Seat(place + 1)
            player = PlayerId(f"p{seat}")
            bank = made.time_bank
            self.opening.append(PlayerSeated(seat, player, f"Player {seat}", Chips(stack), bank, START))
        for event in self.opening:
            evolve(self.table, event)
        if rules is not None:
            self.table.rules = rules
        self.events: list[Event] = []

    @property
    def hand(self) -> Hand:
        assert self.table.hand is not None
        return self.table.hand

    @property
    def stacks(self) -> list[int]:
        """Of all seats, from seat 1."""
        return list(self.table.stacks[1:])

    @property
    def turn(self) -> int:
        """The seat to act; 0 when the hand is over."""
        return 0 if self.table.hand is None else self.hand.to_act

    @property
    def legal(self) -> LegalActions:
        return legal_actions(self.table)

    @property
    def street(self) -> Street:
        return self.hand.rules.streets[self.hand.street]

    @property
    def returned(self) -> dict[int, int]:
        return {event.seat: event.amount for event in self.of(UncalledBetReturned)}

    @property
    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """The settled pots, main pot first: the amount and who could win it."""
        return [(amount, tuple(seats)) for amount, seats in self.hand.pots]

    @property
    def won(self) -> dict[int, int]:
        """By seat, over all pots."""
        won: dict[int, int] = {}
        for pot in self.of(PotAwarded):
            for seat, share in zip(pot.winners, pot.shares, strict=True):
                won[seat] = won.get(seat, 0) + share
        return won

    @property
    def shown(self) -> list[int]:
        """The seats whose cards were turned up, in order."""
        return [event.seat for event in self.of(CardsShown)]

    @property
    def mucked(self) -> list[int]:
        return [event.seat for event in self.of(CardsMucked)]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if type(event) is kind]

    def kinds(self) -> list[str]:
        """The events' names, in order."""
        return [type(event).__name__ for event in self.events]

    def deal(
        self,
        deck: Sequence[Card],
        posts: Sequence[Post] = (),
        *,
        antes: Sequence[tuple[int, int]] = (),
        blinds: tuple[int, int] = (0, 0),
        button: int = 0,
    ) -> "Felt":
        """Start a hand with these posts; `blinds` are the seats of the small and the big one."""
        table = self.table.copy()
        draft = Draft(table, self.now)
        size = len(table.stacks) - 1
        button = button or size
        order = [(button + step) % size + 1 for step in range(size)]
        seats = tuple(Seat(seat) for seat in order if table.stacks[seat])
        small, big = Seat(blinds[0]), Seat(blinds[1])
        stacks = tuple(table.stacks[seat] for seat in seats)
        number = HandNumber(table.hand_number + 1)
        draft.emit(HandStarted(number, Seat(button), small, big, seats, stacks, self.now))
        draft.emit(DeckShuffled(tuple(deck)))
        for seat, amount in antes:
            if paid := min(amount, table.stacks[seat]):
                draft.emit(AntePosted(Seat(seat), Chips(paid)))
        for seat, blind, amount in posts:
            if paid := min(amount, table.stacks[seat]):
                draft.emit(BlindPosted(Seat(seat), blind, Chips(paid)))
        play.begin(draft)
        self.events = []
        self.take(draft)
        return self

    def play(self, moves: str) -> "Felt":
        """Make the moves one after another; none may be refused, and no chip may be lost or made."""
        for move in moves.split():
            seat, _, move = move.rpartition(":")
            assert not seat or int(seat) == self.turn, f"{move}: the turn is seat {self.turn}'s"
            refusal = self.expire() if move == "t" else self.do(self.command(move))
            assert refusal is None, f"{move} by seat {self.turn}: {refusal}"
        return self

    def refused(self, move: str) -> Refusal:
        """The refusal of a move by the player to act."""
        refusal = self.do(self.command(move))
        assert refusal is not None, f"{move} was accepted"
        return refusal

    def command(self, move: str, *, seat: int = 0, turn: int = 0) -> TurnCommand:
        """The move as a command of `seat` or whoever is to act, for `turn` or the one that is running."""
        player = PlayerId(f"p{seat or self.turn}")
        ids = (player, self.hand.hand, Turn(turn or self.hand.turn))
        plain: dict[str, type[Fold | Check | Call | AllIn]] = {"f": Fold, "x": Check, "c": Call, "a": AllIn}
        letter, rest = move[0], move[1:]
        if letter in plain:
            return plain[letter](*ids)
        if letter in "br":
            return (BetTo if letter == "b" else RaiseTo)(*ids, Chips(int(rest)))
        assert letter in "pd", f"{move} is no move"
        return Draw(*ids, parse_cards(rest))

    def do(self, command: TurnCommand) -> Refusal | None:
        draft = Draft(self.table.copy(), self.now)
        refusal = play.act(draft, command)
        if refusal is None:
            self.take(draft)
        else:
            assert draft.events == [], "a refusal changes nothing"
        return refusal

    def expire(self) -> Refusal | None:
        """Let the time of the turn that is running run out."""
        self.now = Millis(self.hand.deadline + self.hand.bank + TIMER_SLACK)
        draft = Draft(self.table.copy(), self.now)
        refusal = play.expire_turn(draft, ExpireTurn(self.hand.hand, self.hand.turn))
        self.take(draft)
        return refusal

    def leave(self, seat: int) -> "Felt":
        """Let a seat's player leave in the hand, as his command does (B8)."""
        draft = Draft(self.table.copy(), self.now)
        draft.emit(LeaveAsked(Seat(seat), LeavingCause.ASKED))
        play.resume(draft)
        self.take(draft)
        return self

    def change(self, seat: int, **changes: Any) -> "Felt":
        """Change what a seat's player is, such as `leaving`."""
        players = self.table.players[:]
        player = players[seat]
        assert player is not None
        players[seat] = replace(player, **changes)
        self.table.players = players
        return self

    def absent(self, *seats: int) -> "Felt":
        """Let seats be absent for the rest of the hand."""
        self.table.absent = [seat in seats for seat in range(len(self.table.stacks))]
        return self

    def take(self, draft: Draft) -> None:
        self.table = draft.table
        self.events += draft.events
        accounts = self.table.accounts.values()
        chips = sum(self.table.stacks) + (in_the_middle(self.hand) if self.table.hand else 0)
        chips += sum(account.taken - account.bought for account in accounts)
        assert chips == 0, "P9: no chip is made or lost"


def deck_of(order: Sequence[int], hole_cards: int, cards: Sequence[str], then: str = "") -> list[Card]:
    """A deck that deals `cards` to the seats from seat 1 ("" for any), then the cards of `then`, then the rest."""
    known = [parse_cards(text) for text in cards]
    after = parse_cards(then)
    named = {card for hole in known for card in hole} | set(after)
    rest = [card for card in FULL_DECK if card not in named]
    hands = {seat: known[seat - 1] if seat <= len(known) and known[seat - 1] else None for seat in order}
    holes = {
        seat: hole if hole is not None else tuple(rest.pop() for _ in range(hole_cards))
        for seat, hole in hands.items()
    }
    return [holes[seat][place] for place in range(hole_cards) for seat in order] + [*after, *rest]


def holdem(
    stacks: Sequence[int],
    *,
    blinds: tuple[int, int] = (1, 2),
    ante: int = 0,
    cards: Sequence[str] = (),
    board: str = "",
    posts: Sequence[Post] = (),
    antes: Sequence[tuple[int, int]] | None = None,
    rules: HandRules | None = None,
) -> Felt:
    """A hand of hold'em with its ante (or `antes`) and blinds posted, then `posts`; a stack of 0 is not dealt in."""
    small, big = blinds
    made = settings(Game.HOLDEM, seats=len(stacks), small_blind=small, big_blind=big, ante=ante)
    felt = Felt(made, stacks, rules=rules)
    order = [seat for seat, stack in enumerate(stacks, 1) if stack]
    blind_seats = (order[0], order[1]) if len(order) > 2 else (order[1], order[0])
    due = ((blind_seats[0], Blind.SMALL, small), (blind_seats[1], Blind.BIG, big))
    deck = deck_of(order, 2, cards, board)
    due_antes = [(seat, ante) for seat in order] if antes is None else antes
    return felt.deal(deck, [*due, *posts], antes=due_antes, blinds=blind_seats, button=order[-1])


def draw_poker(
    stacks: Sequence[int],
    *,
    bets: tuple[int, int] = (10, 20),
    ante: int = 1,
    cap: int = 3,
    all_in: bool = False,
    cards: Sequence[str] = (),
    then: str = "",
) -> Felt:
    """A hand of five-card draw with its antes posted; `then` are the first replacements."""
    made = settings(
        Game.DRAW,
        seats=len(stacks),
        small_bet=bets[0],
        big_bet=bets[1],
        ante=ante,
        raise_cap=cap,
        all_in=all_in,
        hand_limit=1000,
    )
    order = [seat for seat, stack in enumerate(stacks, 1) if stack]
    felt = Felt(made, stacks)
    antes = [(seat, ante) for seat in order]
    return felt.deal(deck_of(order, 5, cards, then), antes=antes, button=order[-1])
