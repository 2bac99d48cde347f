"""The finished hands of a salon, as a player asks for them, and the forms in which they can be exported."""

from enum import StrEnum

from cluster.client import Client
from croupier.v1.history_pb2 import HandSummary, ListHandsRequest


class Format(StrEnum):
    """How an exported hand is written."""

    PHH = "phh"
    TEXT = "text"
    JSON = "json"


async def finished_hands(client: Client, request: ListHandsRequest, limit: int) -> list[HandSummary]:
    """The newest `limit` hands of a salon that the caller may read, newest first. Raises RefusedCall, Unreachable."""
    found: list[HandSummary] = []
    while len(found) < limit:
        request.page_size = min(100, limit - len(found))
        page = await client.call(client.history.ListHands, request)
        found.extend(page.hands)
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    return found
