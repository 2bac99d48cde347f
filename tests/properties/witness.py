"""A witness: what a log's events say, kept in books of its own.

Nothing here reads the engine's state or calls its rules. It knows where every chip and every card is, who may
see which card, whose turn it must be and what he may do, from the events and the naive twins alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from engine.events import (
    AntePosted,
    BetMade,
    Blind,
    BlindPosted,
    Called,
    CardsDrawn,
    CardsMucked,
    CardsReplaced,
    CardsShown,
    Checked,
    DeckShuffled,
    Event,
    Folded,
    HandEnded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PlayerLeft,
    PlayerSeated,
    PotAwarded,
    Raised,
    SalonOpened,
    StreetStarted,
    ToppedUp,
    UncalledBetReturned,
)
from engine.game import Game, Street
from engine.settings import Settings
from tests.properties import naive


@dataclass
class Round:
    """One street's betting, as its events tell it."""

    bet: int
    full_raise: int
    unit: int
    """0 at the draw."""
    bets: dict[int, int] = field(default_factory=dict)
    matched: dict[int, int] = field(default_factory=dict)
    """By seats that have acted: their bet when they last did (N3)."""
    last: int = 0
    """Who acted last; before the first, after whom the street starts."""
    aggressor: int = 0


@dataclass
class Offer:
    """What a seat may do: amounts "to", 0 where it may not."""

    owed: int
    low: int
    high: int


class Deal:
    """One hand."""

    def __init__(self, started: HandStarted, settings: Settings) -> None:
        self.seats: tuple[int, ...] = tuple(started.seats)
        self.big_blind = started.big_blind
        self.live = list(self.seats)
        self.put_in = dict.fromkeys(self.seats, 0)
        self.dead = dict.fromkeys(self.seats, 0)
        self.deck: Sequence[int] = ()
        self.hole: dict[int, list[int]] = {}
        self.off: list[int] = []
        """Cards that left the deck, in order, but for the hole cards."""
        self.discards: set[int] = set()
        self.board: list[int] = []
        self.drawn: dict[int, int] = {}
        self.street = Street.PREFLOP if settings.game is Game.HOLDEM else Street.PREDRAW
        unit = settings.big_blind or settings.small_bet
        self.round = Round(settings.big_blind, unit, unit, last=self.big_blind or self.seats[-1])
        self.shown: list[int] = []
        self.mucked: list[int] = []
        self.awards: list[PotAwarded] = []
        self.over = False

    @property
    def middle(self) -> int:
        """The chips that are in and not paid out."""
        paid = sum(pot.amount for pot in self.awards)
        return sum(self.put_in.values()) + sum(self.dead.values()) - paid

    def strength(self, seat: int) -> tuple[int, ...]:
        return naive.strength([*self.hole[seat], *self.board])


class Witness:
    """The books of one salon."""

    def __init__(self) -> None:
        self.settings: Settings
        self.stacks: dict[int, int] = {}
        self.bought = 0
        self.taken = 0
        self.started: HandStarted | None = None
        self.deal: Deal | None = None
        """The hand in progress or just over; None before the first and after a void one."""
        self.public: set[int] = set()
        """Cards of the hand in progress or just over that everybody may see."""
        self.private: dict[int, set[int]] = {}
        """Those that a seat alone may see besides: what it was dealt, and drew, and discarded."""

    @property
    def chips(self) -> int:
        """All chips at the table and taken away, less all bought: 0 (P9)."""
        middle = self.deal.middle if self.deal else 0
        return sum(self.stacks.values()) + middle + self.taken - self.bought

    def may_see(self, viewer: int) -> set[int]:
        return self.public | self.private.get(viewer, set())

    def see(self, event: Event) -> None:
        """Take an event down."""
        match event:
            case SalonOpened():
                self.settings = event.settings
            case PlayerSeated():
                self.stacks[event.seat] = event.stack
                self.bought += event.stack
            case ToppedUp():
                self.stacks[event.seat] += event.amount
                self.bought += event.amount
            case PlayerLeft():
                self.taken += self.stacks.pop(event.seat)
                self.private.pop(event.seat, None)
            case HandStarted():
                self.started = event
                self.deal = Deal(event, self.settings)
                self.public, self.private = set(), {}
            case HandVoided():
                self._take_back(self._deal())
                self.deal = None
            case _:
                if self.deal is not None:
                    self._in_hand(self.deal, event)

    def _deal(self) -> Deal:
        assert self.deal is not None, "an event of a hand without one"
        return self.deal

    def _take_back(self, deal: Deal) -> None:
        for seat in deal.seats:
            self.stacks[seat] += deal.put_in[seat] + deal.dead[seat]

    def _pay(self, seat: int, amount: int) -> None:
        assert 0 < amount <= self.stacks[seat], f"P9: seat {seat} puts in {amount} of {self.stacks[seat]}"
        self.stacks[seat] -= amount

    def _in_hand(self, deal: Deal, event: Event) -> None:
        match event:
            case DeckShuffled():
                deal.deck = tuple(event.cards)
            case AntePosted() | BlindPosted():
                self._post(deal, event)
            case HoleCardsDealt() | StreetStarted() | CardsDrawn() | CardsReplaced():
                self._cards(deal, event)
            case Folded() | Checked() | Called() | BetMade() | Raised():
                self._action(deal, event)
            case UncalledBetReturned():
                deal.put_in[event.seat] -= event.amount
                self.stacks[event.seat] += event.amount
            case CardsShown():
                self.public |= set(event.cards)
                deal.shown.append(event.seat)
            case CardsMucked():
                deal.mucked.append(event.seat)
            case PotAwarded():
                for seat, share in zip(event.winners, event.shares, strict=True):
                    self.stacks[seat] += share
                deal.awards.append(event)
            case HandEnded():
                deal.over = True
            case _:
                pass

    def _post(self, deal: Deal, event: AntePosted | BlindPosted) -> None:
        seat, amount = event.seat, event.amount
        self._pay(seat, amount)
        if isinstance(event, BlindPosted) and event.blind is Blind.DEAD:
            deal.dead[seat] += amount
            return
        deal.put_in[seat] += amount
        if isinstance(event, BlindPosted):
            deal.round.bets[seat] = deal.round.bets.get(seat, 0) + amount

    def _cards(self, deal: Deal, event: HoleCardsDealt | StreetStarted | CardsDrawn | CardsReplaced) -> None:
        match event:
            case HoleCardsDealt():
                deal.hole[event.seat] = list(event.cards)
                self.private[event.seat] = set(event.cards)
            case StreetStarted():
                self._street(deal, event)
            case CardsDrawn():
                deal.drawn[event.seat] = event.count
                deal.round.last = event.seat
            case CardsReplaced():
                kept = [card for card in deal.hole[event.seat] if card not in event.discards]
                deal.hole[event.seat] = [*kept, *event.cards]
                deal.off += event.cards
                deal.discards |= set(event.discards)
                self.private[event.seat] |= set(event.cards)

    def _street(self, deal: Deal, event: StreetStarted) -> None:
        settings = self.settings
        deal.street = event.street
        deal.board += event.cards
        deal.off += event.cards
        self.public |= set(event.cards)
        unit = settings.big_blind or (0 if event.street is Street.DRAW else settings.big_bet)
        deal.round = Round(0, unit, unit, last=deal.seats[-1])

    def _action(self, deal: Deal, event: Folded | Checked | Called | BetMade | Raised) -> None:
        seat, now = event.seat, deal.round
        match event:
            case Folded():
                deal.live.remove(seat)
            case Checked():
                pass
            case Called() | BetMade() | Raised():
                self._pay(seat, event.amount)
                deal.put_in[seat] += event.amount
                now.bets[seat] = now.bets.get(seat, 0) + event.amount
                assert event.to == now.bets[seat], "an amount is the total of the street"
                if not isinstance(event, Called):
                    now.full_raise = max(now.full_raise, event.to - now.bet)
                    now.bet, now.aggressor = event.to, seat
            case _:
                assert_never(event)
        now.matched[seat] = now.bets.get(seat, 0)
        now.last = seat

    # What must come next

    def offer(self, deal: Deal, seat: int) -> Offer:
        """What the rules let a live seat with chips do in a betting round, read one by one."""
        now, others = deal.round, [other for other in deal.live if other != seat]
        whole = now.bets.get(seat, 0) + self.stacks[seat]
        top = max(now.bets.get(other, 0) for other in others)
        reach = max(
            (now.bets.get(other, 0) + self.stacks[other] for other in others if self.stacks[other]), default=0
        )
        # N10: a short big blind is owed in full, unless nobody else could put in more than is there.
        owed = now.bet if reach > top else min(now.bet, top)
        low, high = (
            self._no_limit(now, seat, whole) if self.settings.big_blind else self._fixed(now, seat, whole)
        )
        if whole <= now.bet or reach <= now.bet:
            low = high = 0  # N8: nobody could answer it; or it would be no raise
        return Offer(owed, low, high)

    def _no_limit(self, now: Round, seat: int, whole: int) -> tuple[int, int]:
        if seat in now.matched and now.bet - now.matched[seat] < now.full_raise:
            return 0, 0  # N3
        return min(now.bet + now.full_raise, whole), whole

    def _fixed(self, now: Round, seat: int, whole: int) -> tuple[int, int]:
        here = naive.level(now.bet, now.unit)
        if here >= 1 + self.settings.raise_cap:
            return 0, 0  # D8
        if seat in now.matched and here <= naive.level(now.matched[seat], now.unit):
            return 0, 0  # D6
        to = (here + 1) * now.unit
        if to > whole:
            to = whole if self.settings.all_in else 0
        return to, to

    def due(self, deal: Deal) -> int:
        """Whose action must come next on this street, 0 if nobody's: the next clockwise who has to be asked."""
        now = deal.round
        if len(deal.live) < 2:
            return 0
        if deal.street is Street.DRAW:
            return next((seat for seat in deal.seats if seat in deal.live and seat not in deal.drawn), 0)
        start = deal.seats.index(now.last) + 1 if now.last in deal.seats else 0
        for seat in deal.seats[start:] + deal.seats[:start]:
            if seat in deal.live and self.stacks[seat] and self._must_act(deal, seat):
                return seat
        return 0

    def _must_act(self, deal: Deal, seat: int) -> bool:
        now = deal.round
        owes = self.offer(deal, seat).owed > now.bets.get(seat, 0)
        alone = not any(self.stacks[other] for other in deal.live if other != seat)
        return owes or (seat not in now.matched and not alone)
