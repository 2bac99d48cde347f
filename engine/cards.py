"""Cards and decks: a card is a number from 0 to 51, rank * 4 + suit.

Rank 0 is the deuce and 12 the ace; suits are clubs, diamonds, hearts, spades and never rank. As text a
card is two characters, rank then suit: "As", "Td", "2c".
"""

from typing import Final, NewType

Card = NewType("Card", int)

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
FULL_DECK: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(52))
_EVERY_CARD: Final = frozenset(FULL_DECK)
_TEXTS: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS: Final[dict[str, Card]] = {text: Card(number) for number, text in enumerate(_TEXTS)}


def text_of(card: Card) -> str:
    """The card's two characters, such as "As"."""
    return _TEXTS[card]


def texts_of(cards: tuple[Card, ...]) -> str:
    """The cards' characters with a blank between two cards, such as "As Td"."""
    return " ".join(_TEXTS[card] for card in cards)


def parse_card(text: str) -> Card:
    """The card that `text` names: rank in either case, 10 for T accepted, then suit.

    Raises:
        ValueError: it names no card; the message says how a card is written.
    """
    tidy = text.strip().replace("10", "T")
    card = _CARDS.get(tidy[:1].upper() + tidy[1:].lower())
    if card is None:
        raise ValueError(
            f"{text!r} is no card: write a rank (2-9, T, J, Q, K, A) and a suit (c, d, h, s), such as As"
        )
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards that `text` names, with or without blanks or commas between them, none of them twice.

    Raises:
        ValueError: a part is no card, or a card stands there twice.
    """
    tidy = text.replace(",", " ").replace("10", "T").split()
    cards = tuple(parse_card(word[i : i + 2]) for word in tidy for i in range(0, len(word), 2))
    if len(set(cards)) != len(cards):
        raise ValueError(f"{text!r} names a card twice")
    return cards


def is_full_deck(cards: tuple[Card, ...]) -> bool:
    """Whether `cards` is each of the 52 cards exactly once, in any order."""
    return len(cards) == 52 and set(cards) == _EVERY_CARD
