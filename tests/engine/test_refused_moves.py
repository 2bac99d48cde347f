"""Refused moves: what the text says is what was wrong, and what would be right."""

import pytest

from tests.engine.felt import Felt, draw_poker, holdem


def capped() -> Felt:
    return draw_poker([100, 100], cap=1).play("b10 r20")


def not_reopened() -> Felt:
    """D6: A bets 10, B raises to 20, C is all-in for 23, A calls: B may not raise."""
    return draw_poker([100, 100, 24], all_in=True).play("b10 r20 a c")


@pytest.mark.parametrize(
    "felt, move, text",
    [
        (holdem([100, 100, 10], blinds=(5, 10)), "r20", "the stack does not reach beyond 10; call, or fold"),
        (holdem([100, 100, 11], blinds=(5, 10)), "r20", "it must be exactly 11"),
        (holdem([100, 100, 100], blinds=(5, 10)), "r19", "the minimum is 20"),
        (holdem([100, 100, 100], blinds=(5, 10)), "r101", "the maximum is 100"),
        (holdem([100, 100, 100], blinds=(5, 10)), "b20", "10 is bet already; raise to 20 or up to 100"),
        (draw_poker([100, 100]).play("b10"), "b20", "10 is bet already; raise to 20"),
        (draw_poker([100, 100]).play("b10"), "r30", "it must be exactly 20"),
        (capped(), "r30", "the cap of 1 raises is reached; call, or fold"),
        (capped(), "b30", "20 is bet already; call, or fold"),
        (not_reopened(), "r30", "since you acted, so the betting is not open to you again; call, or fold"),
        (holdem([10, 100], blinds=(5, 10)), "r20", "nobody else has the chips to answer it; call, or fold"),
    ],
)
def test_a_refusal_says_what_would_be_right(felt: Felt, move: str, text: str) -> None:
    """N5, N8, D2, D5, D6: by the amounts where there are any, else by the reason."""
    assert felt.refused(move).text.endswith(text)
