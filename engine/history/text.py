"""Writing finished hands as text in the style of PokerStars, which people and their tools read."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from engine.cards import Card, texts_of
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
    Event,
    Folded,
    HoleCardsDealt,
    PotAwarded,
    Raised,
    Shown,
    StreetStarted,
    TimedOut,
    UncalledBetReturned,
)
from engine.game import Street
from engine.history.finished import FinishedHand, labels, may_draw, moved, replaced
from engine.history.summary import pot_name, summary_lines
from engine.ranking import describe
from engine.units import Chips, Seat

_HEADS: Final = {Street.FLOP: "FLOP", Street.TURN: "TURN", Street.RIVER: "RIVER"}
_BLINDS: Final = {
    Blind.SMALL: "posts small blind",
    Blind.BIG: "posts big blind",
    Blind.DEAD: "posts dead small blind",
}


def history_text(hand: FinishedHand) -> str:
    """The hand as text, ending with an empty line."""
    lines = [*_head(hand), *_Teller(hand).lines(), *summary_lines(hand)]
    return "\n".join((*lines, "", ""))


def histories_text(hands: Iterable[FinishedHand]) -> str:
    """The hands one after the other."""
    return "\n".join(history_text(hand) for hand in hands)


def _head(hand: FinishedHand) -> Iterator[str]:
    rules, started = hand.rules, hand.started
    if may_draw(hand):
        game = f"5 Card Draw Limit ({rules.units[0]}/{rules.units[-1]})"
    else:
        game = f"Hold'em No Limit ({rules.small_blind}/{rules.big_blind})"
    at = datetime.fromtimestamp(started.at / 1000, UTC)
    yield f"Croupier Hand #{started.hand}: {game} - {at:%Y/%m/%d %H:%M:%S} UTC"
    yield f"Table '{hand.salon}' {hand.seats}-max (Play Money) Seat #{started.button} is the button"
    stacks = dict(zip(started.seats, started.stacks, strict=True))
    names = labels(hand)
    for seat in sorted(stacks):
        yield f"Seat {seat}: {names[seat]} ({stacks[seat]} in chips)"


class _Teller:
    """Tells the events one after the other; keeps what a sentence needs from those before it."""

    def __init__(self, hand: FinishedHand) -> None:
        started = hand.started
        self._hand = hand
        self._names = labels(hand)
        self._stacks: dict[Seat, int] = dict(zip(started.seats, started.stacks, strict=True))
        self._bet = hand.rules.big_blind if started.big_blind else Chips(0)
        self._board: tuple[Card, ...] = ()
        self._cards: dict[Seat, tuple[Card, ...]] = {}
        self._held_back: list[CardsShown] = []
        self._pots = sum(1 for _ in hand.of(PotAwarded))
        self._dealt = self._showing = False

    def lines(self) -> Iterator[str]:
        """All lines between the seats and the summary."""
        for event in self._hand.events:
            for seat, chips in moved(event):
                self._stacks[seat] += chips
            yield from self._posting(event)
            yield from self._dealing(event)
            yield from self._acting(event)
            yield from self._ending(event)

    def _said(self, seat: Seat, words: str) -> str:
        return f"{self._names[seat]}: {words}"

    def _staked(self, seat: Seat, words: str) -> str:
        """What a seat did with chips, and whether they were its last."""
        return self._said(seat, words + ("" if self._stacks[seat] else " and is all-in"))

    def _posting(self, event: Event) -> Iterator[str]:
        match event:
            case AntePosted():
                yield self._staked(event.seat, f"posts the ante {event.amount}")
            case BlindPosted():
                yield self._staked(event.seat, f"{_BLINDS[event.blind]} {event.amount}")
            case _:
                pass

    def _dealing(self, event: Event) -> Iterator[str]:
        match event:
            case HoleCardsDealt():
                yield from self._opening()
                self._cards[event.seat] = event.cards
                yield f"Dealt to {self._names[event.seat]} [{texts_of(event.cards)}]"
            case CardsReplaced():
                kept = tuple(card for card in self._cards[event.seat] if card not in event.discards)
                yield f"Dealt to {self._names[event.seat]} [{texts_of(kept)}] [{texts_of(event.cards)}]"
            case StreetStarted():
                yield from self._opening()
                yield from self._street(event)
            case _:
                pass

    def _opening(self) -> Iterator[str]:
        """The headline after the posts, once; there may be no card that the reader can see."""
        if not self._dealt:
            self._dealt = True
            yield "*** DEALING HANDS ***" if may_draw(self._hand) else "*** HOLE CARDS ***"

    def _street(self, event: StreetStarted) -> Iterator[str]:
        self._bet = Chips(0)
        if event.cards:
            before = f"[{texts_of(self._board)}] " if self._board else ""
            yield f"*** {_HEADS[event.street]} *** {before}[{texts_of(event.cards)}]"
            self._board += event.cards

    def _acting(self, event: Event) -> Iterator[str]:
        words = self._action(event)
        if words:
            yield from self._opening()
            yield words

    def _action(self, event: Event) -> str:
        match event:
            case TimedOut():
                return f"{self._names[event.seat]} has timed out"
            case Folded():
                return self._said(event.seat, "folds")
            case Checked():
                return self._said(event.seat, "checks")
            case Called():
                return self._staked(event.seat, f"calls {event.amount}")
            case BetMade():
                self._bet = event.to
                return self._staked(event.seat, f"bets {event.to}")
            case Raised():
                by, self._bet = event.to - self._bet, event.to
                return self._staked(event.seat, f"raises {by} to {event.to}")
            case CardsDrawn():
                return self._said(event.seat, self._drawn(event))
            case UncalledBetReturned():
                return f"Uncalled bet ({event.amount}) returned to {self._names[event.seat]}"
            case _:
                return ""

    def _drawn(self, event: CardsDrawn) -> str:
        if not event.count:
            return "stands pat"
        told = replaced(self._hand, event)
        cards = f" [{texts_of(told.discards)}]" if told else ""
        return f"discards {event.count} card{'s' if event.count > 1 else ''}{cards}"

    def _ending(self, event: Event) -> Iterator[str]:
        match event:
            case CardsShown(why=Shown.ALL_IN):
                # They are turned up before the rest of the board, but named when it lies there.
                self._held_back.append(event)
            case CardsShown(why=Shown.VOLUNTARY):
                yield self._said(event.seat, f"shows [{texts_of(event.cards)}]")
            case CardsShown():
                yield from self._showdown()
                yield self._shows(event)
            case CardsMucked():
                yield from self._showdown()
                yield self._said(event.seat, "mucks hand")
            case PotAwarded():
                yield from self._opening()
                if self._held_back:
                    yield from self._showdown()
                yield from self._collected(event)
            case _:
                pass

    def _showdown(self) -> Iterator[str]:
        if not self._showing:
            self._showing = True
            yield "*** SHOW DOWN ***"
        for event in self._held_back:
            yield self._shows(event)
        self._held_back.clear()

    def _shows(self, event: CardsShown) -> str:
        words = describe(event.cards + self._board)
        return self._said(event.seat, f"shows [{texts_of(event.cards)}] ({words})")

    def _collected(self, event: PotAwarded) -> Iterator[str]:
        name = pot_name(event.index, self._pots).lower()
        for seat, share in zip(event.winners, event.shares, strict=True):
            yield f"{self._names[seat]} collected {share} from {name}"
