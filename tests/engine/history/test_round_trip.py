"""Exported hands: PHH that replays to the same result, and nothing in it or in the text that must stay secret."""

import re
import tomllib

import pytest

from engine.cards import Card, text_of
from engine.events import (
    CardsReplaced,
    CardsShown,
    HoleCardsDealt,
    PotAwarded,
    StreetStarted,
    UncalledBetReturned,
)
from engine.game import Game
from engine.history.finished import FinishedHand, finishing_stacks, seen_by
from engine.history.phh import phh_text, phhs_text
from engine.history.text import histories_text, history_text
from engine.replay.compare import Report, Status, report_on
from engine.replay.phh import read_phh, read_phhs
from engine.units import NOBODY, Chips, Seat
from tests.engine.history.random_salon import finished_hands

CARD = re.compile(r"[2-9TJQKA][cdhs]")
GAMES = pytest.mark.parametrize("game", Game)
SEEDS = pytest.mark.parametrize("seed", range(6))
HANDS = 20


def result(hand: FinishedHand) -> Report:
    """How the engine's own hand came out, by the numbers of the players in PHH."""
    player = {seat: Seat(place) for place, seat in enumerate(hand.started.seats, 1)}
    won: dict[Seat, Chips] = {}
    for pot in hand.of(PotAwarded):
        for seat, share in zip(pot.winners, pot.shares, strict=True):
            won[player[seat]] = Chips(won.get(player[seat], 0) + share)
    return Report(
        "",
        "",
        Status.OK,
        {player[seat]: chips for seat, chips in finishing_stacks(hand).items()},
        dict(sorted(won.items())),
        {player[event.seat]: event.amount for event in hand.of(UncalledBetReturned)},
    )


def public_cards(hand: FinishedHand, viewer: Seat = NOBODY) -> set[str]:
    """What everybody saw in the end, and what `viewer` held."""
    cards: set[Card] = set()
    for event in hand.events:
        match event:
            case StreetStarted() | CardsShown():
                cards |= set(event.cards)
            case HoleCardsDealt() if event.seat == viewer:
                cards |= set(event.cards)
            case CardsReplaced() if event.seat == viewer:
                cards |= {*event.discards, *event.cards}
            case _:
                pass
    return {text_of(card) for card in cards}


@GAMES
@SEEDS
def test_exported_phh_replays_to_the_same_result(game: Game, seed: int) -> None:
    """Dead buttons and blinds, short stacks, side pots, mucked hands and reveals are among them."""
    for hand in finished_hands(game, seed, HANDS):
        for exported in (hand, seen_by(hand), seen_by(hand, hand.started.seats[0])):
            text = phh_text(exported)
            assert report_on(read_phh("", "", text)) == result(hand), text
            bare = re.sub(r"(?m)^finishing_stacks = .*\n", "", text)
            again = report_on(read_phh("", "", bare))
            assert again.status is Status.PLAYED
            assert (again.finish, again.won) == (result(hand).finish, result(hand).won), text


@GAMES
@SEEDS
def test_no_export_holds_a_card_that_its_reader_may_not_see(game: Game, seed: int) -> None:
    """S4-S5, D10, D18: folded and mucked hands and discards are in an operator's full export alone."""
    for hand in finished_hands(game, seed, HANDS):
        for viewer in (NOBODY, *hand.started.seats):
            seen = seen_by(hand, viewer)
            for text in (phh_text(seen), history_text(seen)):
                assert set(CARD.findall(text)) <= public_cards(hand, viewer), text


@GAMES
def test_operator_exports_every_private_card(game: Game) -> None:
    """S4: a full export is an operator's."""
    for hand in finished_hands(game, 3, HANDS):
        full = seen_by(hand, reveal_all=True)
        assert full == hand
        private = {text_of(card) for event in hand.of(HoleCardsDealt) for card in event.cards}
        private |= {text_of(card) for event in hand.of(CardsReplaced) for card in event.discards}
        for text in (phh_text(full), history_text(full)):
            assert private <= set(CARD.findall(text))


@GAMES
def test_several_hands_make_one_file(game: Game) -> None:
    hands = list(finished_hands(game, 5, 4))
    text = phhs_text(hands)
    assert [table["hand"] for table in tomllib.loads(text).values()] == [hand.started.hand for hand in hands]
    assert [report_on(hand).status for hand in read_phhs("", text)] == [Status.OK] * len(hands)
    assert histories_text(hands).count("*** SUMMARY ***") == len(hands)
