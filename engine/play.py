"""Play: a hand from the deal to the last pot, one turn after another.

Law of this file: `begin`, `act`, `expire_turn`, `resume`, `void` and `accept_loss` leave the table with a turn running or with
the hand over and settled, never in between. What they decide happens through `draft.emit` alone.
"""

from typing import Final

from engine.apply_hand import hand_of
from engine.betting import before_first, is_closed, legal_actions, next_to_act
from engine.cards import Card, text_of
from engine.commands import AcceptLoss, Draw, ExpireTurn, GiveGrace, Reveal, TurnCommand, VoidHand
from engine.draft import Draft
from engine.drawing import draw, draw_is_over, draw_refusal, is_draw, next_to_draw
from engine.events import (
    BankUsed,
    CardsShown,
    Folded,
    GraceGiven,
    HandEnded,
    HandVoided,
    HoleCardsDealt,
    Shown,
    StreetStarted,
    TailLost,
    TimedOut,
    TimeoutsCleared,
    TurnStarted,
)
from engine.game import BOARD_CARDS
from engine.hand import Hand, Part
from engine.moves import MOVES, illegal, passed
from engine.refusals import Reason, Refusal, refuse
from engine.settlement import settle
from engine.showdown import award, return_uncalled_bet, show_down, someone_is_all_in, turn_up
from engine.table import Table
from engine.units import LEAST_OUTAGE, NOBODY, TIMER_SLACK, Millis, Seat

MOST_GRACES: Final = 3
"""How often one turn's time is given back."""
LEAST_GRACE: Final = Millis(5_000)
"""What is left of a turn after an outage at the least, to come back in: or all of it, where it is shorter."""
_WORDS: Final = {"BetTo": "bet", "RaiseTo": "raise", "AllIn": "all-in"}
_LIVE: Final = Part.LIVE


def begin(draft: Draft) -> None:
    """Deal the private cards of a hand whose forced bets are posted, and start the first turn.

    One card at a time goes round, clockwise from the first dealt-in seat left of the button (C1).
    """
    hand = hand_of(draft.table)
    seats, deck, dealt = hand.seats, hand.deck, hand.dealt
    for place, seat in enumerate(seats):
        draft.emit(HoleCardsDealt(seat, deck[place : dealt : len(seats)]))
    _proceed(draft, before_first(hand))


def act(draft: Draft, command: TurnCommand) -> Refusal | None:
    """Do what the player to act commands, if it is his turn and legal; then go on to the next turn."""
    table = draft.table
    hand = table.hand
    seat = table.seat_of.get(command.player, NOBODY)
    # The test that nearly always passes stands first; `_not_current` tells its failures apart.
    if (
        hand is None
        or hand.to_act != seat
        or not seat
        or hand.turn != command.turn
        or hand.hand != command.hand
    ):
        return _not_current(table, command, seat)
    if type(command) is Draw:
        return _draw(draft, hand, command)
    if not hand.full_raise:
        return illegal(
            table, f"{_word(command)} refused: it is the draw; name the cards to exchange, or none"
        )
    move = MOVES[type(command)](table, hand, command)
    if isinstance(move, Refusal):
        return move
    if draft.now > hand.deadline or table.timeouts[seat]:
        _own_action(draft, hand, seat)
    draft.emit(move)
    _proceed(draft, seat)
    return None


def expire_turn(draft: Draft, command: ExpireTurn) -> Refusal | None:
    """End a turn whose time and bank ran out: a check if it is free, else a fold; at the draw, standing pat (B6)."""
    hand = draft.table.hand
    if hand is None or not hand.to_act or (hand.hand, hand.turn) != (command.hand, command.turn):
        return refuse(
            Reason.STALE_TURN, f"turn {command.turn} of hand {command.hand} is over; its timer is void"
        )
    left = hand.deadline + hand.bank + TIMER_SLACK - draft.now
    if left > 0:
        text = f"turn {command.turn} of hand {command.hand} is not over: its timer fires in {left} ms"
        return refuse(Reason.NOT_READY, text, left=left)
    seat = hand.to_act
    if hand.bank:
        draft.emit(BankUsed(seat, Millis(0)))
    draft.emit(TimedOut(seat))
    _pass(draft, hand, seat)
    _proceed(draft, seat)
    return None


def give_grace(draft: Draft, command: GiveGrace) -> Refusal | None:
    """Let the running turn's time have stood still while the table could not be reached, at most three times a turn.

    Its deadline and what the bank has left move by the time that is lost, and so far at least that he can come back.
    """
    hand = draft.table.hand
    if hand is None or not hand.to_act or (hand.hand, hand.turn) != (command.hand, command.turn):
        return refuse(
            Reason.STALE_TURN, f"turn {command.turn} of hand {command.hand} is over: no grace for it"
        )
    if hand.graces >= MOST_GRACES:
        return refuse(Reason.NOT_READY, f"grace refused: the turn had its {MOST_GRACES}", most=MOST_GRACES)
    turn_time = draft.table.settings.turn_time
    asked_at = hand.graced_at or Millis(hand.deadline - turn_time)
    lost = Millis(draft.now - max(command.since, asked_at))
    time_is_up = hand.deadline + hand.bank + TIMER_SLACK <= draft.now
    if lost < LEAST_OUTAGE and not (lost > 0 and time_is_up):
        text = f"grace refused: {max(lost, 0)} ms were lost, and nobody notices less than {LEAST_OUTAGE}"
        return refuse(Reason.NOT_READY, text, lost=max(lost, 0), least=LEAST_OUTAGE)
    least = Millis(draft.now + min(LEAST_GRACE, turn_time) - hand.bank)
    draft.emit(GraceGiven(hand.to_act, hand.turn, max(Millis(hand.deadline + lost), least), draft.now))
    return None


def resume(draft: Draft) -> None:
    """Go on if the player whose turn it is has left: his turn is over at once (B8). Else nothing happens."""
    hand = draft.table.hand
    if hand is None or not hand.to_act or not _is_gone(draft.table, hand.to_act):
        return
    seat = hand.to_act
    _pass(draft, hand, seat)
    _proceed(draft, seat)


def void(draft: Draft, command: VoidHand) -> Refusal | None:
    """Void the hand in progress: every contribution goes back and no card is shown (V1)."""
    hand = draft.table.hand
    if hand is None or hand.over:
        return refuse(Reason.NO_HAND, "void refused: no hand is in progress")
    draft.emit(HandVoided(hand.hand, command.why, draft.now))
    settle(draft)
    return None


def accept_loss(draft: Draft, command: AcceptLoss) -> Refusal | None:
    """Say that the end of what happened was lost; a hand in progress cannot be finished, and is void (V1)."""
    hand = draft.table.hand
    draft.emit(TailLost(command.commits, command.hand, draft.now))
    if hand is not None and not hand.over:
        return void(draft, VoidHand(command.why))
    return None


def reveal(draft: Draft, command: Reveal) -> Refusal | None:
    """Show some of the own final cards of the hand just over, if the salon allows it (S8)."""
    table = draft.table
    hand, seat = table.hand, table.seat_of.get(command.player, NOBODY)
    if not table.settings.voluntary_reveal:
        return refuse(Reason.TURNED_OFF, "reveal refused: this salon was created without voluntary reveals")
    if not seat:
        return refuse(Reason.NOT_SEATED, "reveal refused: only who holds a seat may show cards")
    if hand is None or not hand.over or hand.hand != command.hand or not hand.cards[seat]:
        text = f"reveal refused: it is possible only between hands, with cards of the hand just over, not hand {command.hand}"
        return refuse(Reason.NOTHING_TO_REVEAL, text, hand=command.hand)
    return _reveal(draft, seat, hand, command.cards)


def _reveal(draft: Draft, seat: Seat, hand: Hand, cards: tuple[Card, ...]) -> Refusal | None:
    for place, card in enumerate(cards):
        if card in cards[:place]:
            text = f"reveal refused: {text_of(card)} is named twice; name each card once"
            return refuse(Reason.CARD_NAMED_TWICE, text, card=text_of(card))
        if card not in hand.cards[seat]:
            name = text_of(card) if 0 <= card < 52 else str(card)
            text = f"reveal refused: {name} is not among the final cards of your hand"
            return refuse(Reason.NOT_YOUR_CARD, text, card=name)
    new = tuple(card for card in cards if card not in hand.shown[seat])
    if not new:
        text = "reveal refused: name at least one card of yours that is not turned up yet"
        return refuse(Reason.NOTHING_TO_REVEAL, text)
    draft.emit(CardsShown(seat, new, Shown.VOLUNTARY))
    return None


def _draw(draft: Draft, hand: Hand, command: Draw) -> Refusal | None:
    if not is_draw(hand):
        return illegal(
            draft.table, "draw refused: cards are exchanged at the draw, and this is a betting round"
        )
    refusal = draw_refusal(draft.table, hand, command.cards)
    if refusal:
        return refusal
    seat = hand.to_act
    _own_action(draft, hand, seat)
    draw(draft, seat, command.cards)
    _proceed(draft, seat)
    return None


def _own_action(draft: Draft, hand: Hand, seat: Seat) -> None:
    """Charge the time bank, and forget the time-outs of a player who acts by himself (T1, B6)."""
    over = draft.now - hand.deadline
    if over > 0 and hand.bank:
        draft.emit(BankUsed(seat, Millis(max(hand.bank - over, 0))))
    if draft.table.timeouts[seat]:
        draft.emit(TimeoutsCleared(seat))


def _is_gone(table: Table, seat: Seat) -> bool:
    """Whether a seat's player has left and waits for no turn (B8)."""
    player = table.players[seat]
    return player is None or player.leaving is not None


def _pass(draft: Draft, hand: Hand, seat: Seat) -> None:
    """Act for a player who does not: a leaver folds; others check if it is free; at the draw all stand pat."""
    if is_draw(hand):
        draw(draft, seat, ())
    elif _is_gone(draft.table, seat):
        draft.emit(Folded(seat))
    else:
        draft.emit(passed(draft.table, hand, seat))


def _proceed(draft: Draft, after: Seat) -> None:
    """Go on after `after` until somebody must be asked or the hand is over; the last live player is not asked (P8)."""
    table = draft.table
    hand = hand_of(table)
    while hand.parts.count(_LIVE) > 1:
        seat = next_to_act(table, hand, after) if hand.full_raise else next_to_draw(hand)
        if not seat:
            if not _next_street(draft, hand):
                return
            after = before_first(hand)
            continue
        player = table.players[seat]
        if not table.absent[seat] and player is not None and player.leaving is None:
            deadline = draft.now + table.settings.turn_time
            draft.emit(TurnStarted(seat, hand.turn + 1, deadline, table.banks[seat]))
            return
        _pass(draft, hand, seat)
        after = seat
    return_uncalled_bet(draft)
    _finish(draft, hand)


def _next_street(draft: Draft, hand: Hand) -> bool:
    """Start the next street, or, when there is none or no more to bet, end the hand; whether it goes on.

    When betting is over for good the uncalled bet goes back. With drawing over too, the live hands are turned
    up before the rest of the board is dealt (S3, R1), and a second round of five-card draw is left out (D17).
    """
    closed = is_closed(draft.table, hand)
    if closed:
        return_uncalled_bet(draft)
    decided = closed and draw_is_over(hand)
    if decided:
        turn_up(draft)
    for street in hand.rules.streets[hand.street + 1 :]:
        count = BOARD_CARDS.get(street, 0)
        if decided and not count:
            break
        draft.emit(StreetStarted(street, hand.deck[hand.dealt : hand.dealt + count]))
        if not decided:
            return True
    if not decided:
        _show(draft, hand)
    _finish(draft, hand)
    return False


def _show(draft: Draft, hand: Hand) -> None:
    """Show or muck after a last round that two or more finished with chips behind."""
    return_uncalled_bet(draft)
    if someone_is_all_in(draft.table, hand):
        turn_up(draft)
    else:
        show_down(draft)


def _finish(draft: Draft, hand: Hand) -> None:
    award(draft)
    draft.emit(HandEnded(hand.hand, draft.now))
    settle(draft)


def _not_current(table: Table, command: TurnCommand, seat: Seat) -> Refusal:
    """Why a command is none of the turn that is running; it changes nothing (N21)."""
    hand, word = table.hand, _word(command)
    if not seat:
        return refuse(Reason.NOT_SEATED, f"{word} refused: you hold no seat here; take one first")
    if hand is None or not hand.to_act:
        return refuse(Reason.NO_HAND, f"{word} refused: no hand is in progress; wait for the next one")
    legal = legal_actions(table) if hand.to_act == seat else None
    if (hand.hand, hand.turn) != (command.hand, command.turn):
        text = (
            f"{word} refused: it names turn {command.turn} of hand {command.hand}, "
            f"and turn {hand.turn} of hand {hand.hand} is running"
        )
        numbers = (("hand", str(hand.hand)), ("turn", str(hand.turn)), ("seat", str(hand.to_act)))
        return Refusal(Reason.STALE_TURN, text, numbers, legal)
    text = f"{word} refused: it is the turn of seat {hand.to_act}, and yours is seat {seat}"
    return refuse(Reason.NOT_YOUR_TURN, text, seat=hand.to_act)


def _word(command: TurnCommand) -> str:
    name = type(command).__name__
    return _WORDS.get(name, name.lower())
