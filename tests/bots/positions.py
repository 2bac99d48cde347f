"""Positions for tests: observations of hold'em, heads-up unless told otherwise, in big blinds of 2 chips."""

from collections.abc import Sequence
from dataclasses import replace

from bots.protocol import Observation, SeenAction, SeenSeat
from engine.cards import parse_cards

Line = Sequence[tuple[str, int, str, int]]
"""Street, seat, kind and amount of each action."""


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


def seat(
    number: int, *, stack: int = 200, bet: int = 0, contribution: int = 0, state: str = "live"
) -> SeenSeat:
    return SeenSeat(number, state, stack, bet, contribution, -1, ())


def river(own: str, board: str, *, pot: int = 20, stack: int = 190, **changes: object) -> Observation:
    """Called before the flop, checked to the river, the bot on the button and last to act: a check is offered."""
    history = [("preflop", 1, "raise", 6), ("preflop", 2, "call", 6)]
    streets = {3: ("flop",), 4: ("flop", "turn"), 5: ("flop", "turn", "river")}[len(cards(board))]
    for street in streets:
        history.append((street, 2, "check", 0))
        if street != streets[-1]:
            history.append((street, 1, "check", 0))
    observation = Observation(
        game="holdem", hand=1, turn=9, street=streets[-1], seat=1, cards=cards(own), board=cards(board),
        seats=(seat(1, stack=stack, contribution=pot // 2), seat(2, stack=stack, contribution=pot // 2)),
        history=tuple(SeenAction(*action) for action in history), button=1, small_blind=1, big_blind=2, unit=2,
        ante=0, pot=pot, bet=0, fold=True, check=True, call=0, call_to=0, bet_min=2, bet_max=stack, raise_min=0,
        raise_max=0, all_in=stack, draw=False, draw_max=0, turn_time=20_000,
    )  # fmt: skip
    return replace(observation, **changes)  # type: ignore[arg-type]  # the names are fields


def facing(own: str, board: str, bet: int, *, pot: int = 20, stack: int = 190) -> Observation:
    """As `river`, where seat 2 has bet instead; for all his chips where `bet` is the stack."""
    calm = river(own, board, pot=pot, stack=stack)
    left = stack - bet
    can_raise = left > 0
    return replace(
        calm,
        history=(*calm.history[:-1], SeenAction(calm.street, 2, "bet", bet)),
        seats=(calm.seats[0], seat(2, stack=left, bet=bet, state="live" if left else "all_in")),
        pot=pot + bet, bet=bet, check=False, call=bet, call_to=bet, bet_min=0, bet_max=0,
        raise_min=min(stack, 2 * bet) if can_raise else 0, raise_max=stack if can_raise else 0,
    )  # fmt: skip


def preflop(own: str, *, stack: int = 200, players: int = 2, line: Line = ()) -> Observation:
    """Before the flop, after `line`; the bot is first to act, or answers a raise to the last amount of it."""
    blinds = {2: (1, 2)}.get(players, (2, 3))
    small, big = blinds
    own_seat = {2: 1}.get(players, 4 if players > 3 else 1)
    bets = {small: 1, big: 2}
    bets |= {number: amount for _, number, kind, amount in line if kind != "fold"}
    folded = {number for _, number, kind, _ in line if kind == "fold"}
    seats = tuple(
        seat(
            number,
            stack=stack - bets.get(number, 0),
            bet=bets.get(number, 0),
            contribution=bets.get(number, 0),
            state="folded" if number in folded else "all_in" if bets.get(number) == stack else "live",
        )
        for number in range(1, players + 1)
    )
    bet = max(bets.values())
    mine = bets.get(own_seat, 0)
    open_ended = bet < stack
    return Observation(
        game="holdem", hand=1, turn=1, street="preflop", seat=own_seat, cards=cards(own), board=(), seats=seats,
        history=tuple(SeenAction(*action) for action in line), button=1, small_blind=small, big_blind=big, unit=2,
        ante=0, pot=sum(bets.values()), bet=bet, fold=True, check=bet == mine, call=bet - mine, call_to=bet,
        bet_min=0, bet_max=0, raise_min=min(stack, 2 * bet) if open_ended else 0,
        raise_max=stack if open_ended else 0, all_in=stack - mine, draw=False, draw_max=0, turn_time=20_000,
    )  # fmt: skip


def at_draw(own: str, *, players: int = 2, pot: int = 6, drawn: int = -1, **changes: object) -> Observation:
    """Draw at the usual stakes: the bot in seat 1, on the button, is last to act; nobody has bet, and a check is free."""
    seats = [SeenSeat(number, "live", 160, 0, pot // players, drawn, ()) for number in range(1, players + 1)]
    observation = Observation(
        game="draw", hand=1, turn=9, street="predraw", seat=1, cards=cards(own), board=(), seats=tuple(seats),
        history=tuple(SeenAction("predraw", number, "check", 0) for number in range(2, players + 1)), button=1,
        small_blind=0, big_blind=0, unit=2, ante=1, pot=pot, bet=0, fold=True, check=True, call=0, call_to=0,
        bet_min=2, bet_max=2, raise_min=0, raise_max=0, all_in=0, draw=False, draw_max=0, turn_time=20_000,
        big_bet=4, raise_cap=3,
    )  # fmt: skip
    return replace(observation, **changes)  # type: ignore[arg-type]  # the names are fields


def postdraw(own: str, draws: Sequence[int], line: Line | None = None, **changes: object) -> Observation:
    """After the draw, against opponents in seats from 2 on who called a bet and drew so many; they check, or do `line`."""
    seen = at_draw(
        own, players=1 + len(draws), pot=3 * (1 + len(draws)), street="postdraw", bet_min=4, bet_max=4
    )
    others = range(2, len(draws) + 2)
    first, *rest = others
    before = [("predraw", first, "bet", 2), *(("predraw", number, "call", 2) for number in (*rest, 1))]
    after = [("postdraw", number, "check", 0) for number in others] if line is None else line
    drawn = (3, *draws)
    return replace(
        seen,
        seats=tuple(seat._replace(drawn=many) for seat, many in zip(seen.seats, drawn, strict=True)),
        history=tuple(SeenAction(*action) for action in (*before, *after)),
        **changes,  # type: ignore[arg-type]  # the names are fields
    )


def facing_a_bet(own: str, draws: Sequence[int] = (3,)) -> Observation:
    """As `postdraw`, where seat 2 has bet and the others called."""
    line = [
        ("postdraw", 2, "bet", 4),
        *(("postdraw", number, "call", 4) for number in range(3, len(draws) + 2)),
    ]
    return postdraw(
        own, draws, line, pot=3 * (1 + len(draws)) + 4 * len(draws), bet=4, check=False, call=4, call_to=4,
        bet_min=0, bet_max=0, raise_min=8, raise_max=8,
    )  # fmt: skip
