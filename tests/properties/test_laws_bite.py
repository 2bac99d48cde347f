"""Every law is seen to fail: the engine is broken in one place, and walks go on until that law says so.

A breakage replaces one name inside the engine for one test; nothing on disk changes.
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine import apply, betting, button, drawing, moves, play, record, settlement, showdown, view
from engine.betting import live_seats, terms
from engine.commands import Sweep
from engine.decide import RULES
from engine.draft import Draft
from engine.events import (
    CardsDrawn,
    CardsReplaced,
    CardsShown,
    HandVoided,
    HoleCardsDealt,
    PotAwarded,
    SalonEnded,
    Shown,
    StreetStarted,
    TimeoutsCleared,
)
from engine.game import Game, Street
from engine.hand import Hand
from engine.pots import split
from engine.refusals import Reason, Refusal, refuse
from engine.table import Table
from engine.units import NOBODY, Chips, Seat
from tests.properties import laws, walk
from tests.properties.stakes import random_settings
from tests.properties.walk import Walk

Patch = pytest.MonkeyPatch
WALKS = 150
STEPS = 200


def fails(game: Game, first: int) -> str:
    """The message of the first law that fails on random walks, "" if none does; `first` is the walk to begin with."""
    for seed in (*range(first, WALKS), *range(first)):
        rng = Random(f"{game} broken {seed}")
        try:
            walked = Walk(random_settings(rng, game), rng)
            for _ in range(STEPS):
                walked.step()
            walked.end()
        except AssertionError as failure:
            return str(failure)
    return ""


def _terms(patch: Patch, broken: Callable[[Hand, list[Chips], Seat], betting.Terms]) -> None:
    patch.setattr(betting, "terms", broken)
    patch.setattr(moves, "terms", broken)


def lose_odd_chips(patch: Patch) -> None:
    patch.setattr(showdown, "split", lambda amount, winners: (amount // len(winners),) * len(winners))


def odd_chips_to_the_last(patch: Patch) -> None:
    patch.setattr(showdown, "split", lambda amount, winners: split(amount, winners)[::-1])


def give_a_discard_back(patch: Patch) -> None:
    def draw(draft: Draft, seat: Seat, discards: tuple[Any, ...]) -> None:
        draft.emit(CardsDrawn(seat, len(discards)))
        if discards:
            draft.emit(CardsReplaced(seat, discards, discards))

    patch.setattr(play, "draw", draw)


def deal_all_cards_at_once(patch: Patch) -> None:
    def begin(draft: Draft) -> None:
        hand = draft.table.hand
        assert hand is not None
        size = hand.rules.hole_cards
        for place, seat in enumerate(hand.seats):
            draft.emit(HoleCardsDealt(seat, hand.deck[place * size : place * size + size]))
        play._proceed(draft, betting.before_first(hand))

    patch.setattr(play, "begin", begin)


def let_every_short_all_in_reopen(patch: Patch) -> None:
    def reopened(hand: Hand, stacks: list[Chips], seat: Seat) -> betting.Terms:
        twin = hand.copy()
        twin.matched = [Chips(-1)] * len(hand.matched)
        return terms(twin, stacks, seat)

    _terms(patch, reopened)


def offer_raises_that_nobody_can_answer(patch: Patch) -> None:
    def offered(hand: Hand, stacks: list[Chips], seat: Seat) -> betting.Terms:
        twin = hand.copy()
        twin.rules = replace(hand.rules, unanswerable_raises=True)
        return terms(twin, stacks, seat)

    _terms(patch, offered)


def owe_a_short_big_blind_as_it_is(patch: Patch) -> None:
    def owed(hand: Hand, stacks: list[Chips], seat: Seat) -> betting.Terms:
        due, low, high = terms(hand, stacks, seat)
        return Chips(min(due, max(hand.bets))), low, high

    _terms(patch, owed)


def round_half_a_bet_down(patch: Patch) -> None:
    patch.setattr(betting, "level", lambda bet, unit: bet // unit)


def forget_the_raise_unit(patch: Patch) -> None:
    def lift(hand: Hand, seat: Seat, to: Chips) -> None:
        hand.bet, hand.aggressor = to, seat

    patch.setattr("engine.apply_hand._lift", lift)


def refuse_a_draw_of_three(patch: Patch) -> None:
    patch.setattr(drawing, "MOST_DISCARDS", 2)


def work_on_the_given_table(patch: Patch) -> None:
    patch.setattr(Table, "copy", lambda self: self)


def end_without_being_over(patch: Patch) -> None:
    def ended(table: Table, event: SalonEnded) -> None:
        table.closing, table.over_at = event.cause, event.at

    patch.setitem(apply.EVENTS, SalonEnded, ended)


def sweep_nothing(patch: Patch) -> None:
    patch.setitem(
        RULES,
        Sweep,
        lambda *_: refuse(Reason.NOT_READY, "sweep refused: nothing is ever due"),
    )


def change_without_an_event(patch: Patch) -> None:
    def own_action(draft: Draft, _hand: Hand, _seat: Seat) -> None:
        draft.table.hands_dealt += 1

    patch.setattr(play, "_own_action", own_action)


def change_in_private(patch: Patch) -> None:
    honest = apply.EVENTS[CardsReplaced]

    def replaced(table: Table, event: CardsReplaced) -> None:
        honest(table, event)
        assert table.hand is not None
        table.hand.raises += 1

    patch.setitem(apply.EVENTS, CardsReplaced, replaced)


def misread_a_call(patch: Patch) -> None:
    honest = record._EVENTS.read["Called"]
    patch.setitem(record._EVENTS.read, "Called", lambda plain: replace(honest(plain), to=Chips(plain[3] + 1)))


def split_pots_at_folded_levels(patch: Patch) -> None:
    def layered(hand: Hand) -> tuple[tuple[Chips, tuple[Seat, ...]], ...]:
        put_in = {seat: hand.contributions[seat] for seat in hand.seats}
        pots, below = [], 0
        for top in sorted(set(put_in.values())):
            amount = sum(min(chips, top) - below for chips in put_in.values() if chips > below)
            eligible = tuple(seat for seat in live_seats(hand) if put_in[seat] >= top)
            pots.append((Chips(amount), eligible or live_seats(hand)))
            below = top
        return tuple(pots)

    patch.setattr(showdown, "pots", layered)


def rank_all_hands_alike(patch: Patch) -> None:
    patch.setattr(showdown, "_strength", lambda _hand, _seat: 1)


def keep_an_uncalled_bet(patch: Patch) -> None:
    patch.setattr(showdown, "uncalled_bet", lambda _hand: (NOBODY, Chips(0)))


def number_the_pots_wrongly(patch: Patch) -> None:
    patch.setattr(showdown, "PotAwarded", lambda index, *rest: PotAwarded(index + 1, *rest))


def show_beaten_hands(patch: Patch) -> None:
    def show_all(draft: Draft) -> None:
        hand = draft.table.hand
        assert hand is not None
        for seat in showdown._showing_order(hand):
            draft.emit(CardsShown(seat, hand.cards[seat], Shown.SHOWDOWN))

    patch.setattr(play, "show_down", show_all)


def show_from_the_button_on(patch: Patch) -> None:
    patch.setattr(showdown, "_showing_order", live_seats)


def hide_all_in_hands(patch: Patch) -> None:
    patch.setattr(play, "someone_is_all_in", lambda *_: False)


def _when_one_is_left(patch: Patch, happens: Callable[[Draft, Hand, Seat], None]) -> None:
    honest = showdown.award

    def award(draft: Draft) -> None:
        hand = draft.table.hand
        assert hand is not None
        if len(live_seats(hand)) == 1:
            happens(draft, hand, live_seats(hand)[0])
        honest(draft)

    patch.setattr(play, "award", award)


def show_a_sole_survivor(patch: Patch) -> None:
    _when_one_is_left(
        patch, lambda draft, hand, seat: draft.emit(CardsShown(seat, hand.cards[seat], Shown.SHOWDOWN))
    )


def deal_on_for_a_sole_survivor(patch: Patch) -> None:
    _when_one_is_left(patch, lambda draft, _hand, _seat: draft.emit(StreetStarted(Street.RIVER, ())))


def start_left_of_the_small_blind(patch: Patch) -> None:
    patch.setattr(play, "before_first", lambda hand: hand.seats[0])


def show_every_card_in_views(patch: Patch) -> None:
    patch.setattr(view, "_cards", lambda hand, seat, _viewer: hand.cards[seat])


def send_hole_cards_to_all(patch: Patch) -> None:
    patch.setattr(laws, "sees", lambda _event, _viewer: True)


def keep_a_draw_from_its_owner(patch: Patch) -> None:
    patch.setattr(
        walk, "sees", lambda event, viewer: view.sees(event, viewer) and not isinstance(event, CardsReplaced)
    )


def tell_of_the_next_card_by_an_event(patch: Patch) -> None:
    def own_action(draft: Draft, hand: Hand, seat: Seat) -> None:
        if hand.deck[hand.dealt] % 2 or draft.table.timeouts[seat]:
            draft.emit(TimeoutsCleared(seat))

    patch.setattr(play, "_own_action", own_action)


def tell_of_the_next_card_in_a_refusal(patch: Patch) -> None:
    honest = moves.illegal

    def illegal(table: Table, text: str, **numbers: int) -> Refusal:
        assert table.hand is not None
        return honest(table, f"{text} {table.hand.deck[table.hand.dealt]}", **numbers)

    patch.setattr(moves, "illegal", illegal)
    patch.setattr(play, "illegal", illegal)


def deal_in_who_cannot_cover(patch: Patch) -> None:
    patch.setattr(button, "least_stack", lambda _settings: 1)
    patch.setattr(settlement, "chips_needed", lambda _settings, stack: Chips(0 if stack else 1))


def keep_the_chips_of_a_void_hand(patch: Patch) -> None:
    honest = apply.EVENTS[HandVoided]

    def voided(table: Table, event: HandVoided) -> None:
        assert table.hand is not None
        table.hand.contributions = [Chips(0)] * len(table.stacks)
        honest(table, event)

    patch.setitem(apply.EVENTS, HandVoided, voided)


HOLDEM, DRAW = Game.HOLDEM, Game.DRAW


RARE: dict[Callable[[Patch], None], int] = {
    lose_odd_chips: 85,
    odd_chips_to_the_last: 85,
    let_every_short_all_in_reopen: 45,
    keep_the_chips_of_a_void_hand: 35,
    hide_all_in_hands: 20,
}
"""Breakages that many walks do not come upon: the number of one that does, or of one a few before it."""


@pytest.mark.parametrize(
    "law, game, breakage",
    [
        ("P9", HOLDEM, lose_odd_chips),
        ("P9", HOLDEM, keep_the_chips_of_a_void_hand),
        ("P5", HOLDEM, odd_chips_to_the_last),
        ("one card", DRAW, give_a_discard_back),
        ("C1", DRAW, deal_all_cards_at_once),
        ("offers", HOLDEM, let_every_short_all_in_reopen),
        ("offers", HOLDEM, offer_raises_that_nobody_can_answer),
        ("offers", HOLDEM, owe_a_short_big_blind_as_it_is),
        ("offers", HOLDEM, forget_the_raise_unit),
        ("offers", DRAW, round_half_a_bet_down),
        ("offers", DRAW, refuse_a_draw_of_three),
        ("N21", HOLDEM, work_on_the_given_table),
        ("end", HOLDEM, end_without_being_over),
        ("alarm", HOLDEM, sweep_nothing),
        ("fold", HOLDEM, change_without_an_event),
        ("public", DRAW, change_in_private),
        ("record", HOLDEM, misread_a_call),
        ("P1", HOLDEM, split_pots_at_folded_levels),
        ("P7", HOLDEM, number_the_pots_wrongly),
        ("P4", HOLDEM, rank_all_hands_alike),
        ("N17", HOLDEM, keep_an_uncalled_bet),
        ("S1", HOLDEM, show_from_the_button_on),
        ("S3", HOLDEM, hide_all_in_hands),
        ("S4", HOLDEM, show_beaten_hands),
        ("S5", HOLDEM, show_a_sole_survivor),
        ("P8", HOLDEM, deal_on_for_a_sole_survivor),
        ("turn order", HOLDEM, start_left_of_the_small_blind),
        ("D18", HOLDEM, show_every_card_in_views),
        ("D18", HOLDEM, send_hole_cards_to_all),
        ("view", DRAW, keep_a_draw_from_its_owner),
        ("re-deal", HOLDEM, tell_of_the_next_card_by_an_event),
        ("re-deal", HOLDEM, tell_of_the_next_card_in_a_refusal),
        ("draw coverage", DRAW, deal_in_who_cannot_cover),
    ],
)
def test_a_broken_rule_fails_its_law(
    law: str, game: Game, breakage: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    """No property passes on a rule that is broken."""
    breakage(monkeypatch)
    found = fails(game, RARE.get(breakage, 0))
    assert found.startswith(law), f"{found or 'no law'} fails in place of {law}"
