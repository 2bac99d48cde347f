"""A table in words: what happened, how things stand, and what may be done. For the line mode and for histories."""

from collections.abc import Callable, Iterable
from typing import Any

from croupier.v1.event_pb2 import (
    ABSENCE_CAUSE_BUSTED,
    ABSENCE_CAUSE_NOT_COVERED,
    ABSENCE_CAUSE_TIMED_OUT,
    BLIND_BIG,
    BLIND_DEAD,
    BLIND_SMALL,
    LEAVING_CAUSE_EVICTED,
    LEAVING_CAUSE_KICKED,
    Event,
)
from croupier.v1.settings_pb2 import BOT_LEVEL_UNSPECIFIED, GAME_DRAW, BotLevel
from croupier.v1.turn_pb2 import LegalActions
from croupier.v1.view_pb2 import (
    SEAT_STATE_ALL_IN,
    SEAT_STATE_FOLDED,
    SEAT_STATE_LIVE,
    SEAT_STATE_SITTING_OUT,
    SEAT_STATE_WAITING,
    STREET_DRAW,
    STREET_FLOP,
    STREET_POSTDRAW,
    STREET_PREDRAW,
    STREET_PREFLOP,
    STREET_RIVER,
    STREET_TURN,
    SalonView,
    SeatView,
)

STREETS = {
    STREET_PREFLOP: "pre-flop",
    STREET_FLOP: "flop",
    STREET_TURN: "turn",
    STREET_RIVER: "river",
    STREET_PREDRAW: "before the draw",
    STREET_DRAW: "draw",
    STREET_POSTDRAW: "after the draw",
}
STATES = {
    SEAT_STATE_WAITING: "waits",
    SEAT_STATE_LIVE: "",
    SEAT_STATE_ALL_IN: "all-in",
    SEAT_STATE_FOLDED: "folded",
    SEAT_STATE_SITTING_OUT: "sits out",
}
BLINDS = {BLIND_SMALL: "small blind", BLIND_BIG: "big blind", BLIND_DEAD: "dead small blind"}
ABSENCES = {
    ABSENCE_CAUSE_TIMED_OUT: "sit out after too many time-outs",
    ABSENCE_CAUSE_BUSTED: "sit out without chips",
    ABSENCE_CAUSE_NOT_COVERED: "sit out: the stack no longer covers a hand",
}
DEPARTURES = {LEAVING_CAUSE_KICKED: "was sent away", LEAVING_CAUSE_EVICTED: "sat out too long and is gone"}

SEATED = "{who} sits down with {stack}{kind}"
OWN_SEATED = "you sit down with {stack}"
LEFT = "{who} {how} with {stack}"
OWN_LEFT = "your seat is free again; you take {stack} with you"
HAND = "--- hand {hand}, {players} players, button: {button} ---"
NEED = ", and a stack of {need} is needed to play on"
YOUR_CARDS = "your cards: {cards}"
YOU = "you"
AWARD = "{who} wins {share}{pot}"
OWN_AWARD = "you win {share}{pot}"
SIDE_POT = " from side pot {number}"
CLOSES = "the salon closes: no hand starts any more"
OVER = "the salon is over"
STANDING = "  {place}. {name} {result:+}"

DEEDS: dict[str, Callable[[Any], str]] = {
    "folded": lambda _: "fold",
    "checked": lambda _: "check",
    "called": lambda happened: f"call {happened.amount}",
    "bet_made": lambda happened: f"bet {happened.to}",
    "raised": lambda happened: f"raise to {happened.to}",
    "ante_posted": lambda happened: f"ante {happened.amount}",
    "blind_posted": lambda happened: f"{BLINDS.get(happened.blind, 'blind')} {happened.amount}",
    "cards_drawn": lambda happened: f"draw {happened.count}" if happened.count else "stand pat",
    "uncalled_bet_returned": lambda happened: f"take {happened.amount} back",
    "cards_shown": lambda happened: f"show {' '.join(happened.cards)}",
    "cards_mucked": lambda _: "muck",
    "timed_out": lambda _: "time is up",
    "grace_given": lambda _: "has the time back in which the table was away",
    "sat_out": lambda happened: (
        ABSENCES.get(happened.cause, "sit out") + (NEED.format(need=happened.need) if happened.need else "")
    ),
    "sat_in": lambda _: "back in",
    "sit_out_asked": lambda _: "will sit out after the hand",
    "leave_asked": lambda _: "will leave after the hand",
    "topped_up": lambda happened: f"buy {happened.amount}, stack {happened.stack}",
    "top_up_asked": lambda happened: f"will top up to {happened.to} after the hand",
}
"""What one seat did, after its name."""

MAY_FOLD = "fold (f)"
MAY_CHECK = "check (k)"
MAY_CALL = "call {call} (c)"
MAY_BET = "bet to {low} (b {low})"
MAY_BET_RANGE = "bet to {low}-{high} (b AMOUNT)"
MAY_RAISE = "raise to {low} (r {low})"
MAY_RAISE_RANGE = "raise to {low}-{high} (r AMOUNT)"
MAY_ALL_IN = "all-in to {all_in} (a)"
MAY_DRAW = "exchange up to {most} cards (d 1 3, or d Kh 3c; d alone keeps all)"


class Names:
    """Who sits where, kept up with what happens. `own` is the viewer's seat, 0 for none."""

    def __init__(self) -> None:
        self.own = 0
        self._names: dict[int, str] = {}

    def show(self, view: SalonView) -> None:
        """Know the seats of a view."""
        self.own = view.viewer
        self._names = {seat.seat: seat.name for seat in view.seats}

    def learn(self, seat: int, name: str) -> None:
        """Somebody sits down."""
        self._names[seat] = name

    def forget(self, seat: int) -> None:
        """A seat is free."""
        self._names.pop(seat, None)

    def of(self, seat: int) -> str:
        """A seat's player, as people read it."""
        if seat and seat == self.own:
            return YOU
        return self._names.get(seat, f"seat {seat}")


def sentences(event: Event, names: Names) -> list[str]:
    """What an event says to people, often nothing; `names` is kept up."""
    which = event.WhichOneof("event")
    happened: Any = getattr(event, which) if which else None
    match which:
        case "player_seated":
            names.learn(happened.seat, happened.name)
            kind = level_name(happened.level)
            who = names.of(happened.seat)
            text = OWN_SEATED if happened.seat == names.own else SEATED
            return [text.format(who=who, stack=happened.stack, kind=f" ({kind} bot)" if kind else "")]
        case "player_left":
            who, how = names.of(happened.seat), DEPARTURES.get(happened.cause, "leaves")
            names.forget(happened.seat)
            text = OWN_LEFT if happened.seat == names.own else LEFT
            return [text.format(who=who, how=how, stack=happened.stack)]
        case "hand_started":
            button = names.of(happened.button)
            return [HAND.format(hand=happened.hand, players=len(happened.seats), button=button)]
        case "street_started":
            cards = " ".join(happened.cards)
            return [f"{STREETS.get(happened.street, '?')}{': ' + cards if cards else ''}"]
        case "hole_cards_dealt":
            return [YOUR_CARDS.format(cards=" ".join(happened.cards))]
        case "cards_replaced":
            given, got = " ".join(happened.discards), " ".join(happened.cards)
            return [f"you give {given} and get {got}"] if given else []
        case "pot_awarded":
            pot = SIDE_POT.format(number=happened.index) if happened.index else ""
            shares = zip(happened.winners, happened.shares, strict=True)
            return [
                (OWN_AWARD if seat == names.own else AWARD).format(who=names.of(seat), share=share, pot=pot)
                for seat, share in shares
            ]
        case "hand_voided":
            return [f"the hand is void ({happened.why}): everybody has his chips back"]
        case "salon_closing":
            return [CLOSES]
        case "salon_ended":
            return [f"{OVER}:", *map(_standing, happened.standings)]
        case "play_paused":
            return ["play pauses until two players are there"]
        case None:
            return []
        case _:
            deed = DEEDS.get(which)
            return [f"{names.of(happened.seat)}: {deed(happened)}"] if deed else []


def _standing(standing: Any) -> str:
    return STANDING.format(place=standing.place, name=standing.name, result=standing.result)


def level_name(level: "BotLevel.ValueType") -> str:
    """A bot's level as people read it; empty for a person."""
    return "" if level == BOT_LEVEL_UNSPECIFIED else BotLevel.Name(level).removeprefix("BOT_LEVEL_").lower()


def table_lines(view: SalonView) -> list[str]:
    """How things stand at the table, as the viewer may see it."""
    game = "five-card draw" if view.settings.game == GAME_DRAW else "no-limit hold'em"
    head = f"salon {view.salon_id}, {game}, hand {view.hand}"
    if view.in_hand:
        head += f", {STREETS.get(view.street, '?')}, pot {sum(pot.amount for pot in view.pots)}"
    lines = [head]
    if view.board:
        lines.append(f"board: {' '.join(view.board)}")
    lines += [f"  {_seat_line(seat, view)}" for seat in view.seats]
    if view.over:
        lines.append(OVER)
    elif view.closing:
        lines.append(CLOSES)
    return lines


def _seat_line(seat: SeatView, view: SalonView) -> str:
    name = "you" if seat.seat == view.viewer else seat.name
    level = level_name(seat.level)
    facts: Iterable[str] = (
        f"{level} bot" if level else "",
        f"stack {seat.stack}",
        f"bet {seat.bet}" if seat.bet else "",
        STATES.get(seat.state, ""),
        "leaving" if seat.leaving else "",
        "button" if seat.seat == view.button else "",
        "to act" if seat.seat == view.to_act else "",
        f"cards {' '.join(seat.cards)}" if seat.cards else "",
    )
    return f"seat {seat.seat} {name}: " + ", ".join(fact for fact in facts if fact)


def legal_line(legal: LegalActions) -> str:
    """The legal actions with their keys; amounts are totals."""
    offers = []
    if legal.fold:
        offers.append(MAY_FOLD)
    if legal.check:
        offers.append(MAY_CHECK)
    if legal.call:
        offers.append(MAY_CALL.format(call=legal.call))
    if legal.bet_max:
        text = MAY_BET if legal.bet_min == legal.bet_max else MAY_BET_RANGE
        offers.append(text.format(low=legal.bet_min, high=legal.bet_max))
    if legal.raise_max:
        text = MAY_RAISE if legal.raise_min == legal.raise_max else MAY_RAISE_RANGE
        offers.append(text.format(low=legal.raise_min, high=legal.raise_max))
    if legal.all_in:
        offers.append(MAY_ALL_IN.format(all_in=legal.all_in))
    if legal.draw:
        offers.append(MAY_DRAW.format(most=legal.draw_max))
    return ", ".join(offers)
