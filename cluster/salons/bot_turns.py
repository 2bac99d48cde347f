"""The turns of a salon's bots: whose it is is asked once a turn, and what it answers is executed like any command.

Crash contract: nothing here is kept. Whoever loads the salon asks again; the request_id follows from hand and
turn, so that a bot acts once however often it was asked.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from bots.brain import Fallback
from bots.explanation import Explanation
from cluster.envelope import Refused, SalonId
from cluster.salons.house import BotTurn, House
from cluster.salons.memory import Origin, digest_of, in_hand
from cluster.salons.passive import passive_command
from engine.table import Player, Table
from engine.units import HandNumber, PlayerId, Turn
from engine.view import TableView, view_of

Execute = Callable[[TableView, BotTurn, Origin], Awaitable[Refused | None]]
"""Executes a bot's command if the view's turn is still the turn; answers the refusal, if it was refused."""
_BROKE: Final = Explanation("no answer that could be used", fallback=Fallback.PASSIVE.value)
_log: Final = structlog.get_logger()


class BotTurns:
    """Asks the bots of one salon."""

    def __init__(self, salon: SalonId, house: House, execute: Execute) -> None:
        self._salon = salon
        self._house = house
        self._execute = execute
        self._asked: tuple[HandNumber, Turn] | None = None

    def due(self, table: Table) -> Coroutine[Any, Any, None] | None:
        """The work of asking the bot whose turn it is; None where it is nobody's or a person's, or was asked."""
        hand = table.hand
        if hand is None or hand.over or not hand.to_act:
            return None
        player = table.players[hand.to_act]
        if player is None or player.level is None or self._asked == (hand.hand, hand.turn):
            return None
        self._asked = (hand.hand, hand.turn)
        return self._play(view_of(table, hand.to_act), player)

    def forget(self) -> None:
        """Ask again whoever was asked: the table is read anew, and the turn may not be what it was."""
        self._asked = None

    async def _play(self, view: TableView, player: Player) -> None:
        passive = BotTurn(passive_command(view, player.player), _BROKE)
        try:
            turn = await self._house.bots.decide(view, player)
        except Exception as bug:  # noqa: BLE001 - a bot's bug must not stop the hand
            _log.error("bot_broke", salon=self._salon, player=player.player, bug=type(bug).__name__)
            turn = passive
        async with self._house.acting:
            refused = await self._execute(view, turn, _origin(view, player.player, turn))
            if refused:
                _log.error("bot_refused", salon=self._salon, reason=refused.refusal.reason)
                await self._execute(view, passive, _origin(view, player.player, passive))


def still_open(table: Table, view: TableView) -> bool:
    """Whether the turn of `view` is still the turn."""
    return (
        in_hand(table)
        and table.hand is not None
        and (table.hand.hand, table.hand.turn, table.hand.to_act) == (view.hand, view.turn, view.to_act)
    )


def _origin(view: TableView, player: PlayerId, turn: BotTurn) -> Origin:
    return Origin(player, f"bot-{view.hand}-{view.turn}", digest_of(turn.command), turn.note, in_turn=True)
