"""Operators: whoever sends the token that the servers' settings name. Where they name none, nobody is one.

Law of this file: the token stands in no message, error or log, and is compared in a time that does not depend on
where it differs.
"""

import hmac
from collections.abc import Iterable

from cluster.codec.metadata import OPERATOR_KEY
from cluster.codec.refusals import refused
from cluster.gateway.errors import Declined
from croupier.v1 import refusal_pb2
from croupier.v1.refusal_pb2 import Refusal


class Operators:
    """Who is an operator of these servers."""

    def __init__(self, token: str) -> None:
        """`token` is the one that makes an operator; empty for none."""
        self._token = token.encode()

    def admit(self, metadata: Iterable[tuple[str, str | bytes]]) -> bool:
        """Whether the caller is an operator; who sends no token is none. Raises Declined for a wrong one."""
        sent = [text for key, text in metadata if key == OPERATOR_KEY]
        if not sent:
            return False
        if len(sent) > 1 or not self._is_right(sent[0]):
            raise Declined(not_an_operator())
        return True

    def _is_right(self, sent: str | bytes) -> bool:
        raw = sent if isinstance(sent, bytes) else sent.encode()
        return hmac.compare_digest(raw, self._token) and bool(self._token)


def not_an_operator() -> Refusal:
    """The token is not the servers'."""
    return refused(
        refusal_pb2.REASON_NOT_THE_OWNER,
        "this is not the operators' token: send the CROUPIER_OPERATOR_TOKEN that the servers have, or none",
    )


def operators_only() -> Refusal:
    """The call came without a token."""
    return refused(
        refusal_pb2.REASON_NOT_THE_OWNER,
        f"this is for operators: send the CROUPIER_OPERATOR_TOKEN that the servers have in `{OPERATOR_KEY}`",
    )
