"""Taking cards: dealing at random from a full deck while remembering what is gone."""

import random


def take(count: int, used: set[int], rng: random.Random) -> list[int]:
    """`count` of the 52 cards that are not in `used`, which they are from then on."""
    taken: list[int] = []
    while len(taken) < count:
        card = int(rng.random() * 52)
        if card not in used:
            used.add(card)
            taken.append(card)
    return taken
