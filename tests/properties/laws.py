"""Laws: what must hold after every event, at every turn and at every hand's end, whatever was played.

Each failure begins with the law's name, so that a test can break a rule and see that very law fail.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from engine.betting import legal_actions
from engine.cards import Card
from engine.events import (
    BetMade,
    Called,
    CardsDrawn,
    CardsMucked,
    CardsShown,
    Checked,
    Event,
    Folded,
    HandStarted,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    Raised,
    Shown,
    StreetStarted,
    TurnStarted,
    UncalledBetReturned,
)
from engine.game import HOLDEM_STREETS, Game, Street
from engine.pots import in_the_middle
from engine.record import event_from_plain, event_to_plain, table_from_plain, table_to_plain
from engine.table import Table
from engine.units import Seat
from engine.view import sees, view_of
from tests.properties import naive
from tests.properties.witness import Deal, Witness


def chips_are_kept(table: Table, witness: Witness) -> None:
    """P9, after every event, by the table's numbers and by the books."""
    middle = in_the_middle(table.hand) if table.hand else 0
    accounts = table.accounts.values()
    moved = sum(account.taken - account.bought for account in accounts)
    assert sum(table.stacks) + middle + moved == 0, "P9: a chip was lost or made"
    assert witness.chips == 0, "P9: a chip was lost or made by the books"
    books = [witness.stacks.get(seat, 0) for seat in range(len(table.stacks))]
    assert table.stacks == books, "P9: the stacks are not what the events say"
    assert min(table.stacks) >= 0, "P9: a stack is below nothing"


def cards_are_single(deal: Deal) -> None:
    """No card is in two places, none comes back, and all come off the top of the deck in their order (C1, D12, D16)."""
    holes = [card for hole in deal.hole.values() for card in hole]
    seen = [*holes, *deal.discards, *deal.board]
    assert len(set(seen)) == len(seen), "one card: a card is in two places"
    hole_cards = 2 if deal.street in HOLDEM_STREETS else 5
    dealt = hole_cards * len(deal.seats)
    assert deal.off == list(deal.deck[dealt : dealt + len(deal.off)]), "D12: not off the top of the deck"
    if len(deal.hole) == len(deal.seats):
        assert set(seen) == set(deal.deck[: dealt + len(deal.off)]), "C1: not off the top of the deck"


def cards_go_round(deal: Deal, event: HoleCardsDealt) -> None:
    """One card at a time, clockwise from the first dealt-in seat left of the button (C1)."""
    place, count = deal.seats.index(event.seat), len(deal.seats)
    dealt = [deal.deck[place + count * round_] for round_ in range(len(event.cards))]
    assert list(event.cards) == dealt, "C1: not one card at a time"


def record_round_trips(event: Event) -> None:
    assert event_from_plain(event_to_plain(event)) == event, "record: an event is read as another one"


def same_tables(one: Table, other: Table) -> None:
    """The two are the same to the last field, the deck too."""
    assert table_to_plain(one) == table_to_plain(other), "fold: the events make another table"
    decks = [table.hand.deck if table.hand else () for table in (one, other)]
    assert decks[0] == decks[1], "fold: the events make another deck"
    again = table_from_plain(table_to_plain(one))
    assert table_to_plain(again) == table_to_plain(one), "record: a table is read as another one"


def same_in_public(table: Table, replica: Table) -> None:
    """A replica of the public events knows all that is public and no private card."""
    plain, public = table_to_plain(table), table_to_plain(replica)
    if plain["hand"] is not None:
        assert not any(public["hand"].pop("cards")), "public: a replica has private cards"
        assert replica.hand is None or replica.hand.deck == (), "public: a replica has the deck"
        plain["hand"].pop("cards")
    assert plain == public, "public: the public events make another table"


# What is offered


def offers_are_right(table: Table, witness: Witness) -> None:
    """The legal actions of the turn that runs are those that a plain reading of the rules gives (N1-N16, D2-D8)."""
    deal, hand = witness.deal, table.hand
    assert deal is not None
    assert hand is not None
    seat, legal = hand.to_act, legal_actions(table)
    assert seat == witness.due(deal), f"turn order: seat {seat} is asked, and {witness.due(deal)} is due"
    if deal.street is Street.DRAW:
        assert (legal.draw, legal.draw_max, legal.fold) == (True, 3, False), "offers: the draw"
        return
    offer, own, stack = witness.offer(deal, seat), deal.round.bets.get(seat, 0), witness.stacks[seat]
    call = min(max(offer.owed - own, 0), stack)
    limits = (offer.low, offer.high)
    named = (0, 0, *limits) if deal.round.bet else (*limits, 0, 0)
    whole = own + stack
    all_in = whole if witness.settings.all_in and (offer.high == whole or call == stack) else 0
    expected = (True, not call, call, own + call if call else 0, *named, all_in)
    offered: tuple[int, ...] = (
        *(legal.fold, legal.check, legal.call, legal.call_to),
        *(legal.bet_min, legal.bet_max, legal.raise_min, legal.raise_max, legal.all_in),
    )
    assert offered == expected, f"offers: {offered} and by the rules {expected}"
    assert not legal.draw, "offers: a draw in a betting round"


# The showdown and the pots


def event_is_due(event: Event, witness: Witness) -> None:
    """Before an event: that it may come now, by the books."""
    deal = witness.deal
    if deal is None or deal.over:
        if isinstance(event, CardsShown):
            assert event.why is Shown.VOLUNTARY, "S5: cards are turned up after the hand"
            assert deal is not None
            assert set(event.cards) <= set(deal.hole[event.seat]), "S8: not the final cards"
        return
    match event:
        case TurnStarted() | Folded() | Checked() | Called() | BetMade() | Raised() | CardsDrawn():
            due = witness.due(deal)
            assert event.seat == due, f"turn order: seat {event.seat} it is, and seat {due} is due"
            _amounts_are_due(event, deal, witness)
        case StreetStarted():
            assert len(deal.live) > 1, "P8: cards are dealt to a lone survivor"
            assert not witness.due(deal), "turn order: a street ends before all have acted"
        case UncalledBetReturned():
            back = naive.uncalled(deal.put_in, deal.live)
            assert (event.seat, event.amount) == back, f"N17: {event} and by the rule {back}"
        case CardsShown() | CardsMucked():
            _showing_is_due(event, deal, witness)
        case PotAwarded() if not deal.awards:
            assert not witness.due(deal), "turn order: a pot is paid before all have acted"
            assert naive.uncalled(deal.put_in, deal.live)[1] == 0, "N17: a bet that nobody matched stays in"
        case _:
            pass


def _amounts_are_due(event: Event, deal: Deal, witness: Witness) -> None:
    """An action, whoever made it, is one that the rules allow."""
    if isinstance(event, TurnStarted | Folded | CardsDrawn):
        return
    assert isinstance(event, Checked | Called | BetMade | Raised)
    seat = event.seat
    offer, own = witness.offer(deal, seat), deal.round.bets.get(seat, 0)
    match event:
        case Checked():
            assert offer.owed <= own, "offers: a check with something to call"
        case Called():
            assert event.to == min(offer.owed, own + witness.stacks[seat]) > own, (
                f"offers: {event}, owed {offer.owed}"
            )
        case BetMade() | Raised():
            assert 0 < offer.low <= event.to <= offer.high, f"offers: {event}, allowed {offer}"
            assert isinstance(event, Raised) == (deal.round.bet > 0), "offers: a bet is no raise"


def _showing_is_due(event: CardsShown | CardsMucked, deal: Deal, witness: Witness) -> None:
    seat = event.seat
    assert len(deal.live) > 1, "S5: a sole survivor shows"
    assert seat in deal.live, "S5: a folded hand is shown"
    assert not witness.due(deal), "S3: cards are turned up before betting is over"
    assert seat not in deal.shown + deal.mucked, "S1: a hand is shown twice"
    drawing = deal.street is Street.PREDRAW or (
        deal.street is Street.DRAW and set(deal.live) - set(deal.drawn)
    )
    assert not drawing, "S3: cards are turned up before drawing is over"
    all_in = any(not witness.stacks[other] for other in deal.live)
    if isinstance(event, CardsShown):
        assert list(event.cards) == deal.hole[seat], "S4: not the whole hand"
        assert (event.why is Shown.ALL_IN) == all_in, "S3: turned up at once exactly when someone is all-in"
    if all_in:
        assert isinstance(event, CardsShown), "S3: a hand is mucked with someone all-in"
        order = [other for other in deal.seats if other in deal.live]
    else:
        last = deal.street in (Street.RIVER, Street.POSTDRAW)
        assert last, "S1: a showdown before the last street"
        order = [other for other in deal.seats if other in deal.live]
        if deal.round.aggressor in order:
            first = order.index(deal.round.aggressor)
            order = order[first:] + order[:first]
        best = max((deal.strength(other) for other in deal.shown), default=())
        beaten = deal.strength(seat) < best
        assert beaten == isinstance(event, CardsMucked), "S4: a beaten hand is mucked, another one shows"
    assert seat == order[len(deal.shown) + len(deal.mucked)], "S1: out of order"


def hand_is_settled(deal: Deal, table: Table) -> None:
    """At a hand's end: the pots are those of both twins, and the best eligible hands have them (P1-P10, S6)."""
    dead = sum(deal.dead.values())
    live = [seat for seat in deal.seats if seat in deal.live]
    pots = naive.peeled(deal.put_in, dead, live)
    if sum(deal.put_in.values()) < 2_000:
        assert pots == naive.chip_by_chip(deal.put_in, dead, live), "the twins disagree"
    awards = list(reversed(deal.awards))
    paid = [(pot.amount, tuple(sorted(pot.eligible))) for pot in awards]
    assert [pot.index for pot in awards] == list(range(len(awards))), (
        "P7: not from the last side pot to the main pot"
    )
    assert paid == pots, f"P1: {paid} and by the rules {pots}"
    assert all(amount > 0 for amount, _ in paid), "P3: an empty pot"
    assert len({eligible for _, eligible in paid}) == len(paid), "P3: two pots with equal eligibility"
    for pot in awards:
        _pot_is_won(deal, pot, live)
    if table.hand is not None and table.hand.over:
        assert len(live) == 1 or len(deal.board) == (5 if table.rules.game is Game.HOLDEM else 0), (
            "R1: board cards"
        )


def _pot_is_won(deal: Deal, pot: PotAwarded, live: list[int]) -> None:
    assert set(pot.eligible) <= set(live), "P4: who folded could win"
    best = list(pot.eligible)
    if len(best) > 1:
        top = max(deal.strength(seat) for seat in best)
        best = [seat for seat in best if deal.strength(seat) == top]
        showing = set(deal.shown)
        assert showing.issuperset(best), "S4: a winner's cards were not shown"
    assert sorted(pot.winners) == sorted(best), "P4: not the best eligible hands win"
    order = [seat for seat in deal.seats if seat in best]
    assert list(pot.winners) == order, "P5: the winners are not clockwise from the button's left"
    assert list(pot.shares) == naive.shares(pot.amount, order), "P5: the shares"


# Who sees what


@cache
def _card_fields(kind: Any) -> tuple[tuple[str, bool], ...]:
    """The fields of a value class that hold cards (True) or other values that may (False)."""
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    return tuple((name, Card in _parts(hints[name])) for name in names)


def _parts(hint: Any) -> set[Any]:
    return {hint}.union(*(_parts(part) for part in get_args(hint)))


def cards_in(value: Any) -> Iterator[int]:
    """Every card that stands anywhere in a value: in any field whose type says so."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from cards_in(item)
    elif is_dataclass(value):
        kind: Any = type(value)
        for name, holds_cards in _card_fields(kind):
            item = getattr(value, name)
            yield from item if holds_cards and isinstance(item, tuple) else cards_in(item)


def nobody_sees_too_much(event: Event, witness: Witness, seats: int) -> None:
    """After an event: whoever received it may see the cards in it (S1-S5, D10, D18)."""
    cards = set(cards_in(event))
    if not cards:
        return
    for viewer in range(seats + 1):
        if sees(event, Seat(viewer)):
            assert cards <= witness.may_see(viewer), f"D18: seat {viewer} receives {event}"


def views_are_granted(table: Table, witness: Witness) -> None:
    """No view holds a card that the rules do not grant to its viewer; his own he sees until the next hand."""
    for viewer in range(table.settings.seats + 1):
        view = view_of(table, Seat(viewer))
        cards = set(cards_in(view))
        granted = witness.may_see(viewer)
        assert cards <= granted, f"D18: seat {viewer} sees {cards - granted}"
        deal = witness.deal
        if deal is not None and viewer in witness.private:
            own = next(seat.cards for seat in view.seats if seat.seat == viewer)
            assert list(own) == deal.hole[viewer], f"D10: seat {viewer} does not see its own cards"


# A hand's start, and a void one


def seats_are_dealt(started: HandStarted, witness: Witness) -> None:
    """Two or more with chips are dealt in, clockwise from the button's left, with the stacks that they have."""
    size, button = witness.settings.seats, started.button
    around = [(button + step) % size + 1 for step in range(size)]
    assert len(started.seats) >= 2, "B0: a hand of fewer than two"
    assert list(started.seats) == [seat for seat in around if seat in started.seats], "C1: not clockwise"
    assert list(started.stacks) == [witness.stacks[seat] for seat in started.seats], "C1: the stacks"
    least = 1
    if not witness.settings.all_in:
        rounds = 1 + witness.settings.raise_cap
        least = witness.settings.ante + rounds * (witness.settings.small_bet + witness.settings.big_bet)
    assert min(started.stacks) >= least, "draw coverage: a stack is dealt in that does not cover the hand"


def hand_is_undone(voided: HandVoided, witness: Witness) -> None:
    """V1: whoever was dealt in has the stack again that he had before any post."""
    started = witness.started
    assert started is not None
    assert started.hand == voided.hand, "V1: another hand is void"
    assert [witness.stacks[seat] for seat in started.seats] == list(started.stacks), "V1: the stacks"
