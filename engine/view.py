"""Views: what one seat, or a spectator, may see of a table.

Law of this file: a view is made from public state and the viewer's own cards, and nothing else reaches a
client or a bot. The deck is never read here, and another seat's cards only as far as they are turned up.
"""

from enum import StrEnum

from engine.betting import legal_actions
from engine.cards import Card
from engine.events import Audience, CardsReplaced, EndCause, Event, HoleCardsDealt
from engine.game import Street
from engine.hand import Hand, Part
from engine.legal import LegalActions
from engine.settings import BotLevel, BotStyle, Settings
from engine.table import Player, Presence, Table
from engine.units import NOBODY, Chips, HandNumber, Millis, PlayerId, Seat, Turn
from engine.value import value


class SeatState(StrEnum):
    """What the player of a seat is doing."""

    WAITING = "waiting"
    """For the next hand, or for the big blind (B4)."""
    LIVE = "live"
    ALL_IN = "all_in"
    FOLDED = "folded"
    SITTING_OUT = "sitting_out"


@value
class SeatView:
    """One taken seat as a viewer sees it."""

    seat: Seat
    player: PlayerId
    name: str
    level: BotLevel | None
    style: BotStyle | None
    state: SeatState
    leaving: bool
    stack: Chips
    """Chips behind."""
    bet: Chips
    """On this street."""
    contribution: Chips
    """Over the whole hand."""
    card_count: int
    """Cards that lie before the seat, face up or down: none once it has folded."""
    cards: tuple[Card, ...]
    """The viewer's own, his folded ones too, or those turned up; else empty."""
    drawn: int
    """Cards drawn; -1 before the seat's draw."""
    bank: Millis
    evict_at: Millis
    """When a seat that sits out is given up; 0 for never."""
    need: Chips
    """The stack to top up to before being dealt in again; 0 if none is needed."""


@value
class PotView:
    """A pot as it stands: the main pot first; the street's bets are in it."""

    amount: Chips
    eligible: tuple[Seat, ...]


@value
class ActionView:
    """A public action of the hand: `amount` is the total "to" of the street, or the number of cards drawn."""

    street: Street
    seat: Seat
    kind: str
    amount: Chips


@value
class TableView:
    """All that one viewer may know now; a client needs no event before it."""

    settings: Settings
    owner: PlayerId
    viewer: Seat
    """0 for a spectator."""
    hand: HandNumber
    """0 before the first."""
    in_hand: bool
    street: Street | None
    board: tuple[Card, ...]
    pots: tuple[PotView, ...]
    """Empty between hands: what was won is in the stacks."""
    button: Seat
    small_blind: Seat
    big_blind: Seat
    seats: tuple[SeatView, ...]
    to_act: Seat
    turn: Turn
    deadline: Millis
    """End of the mover's turn time; his bank runs from there."""
    bank: Millis
    bet: Chips
    """The street's bet, which a live seat must match."""
    legal: LegalActions | None
    """The viewer's, when it is his turn."""
    history: tuple[ActionView, ...]
    may_reveal: tuple[Card, ...]
    """The viewer's final cards of the hand just over that he may still show."""
    next_hand_at: Millis
    """0 when no hand is scheduled."""
    hands_dealt: int
    closing: EndCause | None
    over: bool


def view_of(table: Table, viewer: Seat) -> TableView:
    """What the holder of seat `viewer` may see of `table` now; a spectator's seat is 0.

    `table` may be a replica without vault or foreign cards: what is public in it suffices.
    """
    hand = table.hand
    playing = hand is not None and not hand.over
    to_act = hand.to_act if hand is not None and playing else NOBODY
    return TableView(
        settings=table.settings,
        owner=table.owner,
        viewer=viewer,
        hand=table.hand_number,
        in_hand=playing,
        street=None if hand is None else hand.rules.streets[hand.street],
        board=() if hand is None else hand.board,
        pots=standing_pots(table),
        button=table.button,
        small_blind=table.small_blind,
        big_blind=table.big_blind,
        seats=tuple(
            _seat_view(table, Seat(seat), player, viewer)
            for seat, player in enumerate(table.players)
            if player is not None
        ),
        to_act=to_act,
        turn=Turn(0) if hand is None else hand.turn,
        deadline=hand.deadline if hand is not None and to_act else Millis(0),
        bank=hand.bank if hand is not None and to_act else Millis(0),
        bet=hand.bet if hand is not None and playing else Chips(0),
        legal=legal_actions(table) if to_act != NOBODY and to_act == viewer else None,
        history=() if hand is None else tuple(ActionView(*action) for action in hand.history),
        may_reveal=_may_reveal(table, viewer),
        next_hand_at=table.next_hand_at,
        hands_dealt=table.hands_dealt,
        closing=table.closing,
        over=table.over,
    )


def sees(event: Event, viewer: Seat) -> bool:
    """Whether the holder of seat `viewer` (0 for a spectator) may receive `event`."""
    if event.AUDIENCE is Audience.EVERYBODY:
        return True
    return isinstance(event, HoleCardsDealt | CardsReplaced) and event.seat == viewer != NOBODY


def standing_pots(table: Table) -> tuple[PotView, ...]:
    """The pots of the hand in progress, the main pot first, the street's bets in them.

    Only a player who is all-in divides the pot while betting goes on: whoever still has chips may yet match
    the rest. What is above every live player's level belongs to the pot below it (P1, P2).
    """
    hand = table.hand
    if hand is None or hand.over:
        return ()
    if hand.pots:
        return tuple(PotView(amount, eligible) for amount, eligible in hand.pots)
    counted: list[int] = [total - dead for total, dead in zip(hand.contributions, hand.dead, strict=True)]
    live = [seat for seat in hand.seats if hand.parts[seat] is Part.LIVE]
    levels = sorted({counted[seat] for seat in live if not table.stacks[seat]})
    amounts: list[int] = [sum(hand.dead)]
    eligibles, floor = [tuple(live)], 0
    for level in (*levels, max(counted)):
        amount = sum(min(total, level) - floor for total in counted if total > floor)
        eligible = tuple(seat for seat in live if table.stacks[seat] or counted[seat] >= level > floor)
        if eligible in (eligibles[-1], ()):
            amounts[-1] += amount
        elif amount:
            amounts.append(amount)
            eligibles.append(eligible)
        floor = level
    return tuple(
        PotView(Chips(amount), eligible) for amount, eligible in zip(amounts, eligibles, strict=True)
    )


def _seat_view(table: Table, seat: Seat, player: Player, viewer: Seat) -> SeatView:
    hand = table.hand
    part = Part.OUT if hand is None else hand.parts[seat]
    dealt = hand is not None and part is not Part.OUT
    return SeatView(
        seat=seat,
        player=player.player,
        name=player.name,
        level=player.level,
        style=player.style,
        state=_state(table, player, part, table.stacks[seat]),
        leaving=player.leaving is not None,
        stack=table.stacks[seat],
        bet=hand.bets[seat] if hand is not None and not hand.over else Chips(0),
        contribution=hand.contributions[seat] if hand is not None and dealt else Chips(0),
        card_count=hand.rules.hole_cards if hand is not None and part is Part.LIVE else 0,
        cards=_cards(hand, seat, viewer) if hand is not None and dealt else (),
        drawn=hand.draws[seat] if hand is not None and dealt else -1,
        bank=table.banks[seat],
        evict_at=player.evict_at,
        need=player.need,
    )


def _state(table: Table, player: Player, part: Part, stack: Chips) -> SeatState:
    playing = table.hand is not None and not table.hand.over
    if player.presence is Presence.SITTING_OUT and not (playing and part is not Part.OUT):
        return SeatState.SITTING_OUT
    if part is Part.OUT:
        return SeatState.WAITING
    if part is Part.FOLDED:
        return SeatState.FOLDED
    return SeatState.ALL_IN if playing and not stack else SeatState.LIVE


def _cards(hand: Hand, seat: Seat, viewer: Seat) -> tuple[Card, ...]:
    """The cards of a dealt-in seat that `viewer` may see: all of his own, of others what is turned up (S5)."""
    return hand.cards[seat] if seat == viewer else hand.shown[seat]


def _may_reveal(table: Table, viewer: Seat) -> tuple[Card, ...]:
    """S8: the final cards, never discards, of whoever held cards in the hand just over."""
    hand = table.hand
    if hand is None or not hand.over or table.over or viewer == NOBODY or not table.settings.voluntary_reveal:
        return ()
    if table.players[viewer] is None or hand.parts[viewer] is Part.OUT:
        return ()
    shown = hand.shown[viewer]
    return tuple(card for card in hand.cards[viewer] if card not in shown)
