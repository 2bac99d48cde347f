"""Yardsticks: bots that others published, behind the bot protocol, to hold ours against.

    croupier arena --seats hard --against tests.yardsticks:FairpokerHard --deals 10000

They play hold'em alone. What each of them needs, and how it is driven, stands in its module. Under the arena's "notes"
is what an adapter had to change: bots that do not know our rules bet more or less than these allow.
"""

from tests.yardsticks.donksolver_bot import Donksolver
from tests.yardsticks.fairpoker_bots import FairpokerHard, FairpokerMedium
from tests.yardsticks.pokercli_bots import PokerCliBalanced, PokerCliTight

__all__ = ["Donksolver", "FairpokerHard", "FairpokerMedium", "PokerCliBalanced", "PokerCliTight"]
