"""The best responder: what can be won a hand from a player of heads-up draw who is known inside out.

Independent of the solver, he plays real cards with classes of his own. From deals he learns how a final hand of his
compares with what the opponent then holds, after any betting and draws, and so the best betting after the draw; from
that, and from how often the opponent comes there against each of his classes, the best draws and the best betting
before it. What he learned he then plays on other deals, and that is what counts: a lower bound of what can be won, free
of the luck of the deals that he learned from. The opponent's chance is averaged over; only cards are sampled.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from tests.bots.draw_solver import own_hands
from tests.bots.draw_solver.deals import STRENGTHS, Deals, Floats, Ints, deals, strengths
from tests.bots.draw_solver.limit_round import actions, both_paid, endings, folder, is_over
from tests.bots.draw_solver.meeting import BestBetting, Meeting, Rules
from tests.bots.draw_solver.opponents import Opponent
from tests.bots.draw_solver.own_hands import DRAWN, HAND_CLASSES

Place = tuple[str, int, int]
"""Between the rounds: how the first went, and how many cards the responder and the opponent drew."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What the responder wins a hand in thousandths of a small bet, the seats alike, and half of its 95 % interval."""

    mean: float
    ci95: float

    @property
    def most(self) -> float:
        """The upper end."""
        return self.mean + self.ci95


@dataclass(frozen=True, slots=True)
class Effort:
    """For each seat: deals to learn the betting after the draw from, hands to learn draws from, deals to play."""

    learn: int
    draw: int
    play: int


def gain(opponent: Opponent, rules: Rules, effort: Effort, seed: int) -> Gain:
    """What the responder wins from an opponent."""
    means, variances = [], []
    for seat in (0, 1):
        responder = Responder(opponent, rules, seat)
        responder.learn(effort, 10 * seed + seat)
        won = responder.play(effort.play, 10 * seed + 2 + seat)
        means.append(float(won.mean()))
        variances.append(float(won.var()) / len(won))
    return Gain(1000 * sum(means) / 2, 1000 * 1.96 * sqrt(sum(variances)) / 2)


class Responder:
    """A best response from one seat; 0 is left of the button and acts first."""

    def __init__(self, opponent: Opponent, rules: Rules, seat: int) -> None:
        self._opponent, self._rules, self._seat = opponent, rules, seat
        self._ends = endings(rules.raise_cap)
        self._ways = [end for end in self._ends if not end.endswith("f")]
        self._places: list[Place] = [
            (w, own, theirs) for w in self._ways for own in range(4) for theirs in range(4)
        ]
        self._reach = {end: self._their_part(end) for end in self._ends}
        self._arriving = self._their_draws()
        self._shares: dict[Place, dict[str, Floats]] = {place: {} for place in self._places}
        self._runs = [self._runs_alike(theirs) for theirs in range(4)]
        self._borders: Ints = np.zeros(0, np.int64)
        self._usual: dict[Place, Floats] = {}
        self._folds: dict[Place, Floats] = {}
        self._shows: dict[Place, Floats] = {}
        self._keeping: dict[tuple[str, int], Ints] = {}
        self._betting: dict[str, Ints] = {}

    def learn(self, effort: Effort, seed: int) -> None:
        """Find the best action everywhere."""
        self._borders = own_hands.finals_from(seed)
        self._learn_after(effort.learn, seed)
        self._learn_before(effort, seed)

    def play(self, count: int, seed: int) -> Floats:
        """What each of `count` deals wins, in small bets."""
        return np.concatenate([self._won(dealt) for dealt in deals(count, seed)])

    # What the opponent does.

    def _their_part(self, end: str) -> Floats:
        """How often each of his hands does his part of a history before the draw."""
        part: Floats = np.ones(1)
        for at in range(1 - self._seat, len(end), 2):
            action = actions(end[:at], self._rules.raise_cap).index(end[at])
            part = part * self._opponent.before(end[:at])[:, action]
        return part

    def _their_draws(self) -> dict[Place, Floats]:
        """How often each of his hands comes to a place, if the responder does; he knows a draw before his own."""
        found: dict[Place, Floats] = {}
        for way in self._ways:
            for own in range(4):
                shares = self._opponent.draws(way, own if self._seat == 0 else -1)
                found.update(
                    {(way, own, theirs): self._reach[way] * shares[:, theirs] for theirs in range(4)}
                )
        return found

    def _runs_alike(self, theirs: int) -> Ints:
        """The strengths, numbered by the runs over which he bets alike after drawing so many, whatever came before."""
        places = [place for place in self._places if place[2] == theirs]
        changes = np.zeros(STRENGTHS, bool)
        for way, own, _ in places:
            first, second = (own, theirs) if self._seat == 0 else (theirs, own)
            for history in {end[:at] for end in self._ends for at in range(1 - self._seat, len(end), 2)}:
                shares = self._opponent.after(way, first, second, history)
                changes[1:] |= (shares[1:] != shares[:-1]).any(axis=1)
                self._shares[way, own, theirs][history] = shares
        runs = np.cumsum(changes)
        starts = np.unique(runs, return_index=True)[1]
        for place in places:
            self._shares[place] = {history: shares[starts] for history, shares in self._shares[place].items()}
        return runs

    # After the draw.

    def _learn_after(self, count: int, seed: int) -> None:
        sums = {
            place: _Sums(len(self._borders) + 1, int(self._runs[place[2]].max()) + 1)
            for place in self._places
        }
        for dealt in deals(count, seed):
            seen = _Seen(self._opponent, self._runs, self._borders, dealt)
            for own in range(4):
                keeps = [keep for keep, drawn in enumerate(DRAWN) if drawn == own]
                some = np.concatenate([seen.apart[keep] for keep in keeps])
                final = np.concatenate([seen.final[keep][seen.apart[keep]] for keep in keeps])
                strength = np.concatenate([seen.strength[keep][seen.apart[keep]] for keep in keeps])
                for theirs in range(4):
                    columns = seen.their_final[theirs][some]
                    ahead = np.sign(strength - seen.their_strength[theirs][some])
                    for way in self._ways:
                        weights = self._arriving[way, own, theirs][dealt.theirs[some]]
                        sums[way, own, theirs].add(final, columns, weights, ahead)
        own_middle = np.append(self._borders, STRENGTHS) - 0.5
        for place, met in sums.items():
            their_middle = np.bincount(self._runs[place[2]], np.arange(STRENGTHS)) / np.bincount(
                self._runs[place[2]]
            )
            meeting = met.meeting(np.sign(own_middle[:, None] - their_middle))
            betting = BestBetting(self._rules, self._seat, self._shares[place].__getitem__)
            paid = self._rules.ante + both_paid(place[0])
            self._usual[place], self._folds[place], self._shows[place] = betting.against(meeting, paid)

    # Before it.

    def _learn_before(self, effort: Effort, seed: int) -> None:
        """For each class, way and draws: how often the opponent comes there, times what its finals win there."""
        ended = own_hands.outcomes(effort.draw, seed, self._borders)
        arriving = {place: np.zeros(HAND_CLASSES) for place in self._places}
        folding = {end: np.zeros(HAND_CLASSES) for end in self._ends if end.endswith("f")}
        for dealt in deals(effort.learn, seed):
            rows = own_hands.hand_class(own_hands.ordered(dealt.own))
            for place, met in arriving.items():
                met += np.bincount(rows, self._arriving[place][dealt.theirs], HAND_CLASSES)
            for end, met in folding.items():
                reach = np.broadcast_to(self._reach[end], self._arriving[self._places[0]].shape)
                met += np.bincount(rows, reach[dealt.theirs], HAND_CLASSES)
        ends = {end: met * self._fold_price(end) for end, met in folding.items()}
        for way in self._ways:
            worth = np.array(
                [
                    [
                        arriving[way, own, theirs] * (ended[keep] @ self._usual[way, own, theirs])
                        for theirs in range(4)
                    ]
                    for keep, own in enumerate(DRAWN)
                ]
            )
            ends[way] = self._keep_best(way, worth)
        self._bet_best("", ends)

    def _keep_best(self, way: str, worth: Floats) -> Floats:
        """Choose how to draw, by the worth of each way of keeping, each draw of the opponent and each class."""
        if self._seat == 0:
            known = worth.sum(axis=1, keepdims=True)
        else:
            known = worth
        for theirs in range(4):
            self._keeping[way, theirs] = known[:, theirs if self._seat else 0].argmax(axis=0)
        best: Floats = known.max(axis=0).sum(axis=0)
        return best

    def _bet_best(self, history: str, ends: dict[str, Floats]) -> Floats:
        if is_over(history):
            return ends[history]
        letters = actions(history, self._rules.raise_cap)
        each = np.array([self._bet_best(history + letter, ends) for letter in letters])
        if len(history) % 2 == self._seat:
            self._betting[history] = each.argmax(axis=0)
            best: Floats = each.max(axis=0)
            return best
        total: Floats = each.sum(axis=0)
        return total

    def _fold_price(self, end: str) -> float:
        price = self._rules.ante + both_paid(end)
        return -price if folder(end) == self._seat else price

    # Playing.

    def _won(self, dealt: Deals) -> Floats:
        won = np.zeros(len(dealt.theirs))
        rows = own_hands.hand_class(own_hands.ordered(dealt.own))
        seen = _Seen(self._opponent, self._runs, self._borders, dealt)
        for end in self._ends:
            ours = np.ones(len(won), bool)
            for at in range(self._seat, len(end), 2):
                action = actions(end[:at], self._rules.raise_cap).index(end[at])
                ours &= self._betting[end[:at]][rows] == action
            mine = np.flatnonzero(ours)
            if end.endswith("f"):
                reach = np.broadcast_to(self._reach[end], self._arriving[self._places[0]].shape)
                won[mine] += reach[dealt.theirs[mine]] * self._fold_price(end)
            else:
                for theirs in range(4):
                    won[mine] += self._shown(dealt, seen, (end, theirs), rows, mine)
        return won

    def _shown(self, dealt: Deals, seen: "_Seen", way: tuple[str, int], rows: Ints, mine: Ints) -> Floats:
        """What some deals win on a way to the draw where the opponent draws so many, as often as he does."""
        won = np.zeros(len(dealt.theirs))
        keeping = self._keeping[way][rows]
        for keep, own in enumerate(DRAWN):
            some = mine[keeping[mine] == keep]
            place = (way[0], own, way[1])
            cells = (seen.final[keep][some], seen.their_final[way[1]][some])
            ahead = np.sign(seen.strength[keep][some] - seen.their_strength[way[1]][some])
            arriving = self._arriving[place][dealt.theirs[some]]
            won[some] = arriving * (self._folds[place][cells] + ahead * self._shows[place][cells])
        return won[mine]


class _Sums:
    """What is summed up of the deals of a place."""

    def __init__(self, rows: int, columns: int) -> None:
        self._shape = (rows, columns)
        self._mass, self._ahead, self._square = (
            np.zeros(rows * columns),
            np.zeros(rows * columns),
            np.zeros(rows),
        )

    def add(self, rows: Ints, columns: Ints, weights: Floats, ahead: Ints) -> None:
        cells = rows * self._shape[1] + columns
        self._mass += np.bincount(cells, weights, len(self._mass))
        self._ahead += np.bincount(cells, weights * ahead, len(self._mass))
        self._square += np.bincount(rows, weights * weights, len(self._square))

    def meeting(self, order: Floats) -> Meeting:
        seen = Meeting(self._mass.reshape(self._shape), self._ahead.reshape(self._shape))
        return seen.smoothed(self._square, order)


class _Seen:
    """What follows from some deals, whatever is done: strengths and classes of all final hands."""

    def __init__(self, opponent: Opponent, runs: list[Ints], borders: Ints, dealt: Deals) -> None:
        keeps = own_hands.kept(own_hands.ordered(dealt.own))
        usual = (0, 1, 2, 3, 1, 1, 2)
        every = np.arange(len(dealt.theirs))
        self.apart = [
            every if usual[keep] == keep else np.flatnonzero((cards != keeps[usual[keep]]).any(axis=1))
            for keep, cards in enumerate(keeps)
        ]
        """For each way of keeping the deals in which it is another than the usual way to draw so many."""
        self.strength = [strengths(np.hstack([keeps[k], dealt.own_new[:, :n]])) for k, n in enumerate(DRAWN)]
        self.final = [np.searchsorted(borders, strength, side="right") for strength in self.strength]
        self.their_strength = [
            strengths(np.hstack([opponent.keeps(n)[dealt.theirs], dealt.their_new[:, :n]])) for n in range(4)
        ]
        self.their_final = [runs[n][strength] for n, strength in enumerate(self.their_strength)]
