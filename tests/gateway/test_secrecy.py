"""Secrecy: no viewer is ever sent a card that he was not shown, in whatever place of whatever message."""

from typing import Any

import pytest

from bots.explanation import Explanation
from cluster.codec.messages import record_to_message, view_to_message
from cluster.codec.updates import encoded, step_update
from cluster.envelope import Epoch, Seq
from cluster.journal.explained import explained
from cluster.watching.admission import Ticket
from cluster.watching.replica import Step
from croupier.v1 import salon_pb2
from engine.cards import FULL_DECK, Card, text_of
from engine.commands import Draw
from engine.events import CardsShown, HoleCardsDealt
from engine.game import Game
from engine.table import Table
from engine.units import NOBODY, HandNumber, Millis, PlayerId, Seat
from engine.view import sees, view_of
from tests.cluster.salons import SALON, join
from tests.gateway.parlour import Eyes, Parlour

GAMES = pytest.mark.parametrize("game", list(Game))
PLAYERS = ("ann", "bob", "cid", "dan")
_STRING_OF_TWO = b"\x02"
_TOLD = b"<%b>"
"""How a card stands in an explanation of these tests, so that no other bytes are taken for one."""


def cards_in(raw: bytes) -> set[Card]:
    """Every card whose text stands anywhere in the bytes as a string of its own, or in an explanation, in whatever field."""
    texts = {card: text_of(card).encode() for card in FULL_DECK}
    return {card for card, text in texts.items() if _STRING_OF_TWO + text in raw or _TOLD % text in raw}


def outspoken(table: Table) -> Explanation:
    """What nobody may read who may not see the mover's cards: it names them in every text that it has."""
    assert table.hand is not None
    own = "".join(f"<{text_of(card)}>" for card in table.hand.cards[table.hand.to_act])
    return Explanation(
        f"holds {own}",
        ranges=f"anything but {own}",
        equity=0.5,
        mix=((f"bet with {own}", 1.0),),
        lot=0.5,
        path=own,
        fallback=own,
    )


async def act(parlour: Parlour) -> None:
    """A turn: some fold, and some draw, so that there are folded cards and discards to keep."""
    table = parlour.table()
    assert table.hand is not None
    view = view_of(table, table.hand.to_act)
    player = table.players[table.hand.to_act]
    assert player is not None
    assert view.legal is not None
    if view.legal.draw:
        discards = table.hand.cards[table.hand.to_act][: parlour.rng.randrange(4)]
        await parlour.done(Draw(player.player, view.hand, view.turn, discards))
    else:
        await parlour.act(fold=parlour.rng.random() < 0.1)


def face_up(table: Table) -> set[Card]:
    """The cards of the table's hand that everybody at the table has seen."""
    assert table.hand is not None
    return {*table.hand.board, *(card for shown in table.hand.shown for card in shown)}


class Watch:
    """What one viewer was sent, and what he has been granted in the hand so far.

    Who is `late` is granted nothing of the hand that is being played.
    """

    def __init__(self, parlour: Parlour, eyes: Eyes, player: str, *, late: bool = False) -> None:
        self.parlour = parlour
        self.eyes = eyes
        self.player = PlayerId(player)
        self.late = late
        self.granted: set[Card] = set()
        self.looked = len(eyes.raw)

    def look(self) -> None:
        """Check what came since the last look."""
        table = self.parlour.table()
        hand = table.hand
        if hand is not None and not self.late:
            seat = table.seat_of.get(self.player, NOBODY)
            self.granted |= face_up(table)
            if seat:
                self.granted |= set(hand.cards[seat])
        for raw in self.eyes.raw[self.looked :]:
            leaked = cards_in(raw) - self.granted
            assert not leaked, (
                f"{self.player or 'a spectator'} was sent {len(leaked)} cards that were not his"
            )
        self.looked = len(self.eyes.raw)


def test_the_scan_finds_a_card_wherever_it_stands() -> None:
    raw = salon_pb2.RevealRequest(cards=["As", "2c"]).SerializeToString()
    assert {text_of(card) for card in cards_in(raw)} == {"As", "2c"}


@GAMES
@pytest.mark.parametrize("delay", [0, 1])
async def test_no_message_of_any_stream_has_a_card_that_was_not_granted(game: Game, delay: int) -> None:
    """S3, S4, S5, D10, D18; the hands go to showdowns, to folds, and past leavers, with everybody watching."""
    parlour = Parlour()
    parlour.thinks = outspoken
    await parlour.open(game, between_hands=1_000, spectator_delay=delay, hand_limit=1_000)
    await parlour.seat(*PLAYERS)
    watches = [Watch(parlour, await parlour.watch(player), player) for player in PLAYERS]
    watches.append(Watch(parlour, await parlour.watch("eve"), "eve", late=bool(delay)))
    released: set[Card] = set()
    for number in range(12):
        for watch in watches:
            watch.granted = set(released) if watch.late else set()
        await parlour.deal()
        for watch in watches:
            watch.look()
        while (hand := parlour.table().hand) is not None and not hand.over:
            await act(parlour)
            for watch in watches:
                watch.look()
        new = Watch(parlour, await parlour.watch("fay"), "fay", late=bool(delay))
        new.looked = 0
        new.granted = watches[-1].granted
        new.look()
        assert number or watches[0].granted
        released = face_up(parlour.table())
    assert any(cards_in(raw) for raw in watches[-1].eyes.raw), "a spectator is shown what is old enough"


@GAMES
async def test_no_view_and_no_history_has_a_card_that_its_reader_was_not_shown(game: Game) -> None:
    """Explanations count as cards: they name those that the bot held."""
    parlour = Parlour()
    parlour.thinks = outspoken
    explanations = 0
    await parlour.open(game, between_hands=1_000, hand_limit=1_000)
    await parlour.seat(*PLAYERS)
    for _ in range(12):
        await parlour.deal()
        dealt: dict[Seat, set[Card]] = {Seat(seat): set() for seat in range(5)}
        while (hand := parlour.table().hand) is not None and not hand.over:
            for seat, cards in dealt.items():
                cards.update(hand.cards[seat])
                view = view_of(parlour.table(), seat)
                raw = view_to_message(view, SALON, Millis(1), epoch=Epoch(1), seq=Seq(1)).SerializeToString()
                public = {*hand.board, *(card for shown in hand.shown for card in shown)}
                assert cards_in(raw) <= cards | public
            await act(parlour)
        record = await parlour.journal.hand(SALON, parlour.table().hand_number)
        assert record is not None
        table = parlour.table()
        assert table.hand is not None
        public = set(table.hand.board)
        public |= {card for event in record.events if isinstance(event, CardsShown) for card in event.cards}
        for seat, cards in dealt.items():
            visible = tuple(event for event in record.events if sees(event, seat))
            notes = explained(record, operator=False)
            explanations += len(notes)
            raw = record_to_message(record, visible, notes).SerializeToString()
            assert cards_in(raw) <= cards | set(table.hand.cards[seat]) | public
    assert explanations, "a showdown explains"


@GAMES
async def test_the_scan_finds_an_explanation_that_its_reader_may_not_have(game: Game) -> None:
    """The control: an operator's explanations name cards that were folded, and with no filter anybody's would."""
    parlour = Parlour()
    parlour.thinks = outspoken
    await parlour.open(game, between_hands=1_000, hand_limit=1_000)
    await parlour.seat(*PLAYERS)
    await parlour.play_hand(fold=True)
    record = await parlour.journal.hand(SALON, HandNumber(1))
    assert record is not None
    public = tuple(event for event in record.events if sees(event, NOBODY))
    assert not cards_in(record_to_message(record, public).SerializeToString())
    assert explained(record, operator=False) == ()
    leaked = record_to_message(record, public, explained(record, operator=True)).SerializeToString()
    assert len(cards_in(leaked)) >= 3 * (5 if game is Game.DRAW else 2)


def test_what_a_viewer_may_not_see_comes_as_a_bare_seq() -> None:
    """Nothing of today's log is wholly hidden; a step whose events are all another's says nothing but its number."""
    dealt = HoleCardsDealt(Seat(1), (Card(0), Card(1)))
    ann = PlayerId("ann")
    step = Step(Epoch(3), Seq(4), Millis(5), HandNumber(1), (dealt,), (), {ann: (dealt,)}, None, frozenset())
    (bare,) = salon_pb2.PlayResponse.FromString(step_update(SALON, step, encoded(step.public), None)).updates
    assert (bare.epoch, bare.seq, bare.WhichOneof("content")) == (3, 4, None)
    own = step_update(SALON, step, encoded(step.seen_by(ann)), None)
    assert cards_in(own) == {Card(0), Card(1)}


async def test_a_seat_that_changes_hands_shows_its_new_holder_nothing_of_the_old() -> None:
    parlour = Parlour()
    await parlour.open(between_hands=1_000)
    await parlour.seat("ann", "bob", "cid")
    await parlour.deal()
    eyes = Eyes()
    answer: Any = await parlour.feed.watch(SALON, Ticket(PlayerId("eve")), eyes)
    assert answer.seated is False
    await parlour.done(join("eve", 4))
    table = parlour.table()
    assert table.hand is not None
    held = {card for cards in table.hand.cards for card in cards}
    assert not {card for raw in eyes.raw for card in cards_in(raw)} & held
