"""Questions for kernels from text, without the spots that check them."""

from array import array

from bots.equity.combos import COMBOS
from bots.equity.kernels import HoldemPlayer
from bots.equity.questions import DrawQuestion, HoldemQuestion
from bots.equity.ranges import parse_range
from engine.cards import parse_cards


def cards(text: str) -> bytes:
    return bytes(parse_cards(text)) if text else b""


def seat(text: str) -> HoldemPlayer:
    if text == "random":
        return None
    held = parse_range(text)
    weights = None if len(set(held.weights)) == 1 else array("d", held.weights).tobytes()
    return bytes(card for number in held.combos for card in COMBOS[number]), weights


def holdem(*seats: str, board: str = "", dead: str = "") -> HoldemQuestion:
    return HoldemQuestion(tuple(map(seat, seats)), cards(board), cards(dead))


def draw(kept: str, *opponents: tuple[bytes, bytes | None, bytes | None] | None, dead: str) -> DrawQuestion:
    return DrawQuestion(cards(kept), opponents or (None,), cards(dead))
