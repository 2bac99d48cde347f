"""Asking: random commands of a walk, and which of them a turn's offers allow."""

from collections.abc import Iterator
from random import Random

from engine.betting import legal_actions
from engine.cards import Card
from engine.commands import (
    LOTS,
    AcceptLoss,
    AddBot,
    AllIn,
    BetTo,
    Call,
    Check,
    CloseSalon,
    Command,
    Draw,
    ExpireTurn,
    ExtendAbsences,
    Fold,
    GiveGrace,
    Join,
    Kick,
    Leave,
    RaiseTo,
    RemoveBot,
    Reveal,
    SitIn,
    SitOut,
    StartHand,
    Sweep,
    TopUpTo,
    TurnCommand,
    VoidHand,
)
from engine.hand import Hand
from engine.legal import LegalActions
from engine.seating import buy_in_range
from engine.settings import BotLevel
from engine.table import Presence, Table
from engine.units import OPERATOR, Chips, HandNumber, Millis, PlayerId, Seat, Turn

Identity = tuple[PlayerId, HandNumber, Turn]
NO_TURN: Identity = (PlayerId("p1"), HandNumber(0), Turn(0))
STRANGE_CARDS = (-1, 52, 99)


def current(table: Table) -> Identity:
    """The turn that runs, as whoever is to act would name it."""
    hand = table.hand
    player = table.players[hand.to_act] if hand else None
    return (player.player, hand.hand, hand.turn) if hand and player else NO_TURN


def is_offered(table: Table, command: TurnCommand) -> bool:
    """Whether the offers of the turn that runs say that this command is accepted now."""
    legal = legal_actions(table)
    if (command.player, command.hand, command.turn) != current(table):
        return False
    match command:
        case Fold():
            return legal.fold
        case Check():
            return legal.check
        case Call():
            return legal.call > 0
        case BetTo():
            return 0 < legal.bet_min <= command.to <= legal.bet_max
        case RaiseTo():
            return 0 < legal.raise_min <= command.to <= legal.raise_max
        case AllIn():
            return legal.all_in > 0
        case Draw():
            hand, cards = table.hand, set(command.cards)
            own = set(hand.cards[hand.to_act]) if hand else set()
            single = len(cards) == len(command.cards) <= legal.draw_max
            return legal.draw and single and cards <= own


def passing(table: Table) -> TurnCommand:
    """What keeps the mover in the hand for the least: a check or a call; at the draw, standing pat."""
    legal, identity = legal_actions(table), current(table)
    if legal.draw:
        return Draw(*identity, ())
    return Check(*identity) if legal.check else Call(*identity)


def legal(rng: Random, table: Table, *, wild: bool) -> TurnCommand:
    """A legal action; folds are rare, so that many reach the showdown. Wild play raises and goes all-in a lot."""
    offered, identity, hand = legal_actions(table), current(table), table.hand
    if offered.draw and hand:
        cards = list(hand.cards[hand.to_act])
        return Draw(*identity, tuple(_sample(rng, cards, rng.randint(0, offered.draw_max))))
    fold, lift, all_in = (1, 9, 12) if wild else (2, 7, 8)
    chance = rng.randint(0, 19)
    if chance < fold:
        return Fold(*identity)
    if chance < lift and (offered.bet_max or offered.raise_max):
        return _lift(rng, offered, identity)
    if lift <= chance < all_in and offered.all_in:
        return AllIn(*identity)
    return passing(table)


def _lift(rng: Random, offered: LegalActions, identity: Identity) -> TurnCommand:
    low, high = offered.bet_min or offered.raise_min, offered.bet_max or offered.raise_max
    to = rng.choice((low, low, high, rng.randint(low, high), min(high, low + rng.randint(0, 3))))
    return (BetTo if offered.bet_max else RaiseTo)(*identity, Chips(to))


def _sample(rng: Random, cards: list[Card], count: int) -> list[Card]:
    """As `rng.sample`, by few small draws."""
    left = cards[:]
    return [left.pop(rng.randint(0, len(left) - 1)) for _ in range(count)]


def bounds(table: Table) -> Iterator[TurnCommand]:
    """Every action of the running turn at its bounds, one chip beyond them, and for the wrong turn or player."""
    identity, offered, hand = current(table), legal_actions(table), table.hand
    player, number, turn = identity
    assert hand is not None
    for plain in (Fold, Check, Call, AllIn):
        yield plain(*identity)
    for lift in (BetTo, RaiseTo):
        ends = (offered.bet_min, offered.bet_max, offered.raise_min, offered.raise_max, offered.call_to)
        for to in sorted({end + beside for end in ends for beside in (-1, 0, 1)}):
            yield lift(*identity, Chips(to))
    cards = hand.cards[hand.to_act]
    for count in range(6):
        yield Draw(*identity, cards[:count])
    yield Draw(*identity, (cards[0], cards[0]))
    yield Draw(*identity, (*cards[:2], Card(next(card for card in range(52) if card not in cards))))
    yield Fold(player, number, Turn(turn - 1))
    yield Fold(player, HandNumber(number - 1), turn)
    yield from (Fold(other, number, turn) for other in table.seat_of if other != player)


def any_turn(rng: Random, table: Table) -> TurnCommand:
    """A command of a turn, of anybody, about the running turn or one near it, of any amount."""
    player, hand, turn = current(table)
    if rng.randint(0, 3) == 0:
        player = _anybody(rng, table)
    if rng.randint(0, 5) == 0:
        hand, turn = HandNumber(hand + rng.randint(-1, 1)), Turn(turn + rng.randint(-1, 1))
    identity = (player, hand, turn)
    kind = rng.randint(0, 6)
    if kind < 4:
        return (Fold, Check, Call, AllIn)[kind](*identity)
    if kind < 6:
        return (BetTo, RaiseTo)[kind - 4](*identity, _amount(rng, table))
    return Draw(*identity, _some_cards(rng, table.hand))


def _some_cards(rng: Random, hand: Hand | None) -> tuple[Card, ...]:
    own = list(hand.cards[hand.to_act]) if hand else []
    strange = [Card(number) for number in (*STRANGE_CARDS, rng.randint(0, 51))]
    cards = own * 2 + strange
    return tuple(_sample(rng, cards, rng.randint(0, 4)))


def _amount(rng: Random, table: Table) -> Chips:
    offered = legal_actions(table)
    near = rng.choice(
        (offered.bet_min, offered.bet_max, offered.raise_min, offered.raise_max, offered.call_to)
    )
    return Chips(near + rng.choice((-1, 0, 1, rng.randint(-100, 100), 2**62)))


def _anybody(rng: Random, table: Table) -> PlayerId:
    return PlayerId(f"p{rng.randint(1, table.settings.seats + 2)}")


def joining(rng: Random, table: Table, now: Millis) -> Command:
    """Somebody comes, with the least or the most chips or any number between."""
    player = _anybody(rng, table)
    least, most = buy_in_range(table, player, now)
    stack = rng.choice((least, most, rng.randint(least, most), rng.randint(least, most)))
    return Join(player, player.upper(), Seat(0), Chips(stack))


def about_a_seat(rng: Random, table: Table, now: Millis) -> Command:
    """Somebody comes, if there is room, or does something about his seat that is often allowed."""
    if len(table.seat_of) < 2 or (len(table.seat_of) < table.settings.seats and rng.randint(0, 2) == 0):
        return joining(rng, table, now)
    player = rng.choice(sorted(table.seat_of))
    seat = table.seat_of[player]
    holder, chance = table.players[seat], rng.randint(0, 9)
    if holder is not None and holder.presence is Presence.SITTING_OUT and chance < 8:
        chance = 3 if table.stacks[seat] > table.settings.min_buy_in else 6
    if chance < 1:
        return Leave(player)
    if chance < 2:
        return SitOut(player)
    if chance < 5:
        return SitIn(player, post=bool(rng.randint(0, 1)))
    if chance < 8:
        return TopUpTo(player, Chips(rng.randint(table.settings.min_buy_in, table.settings.max_buy_in)))
    cards = table.hand.cards[seat] if table.hand else ()
    return Reveal(player, table.hand_number, cards[: rng.randint(1, 5)])


def anything(rng: Random, table: Table, deck: tuple[Card, ...]) -> Command:
    """Any command but one of a turn, sensible or not."""
    player, seat = _anybody(rng, table), Seat(rng.randint(-1, table.settings.seats + 1))
    chips = Chips(rng.choice((0, 1, -5, table.settings.min_buy_in, table.settings.max_buy_in + 1, 2**62)))
    hand, turn = table.hand_number, Turn(table.hand.turn if table.hand else 0)
    by = rng.choice((OPERATOR, table.owner, player))
    bot = PlayerId(f"bot{rng.randint(1, 3)}")
    often: tuple[Command, ...] = (
        Join(player, rng.choice(("", "P", "P" * 33, "a\nb")), seat, chips),
        AddBot(by, bot, "Bot", BotLevel.EASY, seat=seat),
        Leave(player),
        SitOut(player),
        SitIn(player, post=True),
        TopUpTo(player, chips),
        Reveal(player, HandNumber(hand - rng.randint(0, 1)), _some_cards(rng, table.hand)),
        Kick(by, seat),
        RemoveBot(by, seat),
        StartHand(deck, rng.randint(0, LOTS - 1)),
        ExpireTurn(HandNumber(hand - rng.randint(0, 1)), turn),
        GiveGrace(
            hand, turn, Millis(rng.randint(0, 60_000) + (table.hand.deadline if table.hand else 0) - 90_000)
        ),
        ExtendAbsences(Millis(rng.randint(0, 700_000) + table.next_hand_at - 350_000)),
        Sweep(),
    )
    if rng.randint(0, 39) == 0:
        lost = AcceptLoss(rng.randint(0, 9), HandNumber(hand + rng.randint(-1, 1)), "a test")
        return rng.choice((CloseSalon(by), VoidHand("a test"), lost))
    return rng.choice(often)
