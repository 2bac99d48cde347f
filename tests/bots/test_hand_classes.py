"""Classes of hole cards: 169 that cover all combos, each with its name."""

import pytest

from bots.equity.combos import COMBOS
from bots.hand_classes import CLASSES, class_of, combos_of, name_of
from engine.cards import parse_cards


def test_classes_are_169_and_cover_all_combos() -> None:
    assert sorted(combo for number in range(CLASSES) for combo in combos_of(number)) == list(range(1326))
    assert all(class_of(*COMBOS[combo]) == number for number in range(CLASSES) for combo in combos_of(number))
    assert len({name_of(number) for number in range(CLASSES)}) == CLASSES


@pytest.mark.parametrize("cards, name", [("Ts Td", "TT"), ("Ks As", "AKs"), ("2c 7d", "72o")])
def test_a_class_is_named_as_players_write_it(cards: str, name: str) -> None:
    assert name_of(class_of(*parse_cards(cards))) == name
