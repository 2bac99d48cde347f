"""The words of the line mode."""

import pytest

from cluster.commands.play_words import Unclear, Wish, Word, chosen_cards, parse


@pytest.mark.parametrize(
    "line,wish",
    [
        ("", None),
        ("   ", None),
        ("f", Wish(Word.FOLD)),
        ("FOLD", Wish(Word.FOLD)),
        ("k", Wish(Word.CHECK)),
        ("c", Wish(Word.CALL)),
        ("call", Wish(Word.CALL)),
        ("b 40", Wish(Word.BET, amount=40)),
        ("bet 1,000", Wish(Word.BET, amount=1000)),
        ("raise to 60", Wish(Word.RAISE, amount=60)),
        ("r 60", Wish(Word.RAISE, amount=60)),
        ("all in", Wish(Word.ALL_IN)),
        ("all-in", Wish(Word.ALL_IN)),
        ("d", Wish(Word.DRAW)),
        ("pat", Wish(Word.DRAW)),
        ("d 1 3", Wish(Word.DRAW, rest=("1", "3"))),
        ("draw Kh 3c", Wish(Word.DRAW, rest=("Kh", "3c"))),
        ("show", Wish(Word.REVEAL)),
        ("sit out", Wish(Word.SIT_OUT)),
        ("out", Wish(Word.SIT_OUT)),
        ("in post", Wish(Word.SIT_IN, rest=("post",))),
        ("sit in post", Wish(Word.SIT_IN, rest=("post",))),
        ("top up 200", Wish(Word.TOP_UP, amount=200)),
        ("top 200", Wish(Word.TOP_UP, amount=200)),
        ("leave", Wish(Word.LEAVE)),
        ("q", Wish(Word.QUIT)),
        ("?", Wish(Word.HELP)),
        ("t", Wish(Word.TABLE)),
    ],
)
def test_line_means(line: str, wish: Wish | None) -> None:
    assert parse(line) == wish


@pytest.mark.parametrize(
    "line,right", [("dance", "h lists what is"), ("r", "raise 60"), ("b lots", "bet 60")]
)
def test_line_that_means_nothing_says_what_would(line: str, right: str) -> None:
    with pytest.raises(Unclear, match=right):
        parse(line)


OWN = ("As", "Kd", "7h", "7c", "2s")


@pytest.mark.parametrize(
    "texts,cards",
    [
        ((), []),
        (("1", "5"), ["As", "2s"]),
        (("kd", "7H"), ["Kd", "7h"]),
        (("10c",), ["Tc"]),
        (("all",), list(OWN)),
        (("1,", "2"), ["As", "Kd"]),
    ],
)
def test_cards_are_chosen_by_position_or_name(texts: tuple[str, ...], cards: list[str]) -> None:
    """Whether a card is one's own is the server's to say (D11)."""
    assert chosen_cards(texts, OWN) == cards


@pytest.mark.parametrize("text", ["6", "0", "king"])
def test_no_card_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(Unclear, match="from 1 to 5"):
        chosen_cards((text,), OWN)
