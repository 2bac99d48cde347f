"""The words of the line mode: from a typed line to what is asked for.

Law of this file: it knows words, not rules. What is legal says the server.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.cards import parse_card, text_of


class Word(StrEnum):
    """What may be asked for."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"
    ALL_IN = "all-in"
    DRAW = "draw"
    REVEAL = "reveal"
    SIT_OUT = "sit out"
    SIT_IN = "sit in"
    TOP_UP = "top up"
    LEAVE = "leave"
    TABLE = "table"
    HELP = "help"
    QUIT = "quit"


TURN_WORDS = frozenset({Word.FOLD, Word.CHECK, Word.CALL, Word.BET, Word.RAISE, Word.ALL_IN, Word.DRAW})
"""Those that need the own turn."""

SPELLINGS: dict[str, Word] = {
    **{word.value: word for word in Word},
    "f": Word.FOLD,
    "k": Word.CHECK,
    "c": Word.CALL,
    "b": Word.BET,
    "r": Word.RAISE,
    "a": Word.ALL_IN,
    "allin": Word.ALL_IN,
    "all in": Word.ALL_IN,
    "d": Word.DRAW,
    "pat": Word.DRAW,
    "stand pat": Word.DRAW,
    "show": Word.REVEAL,
    "out": Word.SIT_OUT,
    "in": Word.SIT_IN,
    "top": Word.TOP_UP,
    "topup": Word.TOP_UP,
    "t": Word.TABLE,
    "h": Word.HELP,
    "?": Word.HELP,
    "q": Word.QUIT,
    "exit": Word.QUIT,
}

HELP_TEXT = """\
  f  fold            k  check          c  call
  b AMOUNT  bet      r AMOUNT  raise   a  all-in
                     amounts are totals: r 60 raises TO 60
  d 1 3  or  d Kh 3c exchange cards, by position or by name; d alone keeps all
  show  or  show Ah  reveal your cards of the hand just over
  out  sit out       in  sit in
                     in post  post the big blind rather than wait for it
  top AMOUNT         top up to AMOUNT
  t  the table       h  this help
  leave              give up your seat
  q  quit            your seat stays, and its clock runs"""
UNKNOWN = "{line!r} is not understood; h lists what is"
NO_AMOUNT = "{word} to how much? Write the total, such as {word} 60"
NO_CARD = "{text!r} is no card of yours: write a position from 1 to {most}, or a card such as Kh"


class Unclear(Exception):
    """The line says nothing that can be done; the text says what would."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a line asks for. `rest` is what follows the word."""

    word: Word
    amount: int = 0
    rest: tuple[str, ...] = ()


def parse(line: str) -> Wish | None:
    """What a line asks for; None for an empty one.

    Raises:
        Unclear: it is not understood, or an amount is missing.
    """
    words = line.strip().split()
    if not words:
        return None
    word, rest = _word(words)
    if word is None:
        raise Unclear(UNKNOWN.format(line=line.strip()))
    if word in (Word.BET, Word.RAISE, Word.TOP_UP):
        numbers = [text.replace(",", "").replace("_", "") for text in rest if text != "to"]
        if len(numbers) != 1 or not numbers[0].isdecimal():
            raise Unclear(NO_AMOUNT.format(word=word))
        return Wish(word, amount=int(numbers[0]))
    return Wish(word, rest=tuple(rest))


def chosen_cards(texts: tuple[str, ...], own: tuple[str, ...]) -> list[str]:
    """The cards that positions from 1 or names say; "all" is all of them.

    Raises:
        Unclear: one is neither.
    """
    if tuple(text.lower() for text in texts) == ("all",):
        return list(own)
    return [_card(text.strip(","), own) for text in texts]


def _word(words: list[str]) -> tuple[Word | None, list[str]]:
    two = " ".join(words[:2]).lower()
    if two in SPELLINGS:
        return SPELLINGS[two], words[2:]
    return SPELLINGS.get(words[0].lower()), words[1:]


def _card(text: str, own: tuple[str, ...]) -> str:
    if text.isdecimal() and 1 <= int(text) <= len(own):
        return own[int(text) - 1]
    try:
        return text_of(parse_card(text))
    except ValueError:
        raise Unclear(NO_CARD.format(text=text, most=max(len(own), 1))) from None
