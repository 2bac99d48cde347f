"""Random legal play of both games: hands end, chips are conserved, and a replica of public events keeps up."""

import pytest
from hypothesis import given, seed
from hypothesis import settings as effort
from hypothesis import strategies as st

from engine.apply import apply, evolve
from engine.events import Audience, Event
from engine.hand import Hand
from engine.legal import LegalActions
from engine.table import Table
from engine.units import PlayerId
from tests.engine.felt import Felt, draw_poker, holdem

MOST_TURNS = 400
SECRET = {"cards", "deck"}
stacks = st.lists(st.integers(1, 300), min_size=2, max_size=6)


def a_move(legal: LegalActions, felt: Felt, draw: st.DrawFn) -> str:
    """Any legal move, at any size between its limits, or a time-out."""
    if legal.draw:
        own = felt.hand.cards[felt.turn]
        count = draw(st.integers(-1, legal.draw_max))
        if count < 0:
            return "t"
        return "d" + "".join(text(card) for card in own[:count])
    moves = ["t", "f", *["x" if legal.check else "c"] * 3]
    if legal.bet_max:
        moves.append(f"b{draw(st.integers(legal.bet_min, legal.bet_max))}")
    if legal.raise_max:
        moves.append(f"r{draw(st.integers(legal.raise_min, legal.raise_max))}")
    if legal.all_in:
        moves.append("a")
    return draw(st.sampled_from(moves))


def text(card: int) -> str:
    return "23456789TJQKA"[card // 4] + "cdhs"[card % 4]


@st.composite
def hands(draw: st.DrawFn) -> tuple[Felt, Table]:
    """A finished hand, and the table just before it."""
    chips = draw(stacks)
    ante = draw(st.integers(0, 12))
    if draw(st.booleans()):
        blind = draw(st.sampled_from([2, 10, 40]))
        felt = holdem(chips, blinds=(blind // 2, blind), ante=min(ante, blind))
    else:
        felt = draw_poker(chips, ante=min(max(ante, 1), 10), all_in=True, cap=draw(st.integers(1, 4)))
    before = Table()
    for event in felt.opening:
        evolve(before, event)
    for _ in range(MOST_TURNS):
        if not felt.turn:
            break
        seat = draw(st.sampled_from(felt.hand.seats))
        player = felt.table.players[seat]
        if draw(st.integers(0, 20)) == 0 and player and not player.leaving:
            felt.leave(seat)
        else:
            felt.play(a_move(felt.legal, felt, draw))
    return felt, before


def state(table: Table, *, public: bool) -> dict[str, object]:
    """All fields of a table and its hand; with `public` without anybody's cards and the deck."""
    fields: dict[str, object] = {name: getattr(table, name) for name in Table.__slots__ if name != "hand"}
    hand = table.hand
    if hand is not None:
        fields |= {
            f"hand.{name}": getattr(hand, name) for name in Hand.__slots__ if not (public and name in SECRET)
        }
    return fields


@seed(1)
@effort(max_examples=150, deadline=None)
@given(played=hands())
def test_random_hands_end_and_keep_every_chip(played: tuple[Felt, Table]) -> None:
    """P9: after every event; every hand ends, and what was put in is paid out (P2)."""
    felt, _ = played
    hand = felt.hand
    assert hand.over
    assert sum(amount for amount, _ in hand.pots) == sum(hand.contributions)
    assert all(amount > 0 and seats for amount, seats in hand.pots), "P3: no empty pots"
    folded = {seat for _, seat, kind, _ in hand.history if kind == "fold"}
    assert not any(folded.intersection(seats) for _, seats in hand.pots), "P4: who folded can win nothing"
    assert len({seats for _, seats in hand.pots}) == len(hand.pots), "P3: equal eligibility is one pot"


def replay(before: Table, events: list[Event]) -> Table:
    for event in events:
        before = apply(before, event)
    return before


@seed(2)
@effort(max_examples=60, deadline=None)
@given(played=hands())
def test_replaying_the_events_gives_the_same_table(played: tuple[Felt, Table]) -> None:
    """V1, the law of the engine: decided and replayed are the same, to the last field."""
    felt, before = played
    assert state(replay(before, felt.events), public=False) == state(felt.table, public=False)


@seed(3)
@effort(max_examples=60, deadline=None)
@given(played=hands())
def test_replica_without_deck_and_foreign_cards_is_right_about_everything_public(
    played: tuple[Felt, Table],
) -> None:
    """D18, S5: the public events alone give the same public state, and no card but those turned up."""
    felt, before = played
    public = [event for event in felt.events if event.AUDIENCE is Audience.EVERYBODY]
    replica = replay(before, public)
    assert state(replica, public=True) == state(felt.table, public=True)
    assert replica.hand is not None
    assert not any(replica.hand.cards)
    assert replica.hand.deck == ()


@pytest.mark.parametrize("share", range(4))
def test_copy_of_a_table_in_a_hand_is_independent(share: int) -> None:
    """N21: a refused or abandoned decision leaves the table as it was."""
    felt = holdem([100, 100, 100]).play(" ".join(["3:c", "1:c", "2:x", "1:b10"][: share + 1]))
    before = state(felt.table.copy(), public=False)
    kept = felt.table
    felt.play("f") if felt.turn == 1 else felt.play("r50" if share != 2 else "x")
    assert state(kept, public=False) == before
    assert kept.seat_of[PlayerId("p1")] == 1
