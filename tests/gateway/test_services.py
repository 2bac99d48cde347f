"""The services without gRPC: what views, lists and histories show to whom."""

from typing import Any

import pytest

from bots.explanation import Explanation
from cluster.codec.messages import explanation_from_message
from cluster.gateway.desk import Desk
from cluster.gateway.doorman import VISITOR, Visitor
from cluster.gateway.errors import Declined
from cluster.gateway.history_service import HistoryService
from cluster.gateway.limits import Limits
from cluster.gateway.lobby_service import page_size
from cluster.gateway.outbox import Streams
from cluster.gateway.salon_service import SalonService
from cluster.sessions import Session
from croupier.v1 import history_pb2, refusal_pb2, salon_pb2, settings_pb2, view_pb2
from engine.game import Game
from engine.units import Millis, PlayerId
from tests.cluster.salons import OWNER, SALON, join
from tests.gateway.parlour import SECRET, Parlour

REQUEST = "0f8fad5b-d9cb-469f-a165-70867728950e"


class Call:
    """The context of a call with so many seconds left."""

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds

    def time_remaining(self) -> float | None:
        return self.seconds


class House:
    """The services over a parlour."""

    def __init__(self, parlour: Parlour) -> None:
        desk = Desk(parlour, parlour.feed, SECRET, parlour.clock)
        nobody: Any = None
        self.salons = SalonService(
            desk, parlour.feed, Streams(), log=parlour.journal, doorman=nobody, limits=Limits()
        )
        self.history = HistoryService(desk, parlour.feed, parlour.journal)

    async def view(self, player: str) -> view_pb2.SalonView:
        enter(player)
        return (await self.salons.GetView(salon_pb2.GetViewRequest(salon_id=SALON), Call())).view

    async def status(self, player: str, request: str = REQUEST) -> salon_pb2.GetCommandStatusResponse:
        enter(player)
        asked = salon_pb2.GetCommandStatusRequest(salon_id=SALON, request_id=request)
        return await self.salons.GetCommandStatus(asked, Call())

    async def hands(self, player: str, **page: Any) -> history_pb2.ListHandsResponse:
        enter(player)
        return await self.history.ListHands(history_pb2.ListHandsRequest(salon_id=SALON, **page), Call())

    async def hand(
        self, player: str, hand: int, *, operator: bool = False, explain: bool = False
    ) -> history_pb2.HandRecord:
        enter(player, operator=operator)
        request = history_pb2.GetHandRequest(salon_id=SALON, hand=hand, explain=explain)
        return (await self.history.GetHand(request, Call())).record


def enter(player: str, *, operator: bool = False) -> None:
    VISITOR.set(Visitor(Session(PlayerId(player), player, Millis(9)), "mark", "token", operator))


async def house(**given: Any) -> tuple[Parlour, House]:
    parlour = Parlour()
    await parlour.open(**{"between_hands": 1_000, "hand_limit": 1_000, **given})
    await parlour.seat("ann", "bob")
    return parlour, House(parlour)


async def why(call: Any) -> refusal_pb2.Reason.ValueType:
    with pytest.raises(Declined) as declined:
        await call
    return declined.value.refusal.reason


async def test_a_spectators_view_is_as_late_as_his_updates() -> None:
    parlour, rooms = await house(spectator_delay=1)
    await parlour.play_hand(fold=True)
    await parlour.deal()
    head = await parlour.journal.head(SALON)
    assert head is not None
    late, live = await rooms.view("eve"), await rooms.view("ann")
    assert (live.seq, live.hand, live.in_hand) == (head.seq, 2, True)
    assert (late.seq, late.hand, late.in_hand) == (head.seq - 1, 1, False)


async def test_an_owner_without_a_seat_is_answered_with_no_more_than_a_spectator_sees() -> None:
    parlour, rooms = await house(spectator_delay=1)
    await parlour.deal()
    enter(OWNER)
    request = salon_pb2.AddBotRequest(
        request_id=REQUEST, salon_id=SALON, level=settings_pb2.BOT_LEVEL_EASY, seat=3
    )
    accepted = (await rooms.salons.AddBot(request, Call())).accepted
    assert accepted.view.hand == 0
    assert accepted.view.seq < accepted.seq
    parlour, rooms = await house(spectators=False)
    enter(OWNER)
    accepted = (await rooms.salons.AddBot(request, Call())).accepted
    assert not accepted.HasField("view")


async def test_a_player_is_answered_with_his_own_view() -> None:
    _, rooms = await house()
    enter("ann")
    request = salon_pb2.SitOutRequest(request_id=REQUEST, salon_id=SALON)
    accepted = (await rooms.salons.SitOut(request, Call(2.0))).accepted
    assert (accepted.view.viewer, accepted.view.seq) == (1, accepted.seq)
    assert accepted.view.at_ms


@pytest.mark.parametrize("game", list(Game))
async def test_a_hand_is_told_to_each_reader_with_his_own_cards_and_those_turned_up(game: Game) -> None:
    parlour, rooms = await house(game=game)
    await parlour.play_hand(fold=True)
    for player, seats in (("ann", [1]), ("bob", [2]), ("eve", [])):
        record = await rooms.hand(player, 1)
        dealt = [event.hole_cards_dealt.seat for event in record.events if event.HasField("hole_cards_dealt")]
        assert dealt == seats
        assert [each.name for each in record.players] in (["ann", "bob"], ["bob", "ann"])
        assert record.rules_version == "1.0.0"
    assert await why(rooms.hand("ann", 2)) == refusal_pb2.REASON_UNKNOWN_HAND


async def test_histories_are_as_late_as_what_spectators_see() -> None:
    parlour, rooms = await house(spectator_delay=1)
    await parlour.play_hand(fold=True)
    assert [hand.hand for hand in (await rooms.hands("ann")).hands] == [1]
    assert [hand.hand for hand in (await rooms.hands("eve")).hands] == []
    assert await why(rooms.hand("eve", 1)) == refusal_pb2.REASON_UNKNOWN_HAND
    await parlour.deal()
    assert [hand.hand for hand in (await rooms.hands("eve")).hands] == [1]
    assert (await rooms.hand("eve", 1)).hand == 1


async def test_hands_are_listed_page_by_page_newest_first() -> None:
    parlour, rooms = await house()
    for _ in range(5):
        await parlour.play_hand(fold=True)
    pages: list[list[int]] = []
    token = ""
    while not pages or token:
        page = await rooms.hands("eve", page_size=2, page_token=token)
        pages.append([hand.hand for hand in page.hands])
        token = page.next_page_token
    assert pages == [[5, 4], [3, 2], [1]]
    for wrong in ("x", "-1", "9" * 40):
        assert await why(rooms.hands("eve", page_token=wrong)) == refusal_pb2.REASON_MALFORMED


@pytest.mark.parametrize("fold", [False, True])
async def test_bots_are_explained_where_their_cards_were_shown_and_to_operators_always(fold: bool) -> None:
    """S4, S5: an explanation is shown like the cards behind it, to who asks for it."""
    parlour, rooms = await house()
    parlour.thinks = lambda _: Explanation("a coin", equity=0.5, mix=(("call", 1.0),))
    await parlour.deal()
    assert await why(rooms.hand("ann", 1, operator=True, explain=True)) == refusal_pb2.REASON_UNKNOWN_HAND
    while (hand := parlour.table().hand) is not None and not hand.over:
        await parlour.act(fold=fold)
    for player in ("ann", "bob", "eve"):
        assert not (await rooms.hand(player, 1)).explanations
        assert not (await rooms.hand(player, 1, operator=True)).explanations
        told = (await rooms.hand(player, 1, explain=True)).explanations
        events = (await rooms.hand(player, 1)).events
        shown = {event.cards_shown.seat for event in events if event.HasField("cards_shown")}
        assert {each.seat for each in told} == shown
        assert bool(shown) is not fold
        all_told = (await rooms.hand(player, 1, operator=True, explain=True)).explanations
        assert [each.turn for each in all_told] == list(range(1, len(all_told) + 1))
        assert {explanation_from_message(each) for each in all_told} == {parlour.thinks(parlour.table())}


async def test_an_operator_reads_every_finished_hand_at_once_with_the_cards_of_a_spectator() -> None:
    """V2 binds spectators; a card that was not shown is for --reveal-all."""
    parlour, rooms = await house(spectators=False, spectator_delay=1)
    await parlour.play_hand(fold=True)
    assert await why(rooms.hand("eve", 1)) == refusal_pb2.REASON_NO_SPECTATORS
    record = await rooms.hand("eve", 1, operator=True)
    assert record.hand == 1
    assert not any(event.HasField("hole_cards_dealt") for event in record.events)


async def test_histories_of_closed_salons_are_for_those_who_may_watch() -> None:
    parlour, rooms = await house(spectators=False)
    await parlour.play_hand(fold=True)
    assert await why(rooms.hands("eve")) == refusal_pb2.REASON_NO_SPECTATORS
    assert await why(rooms.hand("eve", 1)) == refusal_pb2.REASON_NO_SPECTATORS
    assert (await rooms.hand("ann", 1)).hand == 1


async def test_who_asks_for_a_command_is_told_no_more_of_the_log_than_he_is_shown() -> None:
    """V2: else a spectator could count the actions of the hand that is being played."""
    parlour, rooms = await house(spectator_delay=1)
    await parlour.play_hand(fold=True)
    await parlour.deal()
    shown = (await rooms.view("eve")).seq
    told = await rooms.status("eve")
    assert (told.WhichOneof("status"), told.seq) == ("not_known", shown)
    head = await parlour.journal.head(SALON)
    assert head is not None
    assert (await rooms.status("ann")).seq == head.seq > shown
    parlour.journal.salons[SALON].forgot = head.seq
    assert (await rooms.status("eve")).not_known.complete_after_seq == shown
    assert (await rooms.status("ann")).not_known.complete_after_seq == head.seq


async def test_a_command_that_was_done_is_told_of_to_who_may_no_longer_watch() -> None:
    parlour, rooms = await house(spectators=False)
    enter("ann")
    left = (
        await rooms.salons.Leave(salon_pb2.LeaveRequest(request_id=REQUEST, salon_id=SALON), Call())
    ).accepted
    await parlour.done(join("cid", 3))
    told = await rooms.status("ann")
    assert (told.done.epoch, told.done.seq) == (told.epoch, told.seq) == (left.epoch, left.seq)


@pytest.mark.parametrize(
    "given, reason",
    [
        ({"spectators": False}, refusal_pb2.REASON_NO_SPECTATORS),
        ({"visibility": "invitation"}, refusal_pb2.REASON_CODE_REQUIRED),
    ],
)
async def test_of_a_closed_salon_strangers_are_told_nothing(
    given: dict[str, Any], reason: refusal_pb2.Reason.ValueType
) -> None:
    _, rooms = await house(**given)
    assert await why(rooms.status("eve")) == reason
    assert (await rooms.status("ann")).WhichOneof("status") == "not_known"


@pytest.mark.parametrize("asked", [-1, 101, 1 << 30])
def test_a_page_has_a_size_from_1_to_100(asked: int) -> None:
    with pytest.raises(Declined):
        page_size(asked, 20)
    assert (page_size(0, 20), page_size(100, 20)) == (20, 100)
