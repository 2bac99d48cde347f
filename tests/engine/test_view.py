"""What each viewer may see of a table: no card that the rules do not grant him, and all that they do."""

import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import get_args

import pytest

from engine.cards import FULL_DECK, Card, parse_cards
from engine.commands import (
    LOTS,
    AllIn,
    BetTo,
    Call,
    Check,
    Command,
    Draw,
    Fold,
    Join,
    Leave,
    OpenSalon,
    RaiseTo,
    Reveal,
    StartHand,
    TurnCommand,
)
from engine.decide import decide
from engine.events import Audience, CardsReplaced, CardsShown, Event, HoleCardsDealt
from engine.game import Game
from engine.hand import Hand
from engine.refusals import Refusal
from engine.settings import Settings, make_settings
from engine.table import Table
from engine.units import Chips, Millis, PlayerId, Seat
from engine.view import SeatState, TableView, sees, view_of

SPECTATOR = Seat(0)
NAMES = ("", "ann", "bob", "cid", "dee", "eve", "fay")


class Played:
    """A table that is played on by commands which have to be accepted, and all of its events."""

    def __init__(self, game: Game, players: int, **given: object) -> None:
        settings = make_settings(game, {"seats": 6, "hand_limit": 100, **given})
        assert isinstance(settings, Settings), settings
        self.table: Table | None = None
        self.events: list[Event] = []
        self.do(OpenSalon(PlayerId("ann"), settings))
        for seat in range(1, players + 1):
            self.join(seat)

    @property
    def now(self) -> Table:
        assert self.table is not None
        return self.table

    @property
    def hand(self) -> Hand:
        assert self.now.hand is not None
        return self.now.hand

    @property
    def to_act(self) -> Seat:
        return self.hand.to_act

    def do(self, command: Command) -> None:
        at = 0 if self.table is None else max(self.now.next_hand_at, self.now.hand.at if self.now.hand else 0)
        decision = decide(self.table, command, now=Millis(at))
        assert not isinstance(decision, Refusal), decision.text
        self.table = decision.table
        self.events.extend(decision.events)

    def join(self, seat: int, name: str = "", stack: int = 0) -> None:
        name = name or NAMES[seat]
        self.do(Join(PlayerId(name), name.title(), Seat(seat), Chips(stack)))

    def deal(self, deck: tuple[Card, ...] = FULL_DECK, lot: int = 0) -> None:
        self.do(StartHand(deck, lot))

    def act(self, kind: type[TurnCommand], *more: object) -> None:
        """The seat to act does `kind`."""
        player = self.now.players[self.to_act]
        assert player is not None
        self.do(kind(player.player, self.hand.hand, self.hand.turn, *more))  # type: ignore[arg-type]  # by kind

    def check_down(self) -> None:
        while self.to_act:
            legal = self.view(self.to_act).legal
            assert legal is not None
            self.act(Draw, ()) if legal.draw else self.act(Check if legal.check else Call)

    def view(self, viewer: int) -> TableView:
        return view_of(self.now, Seat(viewer))


def cards_seen(view: TableView) -> dict[Seat, tuple[Card, ...]]:
    return {seat.seat: seat.cards for seat in view.seats if seat.cards}


def all_cards_in(view: TableView) -> set[Card]:
    return {*view.board, *view.may_reveal, *(card for seat in view.seats for card in seat.cards)}


def granted(played: Played, viewer: Seat) -> set[Card]:
    """What the rules grant: the own private cards of this hand, the board, and what was turned up (S5)."""
    hand = played.hand
    shown = {card for cards in hand.shown for card in cards}
    return {*hand.board, *shown, *(hand.cards[viewer] if viewer else ())}


def random_turn(played: Played, rng: random.Random) -> None:
    legal = played.view(played.to_act).legal
    assert legal is not None
    if legal.draw:
        own = played.hand.cards[played.to_act]
        played.act(Draw, tuple(rng.sample(own, rng.randint(0, legal.draw_max))))
        return
    choices: list[tuple[type[TurnCommand], tuple[object, ...]]] = [(Fold, ())]
    choices += [(Check, ())] if legal.check else [(Call, ())] * 3
    choices += [(BetTo, (legal.bet_min,))] if legal.bet_min else []
    choices += [(RaiseTo, (legal.raise_min,))] if legal.raise_min else []
    choices += [(AllIn, ())] if legal.all_in else []
    kind, more = rng.choice(choices)
    played.act(kind, *more)


def random_hands(game: Game, hands: int, seed: int) -> Iterator[Played]:
    """Every state of some hands of random play, between 2 and 6 players."""
    rng = random.Random(seed)
    for number in range(hands):
        played = Played(game, 2 + number % 5)
        played.deal(tuple(rng.sample(FULL_DECK, 52)), rng.randrange(LOTS))
        while played.to_act:
            yield played
            random_turn(played, rng)
        yield played


@pytest.mark.parametrize("game", Game)
def test_no_view_holds_a_card_that_the_rules_do_not_grant(game: Game) -> None:
    """Rules, "What the product must never do"; S5, D10, D18: seats, folded seats and spectators, at every turn."""
    for played in random_hands(game, 60, seed=1):
        for viewer in range(7):
            view = played.view(viewer)
            assert all_cards_in(view) <= granted(played, Seat(viewer))
            for seat, cards in cards_seen(view).items():
                assert cards == played.hand.cards[seat] if seat == viewer else played.hand.shown[seat]


@pytest.mark.parametrize("game", Game)
def test_views_hide_hidden_cards_wherever_they_are(game: Game) -> None:
    """Non-interference: exchange all that a viewer may not see, and his view stays the same, to the byte."""
    rng = random.Random(2)
    for played in random_hands(game, 25, seed=2):
        for viewer in range(7):
            seen = granted(played, Seat(viewer))
            hidden = [card for card in FULL_DECK if card not in seen]
            other = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
            copy = played.now.copy()
            assert copy.hand is not None
            copy.hand.cards = [tuple(other.get(card, card) for card in cards) for cards in played.hand.cards]
            copy.hand.deck = tuple(other.get(card, card) for card in played.hand.deck)
            assert repr(view_of(copy, Seat(viewer))) == repr(played.view(viewer))


@pytest.mark.parametrize("game", Game)
def test_the_own_cards_are_always_seen(game: Game) -> None:
    for played in random_hands(game, 30, seed=3):
        for seat in played.hand.seats:
            assert cards_seen(played.view(seat))[seat] == played.hand.cards[seat]


def test_a_spectator_sees_what_a_folded_player_sees_but_his_cards() -> None:
    """V2."""
    played = Played(Game.HOLDEM, 3)
    played.deal()
    folded = played.to_act
    played.act(Fold)
    own, public = played.view(folded), played.view(SPECTATOR)
    assert cards_seen(public) == {}
    assert cards_seen(own) == {folded: played.hand.cards[folded]}
    assert (own.pots, own.board, own.history, own.to_act) == (
        public.pots,
        public.board,
        public.history,
        public.to_act,
    )


def test_a_showdown_shows_the_winner_and_mucks_the_beaten_hand() -> None:
    """S1, S4: who is beaten by a hand already turned up is mucked unseen, to all but himself."""
    played = Played(Game.HOLDEM, 2)
    played.deal(parse_deck("As Kd Ad Kc  2c 7h 9s Jd 3h"))
    played.check_down()
    views = [played.view(viewer) for viewer in range(3)]
    winner = next(seat for seat in (1, 2) if parse_cards("As")[0] in played.hand.cards[seat])
    loser = 3 - winner
    shown = {event.seat for event in played.events if isinstance(event, CardsShown)}
    assert cards_seen(views[0])[Seat(winner)] == played.hand.cards[winner]
    assert (loser in cards_seen(views[winner])) is (loser in shown)
    assert cards_seen(views[loser])[Seat(loser)] == played.hand.cards[loser]


def test_a_mucked_hand_is_in_no_view_but_its_owners() -> None:
    """S4, with a river bet, so that the winner shows first."""
    played = Played(Game.HOLDEM, 2)
    played.deal(parse_deck("As Kd Ad Kc  2c 7h 9s Jd 3h"))
    aces = next(seat for seat in (1, 2) if parse_cards("As")[0] in played.hand.cards[seat])
    while played.to_act:
        legal = played.view(played.to_act).legal
        assert legal is not None
        if played.hand.street == 3 and played.to_act == aces and legal.bet_min:
            played.act(BetTo, legal.bet_min)
        else:
            played.act(Check if legal.check else Call)
    kings = 3 - aces
    assert kings not in {event.seat for event in played.events if isinstance(event, CardsShown)}
    for viewer in (SPECTATOR, aces):
        assert set(cards_seen(played.view(viewer))) == {aces}
    assert len(cards_seen(played.view(kings))) == 2


def test_discards_are_in_no_view() -> None:
    """D10, S5, D16."""
    played = Played(Game.DRAW, 2)
    played.deal()
    while not played.hand.street:
        played.act(Check)
    drawer = played.to_act
    gone = played.hand.cards[drawer][:3]
    played.act(Draw, gone)
    for viewer in range(3):
        view = played.view(viewer)
        assert not all_cards_in(view) & set(gone)
        assert next(seat.drawn for seat in view.seats if seat.seat == drawer) == 3


def test_what_is_turned_up_at_an_all_in_is_public() -> None:
    """S3."""
    played = Played(Game.HOLDEM, 2)
    played.deal()
    played.act(AllIn)
    played.act(Call)
    assert set(cards_seen(played.view(SPECTATOR))) == {1, 2}


def test_between_hands_the_own_final_cards_may_be_shown_until_they_are() -> None:
    """S8: one, several or all of the final cards, folded ones too."""
    played = Played(Game.HOLDEM, 2)
    played.deal()
    folder = played.to_act
    assert played.view(folder).may_reveal == ()
    played.act(Fold)
    cards = played.hand.cards[folder]
    assert played.view(folder).may_reveal == cards
    assert played.view(SPECTATOR).may_reveal == ()
    played.do(Reveal(PlayerId(NAMES[folder]), played.hand.hand, cards[:1]))
    assert played.view(folder).may_reveal == cards[1:]
    assert cards_seen(played.view(SPECTATOR)) == {folder: cards[:1]}
    played.deal()
    assert not played.view(folder).may_reveal


def test_nothing_may_be_shown_where_the_salon_forbids_it() -> None:
    """S8: if the salon allows it."""
    played = Played(Game.HOLDEM, 2, voluntary_reveal=False)
    played.deal()
    folder = played.to_act
    played.act(Fold)
    assert played.view(folder).may_reveal == ()


@pytest.mark.parametrize("game", Game)
def test_who_takes_a_leavers_seat_sees_nothing_of_his_cards(game: Game) -> None:
    """S5: folded and mucked cards are seen by their owner alone, not by whoever sits there next."""
    played = Played(game, 3)
    played.deal()
    leaver = played.to_act
    played.act(Fold)
    cards = played.hand.cards[leaver]
    played.do(Leave(PlayerId(NAMES[leaver])))
    while played.to_act:
        played.act(Fold)
    played.join(leaver, name="fay")
    view = played.view(leaver)
    assert not all_cards_in(view) & set(cards)
    assert view.may_reveal == ()
    reveal = Reveal(PlayerId("fay"), played.hand.hand, cards[:1])
    assert isinstance(decide(played.now, reveal, now=played.hand.at), Refusal)


def test_legal_actions_are_shown_to_the_seat_to_act_alone() -> None:
    played = Played(Game.HOLDEM, 3)
    played.deal()
    for viewer in range(4):
        assert (played.view(viewer).legal is not None) is (viewer == played.to_act)


def test_the_pots_hold_all_that_was_put_in() -> None:
    """P9: stacks and pots are what was bought in, in every view of a hand in progress."""
    for played in random_hands(Game.HOLDEM, 60, seed=4):
        view = played.view(SPECTATOR)
        bought = sum(account.bought for account in played.now.accounts.values())
        assert sum(seat.stack for seat in view.seats) + sum(pot.amount for pot in view.pots) == bought


def test_an_all_in_divides_the_standing_pot() -> None:
    """P3, P4: chips that a short stack did not match are played for by the others."""
    played = Played(Game.HOLDEM, 2, min_buy_in=10)
    played.join(3, stack=10)
    played.deal()
    while played.to_act != 3:
        played.act(RaiseTo, Chips(30)) if played.hand.bet == 2 else played.act(Call)
    played.act(AllIn)
    pots = played.view(SPECTATOR).pots
    assert [set(pot.eligible) for pot in pots] == [{1, 2, 3}, {1, 2}]
    assert sum(pot.amount for pot in pots) == sum(played.hand.contributions)


def test_a_seats_state_tells_what_it_does() -> None:
    played = Played(Game.HOLDEM, 3)

    def states() -> list[SeatState]:
        return [seat.state for seat in played.view(SPECTATOR).seats]

    assert states() == [SeatState.WAITING] * 3
    played.deal()
    first = played.to_act
    played.act(Fold)
    assert states()[first - 1] is SeatState.FOLDED
    second = played.to_act
    played.act(AllIn)
    assert states()[second - 1] is SeatState.ALL_IN
    played.join(4)
    assert states()[3] is SeatState.WAITING


def test_a_view_is_the_same_from_a_replica_without_vault_and_foreign_cards() -> None:
    """A feed folds what it may read; what is public in it suffices for every view but the owners'."""
    for played in random_hands(Game.DRAW, 20, seed=5):
        copy = played.now.copy()
        assert copy.hand is not None
        copy.hand.deck = ()
        copy.hand.cards = [()] * len(copy.hand.cards)
        assert view_of(copy, SPECTATOR) == played.view(SPECTATOR)


def test_each_event_is_shown_to_its_audience() -> None:
    """The design's law: an event is shown whole or not at all."""
    private = {cls for cls in get_args(Event) if cls.AUDIENCE is Audience.OWN_SEAT}
    assert private == {HoleCardsDealt, CardsReplaced}
    events = [event for played in random_hands(Game.DRAW, 6, seed=6) for event in played.events]
    for event in events:
        for viewer in range(7):
            own = viewer != 0 and getattr(event, "seat", None) == viewer
            expected = {Audience.EVERYBODY: True, Audience.OWN_SEAT: own, Audience.NOBODY: False}
            assert sees(event, Seat(viewer)) is expected[event.AUDIENCE]


def test_public_events_hold_no_card_but_the_board_and_what_is_turned_up() -> None:
    """Fields of type Card appear in public events only where the rules turn cards up."""
    with_cards = {
        cls.__name__
        for cls in get_args(Event)
        if cls.AUDIENCE is Audience.EVERYBODY and any("Card" in str(field.type) for field in fields(cls))
    }
    assert with_cards == {"StreetStarted", "CardsShown"}
    assert all(is_dataclass(cls) for cls in get_args(Event))


def parse_deck(text: str) -> tuple[Card, ...]:
    """A deck that starts with the cards named."""
    first = parse_cards(text)
    return first + tuple(card for card in FULL_DECK if card not in first)
