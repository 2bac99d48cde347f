"""The salons of the lobby's benchmark, by number: settings of every kind, and what the lobby has to say of each."""

from typing import Final

from croupier.v1.lobby_pb2 import SalonRow
from croupier.v1.settings_pb2 import (
    BOT_LEVEL_EASY,
    BOT_LEVEL_NORMAL,
    BOT_SPEED_INSTANT,
    BOT_SPEED_NATURAL,
    GAME_DRAW,
    GAME_HOLDEM,
    VISIBILITY_INVITATION,
    VISIBILITY_PUBLIC,
    BotSeat,
    SalonSettings,
)

_GAMES: Final = (GAME_HOLDEM, GAME_DRAW)
_MOST_SEATS: Final = {GAME_HOLDEM: 9, GAME_DRAW: 6}
_LEVELS: Final = (BOT_LEVEL_EASY, BOT_LEVEL_NORMAL)
_BLINDS: Final = (1, 2, 5, 25, 100)
_BIG: Final = 2
"""How many times a small blind is a big blind, and a small bet a big bet."""
_ONE_IN: Final = 10
"""Salons for each by invitation."""
_PLAYING: Final = 2
"""Bots that play a hand."""
BETWEEN_HANDS_MS: Final = 1_500


def settings_of(number: int, *, plays: bool) -> SalonSettings:
    """The settings of salon `number`; one that `plays` has two bots who begin by themselves.

    Games alternate, seats, bots and blinds go through all that there is, each at a pace of its own, and one in ten is by
    invitation.
    """
    game = _GAMES[number % 2]
    kind = number // 2
    seats = 2 + kind % (_MOST_SEATS[game] - 1)
    bots = _PLAYING if plays else kind // 8 % (seats + 1)
    small = _BLINDS[kind % len(_BLINDS)]
    settings = SalonSettings(
        game=game,
        seats=seats,
        visibility=VISIBILITY_INVITATION if kind % _ONE_IN == _ONE_IN - 1 else VISIBILITY_PUBLIC,
        bots=[BotSeat(level=_LEVELS[(kind + seat) % 2], seat=seat) for seat in range(1, bots + 1)],
        bot_speed=BOT_SPEED_INSTANT if plays else BOT_SPEED_NATURAL,
        plays_unwatched=plays,
        between_hands_ms=BETWEEN_HANDS_MS,
    )
    if game == GAME_HOLDEM:
        settings.small_blind, settings.big_blind = small, _BIG * small
    else:
        settings.small_bet, settings.big_bet = small, _BIG * small
    return settings


def bots_at_rest(settings: SalonSettings) -> int:
    """How many bots the salon has when it sleeps: of those that played one has stayed."""
    return 1 if settings.plays_unwatched else len(settings.bots)


def is_as_created(row: SalonRow, settings: SalonSettings) -> bool:
    """Whether the row says what the salon's settings do, with nobody there but its bots."""
    stakes = (
        (row.small_blind, row.big_blind) == (settings.small_blind, settings.big_blind)
        if settings.game == GAME_HOLDEM
        else (row.small_bet, row.big_bet) == (settings.small_bet, settings.big_bet)
    )
    said = (row.game, row.visibility, row.seats, row.people, row.bots, row.closing, row.over)
    meant = (settings.game, settings.visibility, settings.seats, 0, bots_at_rest(settings), False, False)
    return stakes and said == meant
