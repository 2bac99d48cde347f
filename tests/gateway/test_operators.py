"""Operators: a token makes one, and nothing tells anything about the token."""

from typing import Any

import pytest

from cluster.codec.metadata import OPERATOR_KEY
from cluster.gateway.errors import Declined, code_of
from cluster.gateway.operators import Operators
from croupier.v1 import refusal_pb2

TOKEN = "t" * 32
SIGNED_IN = ("authorization", "Bearer token")


@pytest.mark.parametrize("token", [TOKEN, ""])
def test_who_sends_no_token_is_no_operator(token: str) -> None:
    assert not Operators(token).admit([SIGNED_IN])
    assert not Operators(token).admit([])


@pytest.mark.parametrize("sent", [TOKEN, TOKEN.encode()])
def test_the_token_makes_an_operator(sent: str | bytes) -> None:
    assert Operators(TOKEN).admit([SIGNED_IN, (OPERATOR_KEY, sent)])


@pytest.mark.parametrize(
    "token,sent",
    [
        (TOKEN, [TOKEN[:-1]]),
        (TOKEN, [TOKEN + "t"]),
        (TOKEN, [""]),
        (TOKEN, ["\u00e4" * 32]),
        (TOKEN, [TOKEN, TOKEN]),
        ("", [""]),
        ("", [TOKEN]),
    ],
)
def test_a_wrong_token_is_refused_and_named_nowhere(token: str, sent: list[Any]) -> None:
    with pytest.raises(Declined) as declined:
        Operators(token).admit([(OPERATOR_KEY, each) for each in sent])
    refusal = declined.value.refusal
    assert refusal.reason == refusal_pb2.REASON_NOT_THE_OWNER
    assert code_of(refusal).name == "PERMISSION_DENIED"
    assert TOKEN not in str(refusal)
