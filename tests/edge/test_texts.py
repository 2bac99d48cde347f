"""What people read: a table in words, settings on a command line, hands a second."""

from pathlib import Path

import pytest
from rich.console import Console

from cluster.commands.board import Rate
from cluster.commands.demo import DEMO_SALONS
from cluster.commands.play_words import HELP_TEXT
from cluster.commands.salon_settings import parse_bots, parse_game, parse_settings
from cluster.commands.salons import salons_table
from cluster.commands.table_text import DEEDS, Names, legal_line, sentences, table_lines
from cluster.commands.terminal import Misused, command
from cluster.commands.watch import is_over
from croupier.v1.event_pb2 import (
    Event,
    Folded,
    HoleCardsDealt,
    PlayerSeated,
    PotAwarded,
    Raised,
    SalonEnded,
)
from croupier.v1.lobby_pb2 import SalonRow
from croupier.v1.settings_pb2 import BOT_LEVEL_HARD, BOT_STYLE_TIGHT, GAME_DRAW, SalonSettings
from croupier.v1.turn_pb2 import LegalActions
from croupier.v1.view_pb2 import (
    END_CAUSE_CLOSED,
    SEAT_STATE_FOLDED,
    SEAT_STATE_LIVE,
    PotView,
    SalonView,
    SeatView,
)
from croupier.v1.watch_pb2 import Commit, SalonUpdate


def test_events_are_told_with_names_and_totals() -> None:
    names = Names()
    names.own = 2
    seated = Event(player_seated=PlayerSeated(seat=1, name="Ada", stack=200, level=BOT_LEVEL_HARD))
    assert sentences(seated, names) == ["Ada sits down with 200 (hard bot)"]
    assert sentences(Event(raised=Raised(seat=1, amount=40, to=60)), names) == ["Ada: raise to 60"]
    assert sentences(Event(folded=Folded(seat=2)), names) == ["you: fold"]
    assert sentences(Event(folded=Folded(seat=5)), names) == ["seat 5: fold"]
    dealt = Event(hole_cards_dealt=HoleCardsDealt(seat=2, cards=["As", "Kd"]))
    assert sentences(dealt, names) == ["your cards: As Kd"]
    split = Event(pot_awarded=PotAwarded(index=1, amount=9, winners=[1, 2], shares=[5, 4]))
    assert sentences(split, names) == ["Ada wins 5 from side pot 1", "you win 4 from side pot 1"]
    assert sentences(Event(), names) == []


def test_every_deed_is_an_event_with_a_seat() -> None:
    events = {field.name: field.message_type for field in Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    for name in DEEDS:
        kind = events[name]
        assert kind is not None
        assert "seat" in kind.fields_by_name


def test_every_event_is_told_or_left_out_without_a_fault() -> None:
    """An empty message of each kind, which is also what an unknown field of a later server leaves behind."""
    for field in Event.DESCRIPTOR.oneofs_by_name["event"].fields:
        event = Event()
        getattr(event, field.name).SetInParent()
        assert all(isinstance(line, str) for line in sentences(event, Names()))


@pytest.mark.parametrize(
    "legal,line",
    [
        (LegalActions(fold=True, call=4, raise_min=8, raise_max=90, all_in=90), "fold (f), call 4 (c), raise to 8-90 (r AMOUNT), all-in to 90 (a)"),
        (LegalActions(fold=True, check=True, bet_min=4, bet_max=4), "fold (f), check (k), bet to 4 (b 4)"),
        (LegalActions(draw=True, draw_max=3), "exchange up to 3 cards (d 1 3, or d Kh 3c; d alone keeps all)"),
    ],
)  # fmt: skip
def test_legal_actions_are_told_with_their_keys(legal: LegalActions, line: str) -> None:
    assert legal_line(legal) == line


def test_table_shows_seats_pot_and_board() -> None:
    view = SalonView(
        salon_id="s1",
        viewer=1,
        hand=7,
        in_hand=True,
        board=["2c", "3d", "4h"],
        pots=[PotView(amount=30), PotView(amount=5)],
        button=2,
        to_act=1,
        seats=[
            SeatView(seat=1, name="Ada", stack=90, bet=10, cards=["As", "Kd"], state=SEAT_STATE_LIVE),
            SeatView(seat=2, name="Bot", level=BOT_LEVEL_HARD, stack=50, state=SEAT_STATE_FOLDED),
        ],
    )
    lines = table_lines(view)
    assert "hand 7" in lines[0]
    assert "pot 35" in lines[0]
    assert lines[1:] == [
        "board: 2c 3d 4h",
        "  seat 1 you: stack 90, bet 10, to act, cards As Kd",
        "  seat 2 Bot: hard bot, stack 50, folded, button",
    ]


def test_end_of_a_salon_is_told_and_known() -> None:
    over = SalonUpdate(snapshot=SalonView(salon_id="s1", over=True))
    assert table_lines(over.snapshot)[-1] == "the salon is over"
    assert is_over(over)
    assert is_over(SalonUpdate(commit=Commit(events=[Event(salon_ended=SalonEnded())])))
    closing = SalonUpdate(snapshot=SalonView(salon_id="s1", closing=END_CAUSE_CLOSED))
    assert table_lines(closing.snapshot)[-1] == "the salon closes: no hand starts any more"
    assert not is_over(closing)
    assert not is_over(SalonUpdate(commit=Commit(events=[Event(folded=Folded(seat=1))])))
    assert not is_over(SalonUpdate())


DEMO_ROW = SalonRow(
    salon_id="kgign3djarktwsdbkd72", game=GAME_DRAW, small_bet=10, big_bet=20, ante=5, seats=6, bots=3, hand=99999
)  # fmt: skip


def shown_at(width: int, row: SalonRow) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(salons_table([row]))
    return capture.get()


def test_salons_fit_a_terminal_of_80_columns() -> None:
    shown = shown_at(80, DEMO_ROW)
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown
    assert [line.split() for line in shown.splitlines()] == [
        ["salon", "game", "stakes", "people", "bots", "free", "hand", "state"],
        ["kgign3djarktwsdbkd72", "draw", "10/20", "ante", "5", "0", "3", "3", "99999", "waiting"],
    ]


@pytest.mark.parametrize("width", [80, 60, 40, 20])
def test_salon_id_is_never_cut(width: int) -> None:
    row = SalonRow(salon_id="kgign3djarktwsdbkd72", small_blind=500_000_000, big_blind=10**9, ante=10**9)
    assert row.salon_id in shown_at(width, row)


def test_help_fits_a_terminal_of_80_columns() -> None:
    assert max(map(len, HELP_TEXT.splitlines())) < 80


def test_program_is_named_as_it_can_be_called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "croupier"
    program.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("PATH", "/nowhere")
    assert command() == str(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command() == "croupier"
    monkeypatch.setattr("sys.argv", ["/somewhere/pytest"])
    assert command() == "croupier"


def test_settings_are_read_by_their_types() -> None:
    settings = parse_settings(
        "draw", ["small_bet=5", "big-bet=10", "all_in=on", "bot_speed=fast", "hand_limit=1_000"]
    )
    want = SalonSettings(game=GAME_DRAW, small_bet=5, big_bet=10, all_in=True, bot_speed=2, hand_limit=1000)  # type: ignore[arg-type]  # an enum by its number
    assert settings == want


def test_bots_are_levels_with_styles() -> None:
    first, second = parse_bots("hard:tight, easy")
    assert (first.level, first.style) == (BOT_LEVEL_HARD, BOT_STYLE_TIGHT)
    assert second.style == 0


@pytest.mark.parametrize(
    "pair", ["ante", "anty=1", "ante=much", "all_in=perhaps", "bot_speed=warp", "seats=99999999999"]
)
def test_what_is_no_setting_is_refused(pair: str) -> None:
    with pytest.raises(Misused, match=pair.partition("=")[0]):
        parse_settings("holdem", [pair])


def test_setting_without_a_value_or_with_a_slip_says_what_is_meant() -> None:
    with pytest.raises(Misused, match="big_blind=VALUE"):
        parse_settings("holdem", ["big_blind"])
    with pytest.raises(Misused, match="did you mean big_blind"):
        parse_settings("holdem", ["big_blnd=4"])


def test_game_that_could_be_either_is_refused() -> None:
    with pytest.raises(Misused, match="holdem or draw"):
        parse_game("poker")


def test_demo_salons_can_be_asked_for_and_have_every_level_of_both_games() -> None:
    levels = set()
    for salon in DEMO_SALONS:
        settings = parse_settings(salon.game, list(salon.settings))
        assert settings.plays_unwatched
        levels |= {(settings.game, bot.level) for bot in parse_bots(salon.bots)}
    assert len(levels) == 6


def test_rate_counts_hands_of_the_salons_that_were_there_before() -> None:
    rate = Rate()
    assert rate.count([SalonRow(salon_id="a", hand=5)], 0.0) == 0.0
    assert rate.count([SalonRow(salon_id="a", hand=9), SalonRow(salon_id="b", hand=100)], 2.0) == 2.0
    assert rate.count([SalonRow(salon_id="b", hand=104)], 4.0) == 0.0
