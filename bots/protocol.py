"""The bot protocol: what a bot is shown, and what it answers.

Law of this file: an `Observation` is made from the view of the bot's seat and from nothing else, and holds
numbers and words alone, never a part of a table. A test lists its fields: a new one has to be allowed there
on purpose.
"""

import random
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from bots.explanation import Explanation
from engine.cards import Card
from engine.commands import AllIn, BetTo, Call, Check, Draw, Fold, RaiseTo, TurnCommand
from engine.game import Game
from engine.units import Chips, PlayerId
from engine.view import SeatState, SeatView, TableView

IN_HAND: Final = (SeatState.LIVE, SeatState.ALL_IN, SeatState.FOLDED)


class NotYourTurn(ValueError):
    """An observation was asked for of a view whose seat is not to act."""


class SeenSeat(NamedTuple):
    """A dealt-in seat as the bot sees it, its own among them."""

    seat: int
    state: str
    """live, all_in or folded."""
    stack: int
    """Chips behind."""
    bet: int
    """On this street."""
    contribution: int
    drawn: int
    """Cards drawn; -1 before the seat's draw."""
    shown: tuple[int, ...]
    """Cards turned up for everybody; empty for the bot's own seat."""


class SeenAction(NamedTuple):
    """A public action of the hand; `amount` as in `ActionView`."""

    street: str
    seat: int
    kind: str
    amount: int


@dataclass(frozen=True, slots=True)
class Observation:
    """All that a bot knows when it decides. Amounts are chips, bets are totals "to", cards are numbers.

    Names that are also in `TableView` or `LegalActions` mean what they mean there.
    """

    game: str
    hand: int
    turn: int
    street: str
    seat: int
    """The bot's own."""
    cards: tuple[int, ...]
    """The bot's own."""
    board: tuple[int, ...]
    seats: tuple[SeenSeat, ...]
    """Dealt-in seats by number."""
    history: tuple[SeenAction, ...]
    button: int
    small_blind: int
    """A seat, as `big_blind` is."""
    big_blind: int
    unit: int
    """The big blind; in fixed limit the small bet."""
    ante: int
    pot: int
    """All pots, the street's bets in them."""
    bet: int
    fold: bool
    check: bool
    call: int
    call_to: int
    bet_min: int
    bet_max: int
    raise_min: int
    raise_max: int
    all_in: int
    draw: bool
    draw_max: int
    turn_time: int
    """Milliseconds."""
    big_bet: int = 0
    """Of fixed limit, as `raise_cap` is, which is a setting of the salon: raises a round after the bet."""
    raise_cap: int = 0


@dataclass(frozen=True, slots=True)
class BotAction:
    """What a bot does with its turn.

    `kind` is fold, check, call, bet, raise, all_in or draw; `to` is the total of a bet or raise, `cards`
    are the discards of a draw. `why` says in words which rule decided, `explanation` adds the figures, for who
    may read them after the hand (`bots.explanation`); neither decides anything.
    """

    kind: str
    to: int = 0
    cards: tuple[int, ...] = ()
    why: str = field(default="", compare=False)
    explanation: Explanation | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        """As in "raise to 40" or "draw 3"; it names no card."""
        if self.kind == "draw":
            return f"draw {len(self.cards)}" if self.cards else "stand pat"
        return f"{self.kind} to {self.to}" if self.to else self.kind


class Bot(Protocol):
    """A way of playing: a function of an observation and of the bot's own chance."""

    def decide(self, observation: Observation, rng: random.Random) -> BotAction:
        """A legal action for the turn observed; `rng` is the bot's own and independent of any deck."""
        ...


def observe(view: TableView) -> Observation:
    """What the bot in the view's seat is shown, when it is its turn.

    Raises:
        NotYourTurn: the view's seat is not to act.
    """
    legal = view.legal
    if legal is None or view.street is None:
        raise NotYourTurn(f"seat {view.viewer} is not to act: it has nothing to decide")
    own = next(seat for seat in view.seats if seat.seat == view.viewer)
    settings = view.settings
    return Observation(
        game=settings.game.value,
        hand=view.hand,
        turn=view.turn,
        street=view.street.value,
        seat=view.viewer,
        cards=tuple(own.cards),
        board=tuple(view.board),
        seats=tuple(_seen_seat(seat, own=seat is own) for seat in view.seats if seat.state in IN_HAND),
        history=tuple(SeenAction(a.street.value, a.seat, a.kind, a.amount) for a in view.history),
        button=view.button,
        small_blind=view.small_blind,
        big_blind=view.big_blind,
        unit=settings.big_blind if settings.game is Game.HOLDEM else settings.small_bet,
        ante=settings.ante,
        pot=sum(pot.amount for pot in view.pots),
        bet=view.bet,
        fold=legal.fold,
        check=legal.check,
        call=legal.call,
        call_to=legal.call_to,
        bet_min=legal.bet_min,
        bet_max=legal.bet_max,
        raise_min=legal.raise_min,
        raise_max=legal.raise_max,
        all_in=legal.all_in,
        draw=legal.draw,
        draw_max=legal.draw_max,
        turn_time=settings.turn_time,
        big_bet=settings.big_bet,
        raise_cap=settings.raise_cap,
    )


def _seen_seat(seat: SeatView, *, own: bool) -> SeenSeat:
    return SeenSeat(
        seat=seat.seat,
        state=seat.state.value,
        stack=seat.stack,
        bet=seat.bet,
        contribution=seat.contribution,
        drawn=seat.drawn,
        shown=() if own else tuple(seat.cards),
    )


def is_legal(action: BotAction, observation: Observation) -> bool:
    """Whether the rules allow `action` in the turn observed."""
    match action.kind:
        case "fold":
            return observation.fold
        case "check":
            return observation.check
        case "call":
            return observation.call > 0
        case "bet":
            return 0 < observation.bet_min <= action.to <= observation.bet_max
        case "raise":
            return 0 < observation.raise_min <= action.to <= observation.raise_max
        case "all_in":
            return observation.all_in > 0
        case "draw":
            own = set(observation.cards)
            few = len(set(action.cards)) == len(action.cards) <= observation.draw_max
            return observation.draw and few and own.issuperset(action.cards)
        case _:
            return False


def to_command(action: BotAction, view: TableView, player: PlayerId) -> TurnCommand:
    """The command that does `action` in the turn that `view` shows, in the name of `player`.

    Raises:
        ValueError: the action's kind is none of a turn's.
    """
    turn = (player, view.hand, view.turn)
    match action.kind:
        case "fold":
            return Fold(*turn)
        case "check":
            return Check(*turn)
        case "call":
            return Call(*turn)
        case "bet":
            return BetTo(*turn, Chips(action.to))
        case "raise":
            return RaiseTo(*turn, Chips(action.to))
        case "all_in":
            return AllIn(*turn)
        case "draw":
            return Draw(*turn, tuple(Card(card) for card in action.cards))
        case _:
            raise ValueError(f"{action.kind!r} is no action of a turn")
