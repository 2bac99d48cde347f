"""The notation that players use for ranges, read: a text becomes combos with weights, or a `RangeError`.

A range is terms with commas or blanks between them, in lower or upper case, 10 as good as T:

    AA  AKs  AKo  AK       a pair, suited, offsuit, both; the two ranks in either order
    QQ+                    the pair and every higher one
    A2s+  KTo+  AJ+        the lower card rises until it is just below the higher one: KTo, KJo, KQo. So
                           "T9s+" is T9s alone, as in PokerStove; higher connectors are a span
    22-99  A5s-A2s         every pair, or every lower card, between the two, whichever end comes first
    T9s-65s  QTs-97s       both cards fall together: T9s, 98s, 87s, 76s, 65s
    AsKd  As Kd            a single combo
    random  any two  100%  all 1,326 combos; other percentages would need an order of hands and are refused
    AA:0.25  A2s+:0.5      any term with a weight, above 0 and at most 1; without one it is 1

A combo may be named twice with one weight, and never with two. Blanks beside a hyphen or a colon, and one
comma at the end, are no mistake.
"""

import re
from typing import Final, NamedTuple

from bots.equity.combos import COMBOS, combo, combo_text, offsuit, pair, suited
from bots.equity.mistakes import KINDS, LATIN, NUMBER, RANK, Part, RangeError, diagnosis, quoted
from engine.cards import RANKS, SUITS, Card, text_of


class _Hand(NamedTuple):
    """One class of hands: a pair, or two ranks suited, offsuit or both."""

    high: int
    low: int
    suits: str
    """The letter s or o, or nothing for both."""

    @property
    def is_pair(self) -> bool:
        return self.high == self.low

    @property
    def combos(self) -> tuple[int, ...]:
        if self.is_pair:
            return pair(self.high)
        return (suited(self.high, self.low) if self.suits != "o" else ()) + (
            offsuit(self.high, self.low) if self.suits != "s" else ()
        )

    def __str__(self) -> str:
        return RANKS[self.high] + RANKS[self.low] + self.suits


class _Term(NamedTuple):
    """A term as it stands in the text, with its combos and its weight."""

    part: Part
    combos: tuple[int, ...]
    weight: float


_HAND: Final = re.compile(f"{RANK}{RANK}([so]?)", LATIN)
_CARD: Final = re.compile(f"{RANK}([{SUITS}])", LATIN)
_COMBO: Final = re.compile(f"{RANK}([{SUITS}]){RANK}([{SUITS}])", LATIN)
_ANY: Final = re.compile(r"(random|any\s*two|100\s*%)(?![^\s,:])", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\s,:+\-\u2013]+")
_SPAN: Final = re.compile(r"\s*[-\u2013]\s*")
"""A hyphen, or the dash that typesetters make of it."""
_COLON: Final = re.compile(r"\s*:\s*")
_END_OF_HANDS: Final = re.compile(r"[\s,:]|$")
_WEIGHT: Final = re.compile(r"[^\s,]+")
_REST: Final = re.compile(r"[^\s,]*")
_BLANKS: Final = re.compile(r"\s*")


def weights_in(text: str) -> dict[int, float]:
    """The weight of each combo that `text` names.

    Raises:
        RangeError: see there.
    """
    weights: dict[int, float] = {}
    named: dict[int, _Term] = {}
    for term in _Reader(text).terms():
        for number in term.combos:
            first = named.setdefault(number, term)
            if first.weight != term.weight:
                raise term.part.wrong(
                    f"gives {combo_text(number)} the weight {_shown(term.weight)}, and {quoted(first.part.text)} "
                    f"(place {first.part.at + 1}) gave it {_shown(first.weight)}: name it once"
                )
            weights[number] = term.weight
    return weights


class _Reader:
    """Goes through a text once, from term to term."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def terms(self) -> list[_Term]:
        self._skip_blanks()
        if self._ended():
            raise RangeError(
                f"an empty range: {KINDS}, or random for any two cards", at=0, length=len(self._text)
            )
        terms: list[_Term] = []
        while not self._ended():
            if self._text[self._at] == ",":
                raise self._here(1).wrong("stands where a hand is missing: one comma between two hands")
            terms.append(self._term())
            self._separator()
        return terms

    def _term(self) -> _Term:
        start = self._at
        combos = self._combos()
        weight = self._weight()
        return _Term(Part(self._text[start : self._at].rstrip(), start), combos, weight)

    def _separator(self) -> None:
        self._skip_blanks()
        if not self._ended() and self._text[self._at] == ",":
            self._at += 1
            self._skip_blanks()

    def _combos(self) -> tuple[int, ...]:
        if found := _ANY.match(self._text, self._at):
            self._at = found.end()
            return tuple(range(len(COMBOS)))
        word = self._word()
        if single := self._single(word):
            return single
        first = _hand(word)
        if self._peek() == "+":
            return self._plus(word, first)
        if span := _SPAN.match(self._text, self._at):
            self._at = span.end()
            return self._span(word, first)
        return first.combos

    def _word(self) -> Part:
        found = _WORD.match(self._text, self._at)
        if found is None:
            symbol = self._here(1)
            match symbol.text:
                case ":":
                    raise symbol.wrong("has no hand before it: a weight stands behind its hand, AA:0.25")
                case "+":
                    raise symbol.wrong("has no hand before it: a plus stands right behind its hand, QQ+")
                case _:
                    raise symbol.wrong("lacks the hand before it: a span has two ends, A5s-A2s")
        self._at = found.end()
        return Part(found.group(), found.start())

    def _single(self, word: Part) -> tuple[int, ...]:
        """The combo that a word names, or a card and the next word; nothing if there are no suits in it."""
        cards = _COMBO.fullmatch(word.text)
        if cards is None and _CARD.fullmatch(word.text):
            word = self._other_card(word)
            cards = _COMBO.fullmatch("".join(word.text.split()))
        if cards is None:
            return ()
        one, other = _card(cards[1], cards[2]), _card(cards[3], cards[4])
        if one == other:
            raise word.wrong(f"has {text_of(one)} twice: two different cards make a hand, such as AsKd")
        if self._peek() == "+":
            self._at += 1
            raise self._since(word).wrong(
                "has a plus on two exact cards: a plus needs ranks alone, such as ATs+"
            )
        if _SPAN.match(self._text, self._at):
            self._at = _rest_after(_SPAN, self._text, self._at)
            raise self._since(word).wrong(
                "is a span of exact cards: a span needs ranks alone, such as A5s-A2s"
            )
        return (combo(one, other),)

    def _other_card(self, word: Part) -> Part:
        """The two words of a combo with a blank between its cards."""
        blanks = _BLANKS.match(self._text, self._at)
        second = _WORD.match(self._text, blanks.end()) if blanks else None
        if second is None or not _CARD.fullmatch(second.group()):
            raise word.wrong("is half a hand: a hand is two cards, such as AsKd")
        self._at = second.end()
        return self._since(word)

    def _plus(self, word: Part, first: _Hand) -> tuple[int, ...]:
        self._at += 1
        if _SPAN.match(self._text, self._at) or not _END_OF_HANDS.match(self._text, self._at):
            self._at = _rest_after(_BLANKS, self._text, self._at)
            raise self._since(word).wrong("goes on after its plus: write QQ+, or a span such as A5s-A2s")
        top = 12 if first.is_pair else first.high - 1
        return _between(first, _Hand(top if first.is_pair else first.high, top, first.suits))

    def _span(self, word: Part, first: _Hand) -> tuple[int, ...]:
        if not _WORD.match(self._text, self._at):
            raise self._since(word).wrong("lacks its other end: a span has two, such as A5s-A2s")
        other = self._word()
        if _COMBO.fullmatch(other.text):
            raise self._since(word).wrong(
                "is a span of exact cards: a span needs ranks alone, such as A5s-A2s"
            )
        last = _hand(other)
        if self._peek() == "+" or _SPAN.match(self._text, self._at):
            self._at = _rest_after(_BLANKS, self._text, self._at)
            raise self._since(word).wrong("has a third end: a span has two, such as A5s-A2s, and no plus")
        if reason := _mismatch(first, last):
            raise self._since(word).wrong(reason)
        return _between(*sorted((first, last)))

    def _weight(self) -> float:
        colon = _COLON.match(self._text, self._at)
        if colon is None:
            return 1.0
        at = self._at + colon.group().index(":")
        self._at = colon.end()
        found = _WEIGHT.match(self._text, self._at)
        if found is None:
            raise Part(":", at).wrong("has no weight behind it: a number above 0 and at most 1, AA:0.25")
        self._at = found.end()
        return _number(Part(found.group(), found.start()))

    def _ended(self) -> bool:
        return self._at >= len(self._text)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _here(self, length: int) -> Part:
        return Part(self._text[self._at : self._at + length], self._at)

    def _since(self, word: Part) -> Part:
        return Part(self._text[word.at : self._at].rstrip(), word.at)

    def _skip_blanks(self) -> None:
        while self._peek().isspace():
            self._at += 1


def _between(first: _Hand, last: _Hand) -> tuple[int, ...]:
    """The combos of a span, whose ends are ascending and of one shape."""
    rises = last.high - first.high
    return tuple(
        number
        for step in range(last.low - first.low + 1)
        for number in _Hand(first.high + (step if rises else 0), first.low + step, first.suits).combos
    )


def _mismatch(first: _Hand, last: _Hand) -> str:
    """Why two hands are not the ends of a span; nothing if they are."""
    if first.is_pair != last.is_pair:
        return "mixes a pair with a hand of two ranks: a span is of pairs, 22-99, or of neither, A5s-A2s"
    if first.suits != last.suits:
        return (
            f"has ends of unequal suits: both suited, both offsuit, or both without a letter, "
            f"such as {first}-{last._replace(suits=first.suits)}"
        )
    if first.high != last.high and first.high - first.low != last.high - last.low:
        return "has ends of unequal shape: one higher card in both, A5s-A2s, or one gap in both, T9s-65s"
    return ""


def _hand(word: Part) -> _Hand:
    """The class of hands that a word names."""
    found = _HAND.fullmatch(word.text)
    if found is None:
        raise word.wrong(f"is no hand: {diagnosis(word.text)}")
    low, high = sorted((_rank(found[1]), _rank(found[2])))
    suits = found[3].lower()
    if high == low and suits:
        raise word.wrong(f"is no hand: a pair is neither suited nor offsuit, write {RANKS[high] * 2}")
    return _Hand(high, low, suits)


def _number(part: Part) -> float:
    """The weight that a part of the text is."""
    if NUMBER.fullmatch(part.text):
        weight = float(part.text)
        if 0 < weight <= 1:
            return weight
        if weight > 1:
            raise part.wrong("is no weight: at most 1; only proportions count, so divide by the largest")
    raise part.wrong("is no weight: a number above 0 and at most 1 is one, such as 0.25")


def _rank(text: str) -> int:
    return RANKS.index("T" if text == "10" else text.upper())


def _card(rank: str, suit: str) -> Card:
    return Card(_rank(rank) * 4 + SUITS.index(suit.lower()))


def _rest_after(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the term ends that goes on with `pattern` at `at`, for quoting all of it."""
    found = pattern.match(text, at)
    rest = _REST.match(text, found.end() if found else at)
    return rest.end() if rest else at


def _shown(weight: float) -> str:
    return repr(weight).removesuffix(".0")
