"""The gateway over real gRPC, Ray and Redis: what a client may count on."""

import asyncio
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis

from cluster.client import Client
from cluster.envelope import SalonId
from cluster.journal.salon_keys import key
from croupier.v1 import (
    history_pb2,
    lobby_pb2,
    refusal_pb2,
    salon_pb2,
    session_pb2,
    settings_pb2,
    turn_pb2,
)
from tests.integration.gateways import DEADLINE, Guest, Playing, Running, act, new_id, watched, wrong

pytestmark = pytest.mark.integration
GAMES = pytest.mark.parametrize("game", ["HOLDEM", "DRAW"])
CODE = grpc.StatusCode


async def _turn(playing: Playing) -> turn_pb2.YourTurn:
    """The next turn of the stream's player."""
    while True:
        update = await playing.update()
        for said in (update.commit, update.snapshot):
            if said.HasField("your_turn"):
                return said.your_turn


class Pair:
    """Ann and Bob at one table, each watching; `mover` is whose turn it is first."""

    def __init__(self, salon: str, guests: tuple[Guest, Guest], streams: dict[Guest, Playing]) -> None:
        self.salon = salon
        self.streams = streams
        self.mover, self.other = guests

    async def find_mover(self) -> turn_pb2.YourTurn:
        asked = {asyncio.create_task(_turn(stream)): guest for guest, stream in self.streams.items()}
        done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        (task,) = done
        if asked[task] is not self.mover:
            self.mover, self.other = self.other, self.mover
        return task.result()


async def _seated(ann: Guest, bob: Guest, game: str = "HOLDEM") -> Pair:
    salon = await ann.open(game, between_hands_ms=1_000)
    streams = {}
    for seat, guest in enumerate((ann, bob), 1):
        await guest.join(salon, seat)
        streams[guest] = await watched(guest, salon)
    return Pair(salon, (ann, bob), streams)


@GAMES
async def test_a_hand_is_played_to_its_end_over_play(gateway: Running, game: str) -> None:
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        salon = await ann.open(game, between_hands_ms=1_000)
        for seat, guest in enumerate((ann, bob), 1):
            await guest.join(salon, seat)

        async def play(guest: Guest) -> None:
            playing = await watched(guest, salon)
            while True:
                update = await playing.update()
                ended = any(event.HasField("hand_ended") for event in update.commit.events)
                if ended or (update.snapshot.hand and not update.snapshot.in_hand):
                    return
                said = update.snapshot if update.HasField("snapshot") else update.commit
                if said.HasField("your_turn"):
                    request = act(salon, said.your_turn)
                    command = salon_pb2.PlayCommand(act=request)
                    await playing.send(salon_pb2.PlayRequest(commands=[command]))
                    answer = await playing.answer(request.request_id)
                    assert not answer.HasField("refusal"), answer

        await asyncio.gather(play(ann), play(bob))
        listed = await ann.call(ann.history.ListHands, history_pb2.ListHandsRequest(salon_id=salon))
        assert [hand.hand for hand in listed.hands] == [1]
        request = history_pb2.GetHandRequest(salon_id=salon, hand=1)
        record = (await ann.call(ann.history.GetHand, request)).record
        dealt = [event.hole_cards_dealt for event in record.events if event.HasField("hole_cards_dealt")]
        assert [cards.seat for cards in dealt] == [1]


async def test_a_unary_action_is_answered_with_the_view_after_it_and_twice_is_once(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        pair = await _seated(ann, bob)
        turn, mover = await pair.find_mover(), pair.mover
        request = act(pair.salon, turn)
        first = (await mover.call(mover.salons.Act, request)).accepted
        again = (await mover.call(mover.salons.Act, request)).accepted
        assert (first.epoch, first.seq) == (again.epoch, again.seq)
        assert first.view.seq >= first.seq
        assert len(first.view.history) == 1
        assert first.view.to_act != first.view.viewer
        other = act(pair.salon, turn, fold=turn_pb2.Fold())
        other.request_id = request.request_id
        assert (await wrong(mover.call(mover.salons.Act, other))).info.reason == "REQUEST_ID_REUSED"


async def test_a_raise_under_the_minimum_is_refused_with_what_would_be_legal(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        pair = await _seated(ann, bob)
        turn, mover, other = await pair.find_mover(), pair.mover, pair.other
        small = act(pair.salon, turn, raise_to=turn_pb2.RaiseTo(to=turn.legal.raise_min - 1))
        refused = await wrong(mover.call(mover.salons.Act, small))
        assert (refused.code, refused.info.reason) == (CODE.FAILED_PRECONDITION, "AMOUNT_OUT_OF_RANGE")
        assert refused.info.domain == "croupier.v1"
        assert refused.info.metadata["min"] == str(turn.legal.raise_min)
        assert refused.info.metadata["max"] == str(turn.legal.raise_max)
        assert refused.refusal.legal == turn.legal
        assert str(turn.legal.raise_min) in refused.text
        stale = act(pair.salon, turn)
        stale.turn_id.turn += 1
        assert (await wrong(mover.call(mover.salons.Act, stale))).info.reason == "STALE_TURN"
        early = await wrong(other.call(other.salons.Act, act(pair.salon, turn, fold=turn_pb2.Fold())))
        assert (early.code, early.info.reason) == (CODE.FAILED_PRECONDITION, "NOT_YOUR_TURN")


async def test_five_cards_to_draw_are_refused_and_the_turn_stays_open(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        pair = await _seated(ann, bob, "DRAW")
        turn, mover, other = await pair.find_mover(), pair.mover, pair.other
        salon = pair.salon
        await mover.call(mover.salons.Act, act(salon, turn))
        await other.call(other.salons.Act, act(salon, await _turn(pair.streams[other])))
        turn = await _turn(pair.streams[mover])
        assert turn.legal.draw
        view = (await mover.call(mover.salons.GetView, salon_pb2.GetViewRequest(salon_id=salon))).view
        own = next(seat.cards for seat in view.seats if seat.seat == view.viewer)
        assert len(own) == 5
        five = act(salon, turn, draw=turn_pb2.Draw(cards=own))
        assert (await wrong(mover.call(mover.salons.Act, five))).info.reason == "TOO_MANY_CARDS"
        three = act(salon, turn, draw=turn_pb2.Draw(cards=own[:3]))
        drawn = (await mover.call(mover.salons.Act, three)).accepted.view
        mine = next(seat for seat in drawn.seats if seat.seat == view.viewer)
        assert mine.drawn == 3
        assert not set(own[:3]) & set(mine.cards)


async def test_without_a_token_nothing_is_answered(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        for metadata in ((), (("authorization", "Bearer nobody"),), (("authorization", "Basic x"),)):
            call = ann.sessions.WhoAmI(session_pb2.WhoAmIRequest(), metadata=metadata, timeout=DEADLINE)
            refused = await wrong(call)
            assert (refused.code, refused.info.reason) == (CODE.UNAUTHENTICATED, "SIGN_IN_REQUIRED")
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await ann.salons.Watch(salon_pb2.WatchRequest(salon_id="s1"), timeout=DEADLINE).read()
        assert error.value.code() is CODE.UNAUTHENTICATED


async def test_signing_out_ends_the_session_and_its_streams(gateways: Any) -> None:
    """On another gateway too, as fast as Redis tells."""
    here, there = await gateways(), await gateways()
    async with Guest(here.address, "Ann") as ann, Guest(there.address, "Bob") as elsewhere:
        elsewhere.metadata = ann.metadata
        await elsewhere.call(elsewhere.sessions.WhoAmI, session_pb2.WhoAmIRequest())
        playing = elsewhere.play()
        await ann.call(ann.sessions.SignOut, session_pb2.SignOutRequest())
        assert await playing.ended() is CODE.UNAUTHENTICATED
        assert (
            await wrong(ann.call(ann.sessions.WhoAmI, session_pb2.WhoAmIRequest()))
        ).code is CODE.UNAUTHENTICATED
        again = elsewhere.call(elsewhere.sessions.WhoAmI, session_pb2.WhoAmIRequest())
        assert (await wrong(again)).code is CODE.UNAUTHENTICATED


async def test_what_cannot_be_read_is_an_invalid_argument_that_names_the_field(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        salon = await ann.open()
        long_name = session_pb2.SignInGuestRequest(request_id=new_id(), name="x" * 10_240)
        cases: list[tuple[Any, Any, str]] = [
            (ann.salons.Join, salon_pb2.JoinRequest(salon_id="../etc"), "salon_id"),
            (ann.salons.Join, salon_pb2.JoinRequest(salon_id=salon, request_id="1"), "request_id"),
            (ann.salons.Act, salon_pb2.ActRequest(salon_id=salon, fold=turn_pb2.Fold()), "turn_id"),
            (ann.lobby.CreateSalon, lobby_pb2.CreateSalonRequest(), "settings.game"),
            (ann.lobby.ListSalons, lobby_pb2.ListSalonsRequest(page_token="no"), "page_token"),
            (ann.lobby.ListSalons, lobby_pb2.ListSalonsRequest(page_size=101), "page_size"),
            (ann.salons.AddBot, salon_pb2.AddBotRequest(salon_id=salon), "level"),
        ]
        for method, request, field in cases:
            refused = await wrong(ann.call(method, request))
            assert (refused.code, refused.fields) == (CODE.INVALID_ARGUMENT, [field])
        refused = await wrong(ann.call(ann.sessions.SignInGuest, long_name))
        assert (refused.code, refused.info.reason) == (CODE.INVALID_ARGUMENT, "NAME_REFUSED")
        assert "xxx" not in refused.text
        over = salon_pb2.JoinRequest(salon_id=salon, invitation_code="x" * (64 << 10))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await ann.call(ann.salons.Join, over)
        assert error.value.code() is CODE.RESOURCE_EXHAUSTED


async def test_a_setting_out_of_range_is_refused_with_its_range(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        settings = settings_pb2.SalonSettings(game=settings_pb2.GAME_HOLDEM, turn_time_ms=999)
        request = lobby_pb2.CreateSalonRequest(settings=settings)
        refused = await wrong(ann.call(ann.lobby.CreateSalon, request))
        assert (refused.code, refused.info.reason) == (CODE.INVALID_ARGUMENT, "SETTING_OUT_OF_RANGE")
        assert refused.fields == ["settings.turn_time_ms"]
        assert (refused.info.metadata["min"], refused.info.metadata["max"]) == ("1000", "300000")


async def test_an_unknown_salon_is_not_found_by_any_call(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        calls = [
            ann.call(ann.salons.Join, salon_pb2.JoinRequest(salon_id="nowhere")),
            ann.call(ann.salons.GetView, salon_pb2.GetViewRequest(salon_id="nowhere")),
            ann.call(ann.lobby.FindSalon, lobby_pb2.FindSalonRequest(salon_id="nowhere")),
            ann.call(ann.history.ListHands, history_pb2.ListHandsRequest(salon_id="nowhere")),
            ann.call(ann.salons.GetCommandStatus, salon_pb2.GetCommandStatusRequest(salon_id="nowhere")),
        ]
        for call in calls:
            refused = await wrong(call)
            assert (refused.code, refused.info.reason) == (CODE.NOT_FOUND, "UNKNOWN_SALON")
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await ann.watch("nowhere").read()
        assert error.value.code() is CODE.NOT_FOUND


async def test_a_salon_created_again_with_the_same_request_is_the_same(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        bots = [settings_pb2.BotSeat(level=settings_pb2.BOT_LEVEL_EASY)]
        settings = settings_pb2.SalonSettings(game=settings_pb2.GAME_DRAW, bots=bots)
        request = lobby_pb2.CreateSalonRequest(request_id=new_id(), settings=settings)
        first = await ann.call(ann.lobby.CreateSalon, request)
        join = salon_pb2.JoinRequest(request_id=new_id(), salon_id=first.salon_id)
        joined = (await ann.call(ann.salons.Join, join)).accepted
        again = await ann.call(ann.lobby.CreateSalon, request)
        assert first.salon_id == again.salon_id
        # The same answer, though much has happened since; the view is of now.
        done = (again.accepted.epoch, again.accepted.seq)
        assert done == (first.accepted.epoch, 1)
        assert done[0] < joined.epoch, "the salon was taken up after it was opened"
        assert again.accepted.view.seq >= joined.seq
        bot = next(seat for seat in again.accepted.view.seats if seat.seat != again.accepted.view.viewer)
        assert bot.level == settings_pb2.BOT_LEVEL_EASY
        request.settings.seats = 2
        assert (await wrong(ann.call(ann.lobby.CreateSalon, request))).info.reason == "REQUEST_ID_REUSED"


async def test_a_salon_is_created_asleep_and_taken_up_by_the_first_who_sits_down(
    gateway: Running, store: Redis
) -> None:
    """The owner has its view, the lobby its row, and no host has heard of it; a bot that waits there plays then."""
    async with Guest(gateway.address, "Ann") as ann:
        bots = [settings_pb2.BotSeat(level=settings_pb2.BOT_LEVEL_EASY, seat=2)]
        settings = settings_pb2.SalonSettings(game=settings_pb2.GAME_HOLDEM, bots=bots, between_hands_ms=1)
        created = await ann.call(ann.lobby.CreateSalon, lobby_pb2.CreateSalonRequest(settings=settings))
        salon, view = created.salon_id, created.accepted.view
        assert (created.accepted.seq, view.seq, view.viewer) == (1, 1, 0)
        assert [(seat.seat, seat.level) for seat in view.seats] == [(2, settings_pb2.BOT_LEVEL_EASY)]
        assert await store.hget(key(SalonId(salon), "head"), "host") == b""
        listed = await ann.call(ann.lobby.ListSalons, lobby_pb2.ListSalonsRequest())
        rows = [row for row in listed.salons if row.salon_id == salon]
        assert [(row.bots, row.people) for row in rows] == [(1, 0)]
        assert await ann.call(ann.salons.GetView, salon_pb2.GetViewRequest(salon_id=salon))
        playing = await watched(ann, salon)
        joined = await ann.join(salon, 1)
        assert (joined.seq, joined.viewer, len(joined.seats)) == (2, 1, 2)
        assert await store.hget(key(SalonId(salon), "head"), "host")
        assert (await _turn(playing)).turn_id.hand >= 1, "the bot plays"


async def test_what_became_of_a_command_is_told_without_doing_it(gateway: Running) -> None:
    """Also where its salon has no host, which is not looked for."""
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Bob") as bob:
        salon = await ann.open()
        join = salon_pb2.JoinRequest(request_id=new_id(), salon_id=salon, seat=1)

        async def status(guest: Guest, request: str) -> salon_pb2.GetCommandStatusResponse:
            async with Client(gateway.address) as client:
                client.token = guest.metadata[0][1].removeprefix("Bearer ")
                return await client.command_status(salon, request)

        before = await status(ann, join.request_id)
        assert before.WhichOneof("status") == "not_known"
        assert (before.seq, before.not_known.complete_after_seq) == (1, 0)
        done = (await ann.call(ann.salons.Join, join)).accepted
        seated = await status(ann, join.request_id.upper())
        assert (seated.done.epoch, seated.done.seq) == (done.epoch, done.seq)
        assert (seated.epoch, seated.seq) == (done.epoch, done.seq)
        assert seated.certain_until_ms > before.certain_until_ms - 1
        assert (await status(bob, join.request_id)).WhichOneof("status") == "not_known", "it is another's"
        other = salon_pb2.LeaveRequest(request_id=join.request_id, salon_id=salon)
        assert (await wrong(ann.call(ann.salons.Leave, other))).info.reason == "REQUEST_ID_REUSED"
        refused = salon_pb2.JoinRequest(request_id=new_id(), salon_id=salon, seat=1)
        assert (await wrong(bob.call(bob.salons.Join, refused))).info.reason == "SEAT_TAKEN"
        assert (await status(bob, refused.request_id)).WhichOneof("status") == "not_known"
        await gateway.kill_hosts()
        assert (await status(ann, join.request_id)).done == seated.done
        asked = salon_pb2.GetCommandStatusRequest(salon_id=salon, request_id="mine")
        malformed = await wrong(ann.call(ann.salons.GetCommandStatus, asked))
        assert (malformed.code, malformed.fields) == (CODE.INVALID_ARGUMENT, ["request_id"])


async def test_an_invitation_salon_opens_to_its_code_alone(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann, Guest(gateway.address, "Eve") as eve:
        settings = settings_pb2.SalonSettings(
            game=settings_pb2.GAME_HOLDEM, visibility=settings_pb2.VISIBILITY_INVITATION
        )
        created = await ann.call(ann.lobby.CreateSalon, lobby_pb2.CreateSalonRequest(settings=settings))
        salon, code = created.salon_id, created.invitation_code
        for asked in ("", "a" * 26):
            refused = await wrong(eve.join(salon, 1, asked))
            assert (refused.code, refused.info.reason) == (CODE.PERMISSION_DENIED, "CODE_REQUIRED")
            view = salon_pb2.GetViewRequest(salon_id=salon, invitation_code=asked)
            assert (await wrong(eve.call(eve.salons.GetView, view))).info.reason == "CODE_REQUIRED"
        listed = await eve.call(eve.lobby.ListSalons, lobby_pb2.ListSalonsRequest())
        assert salon not in [row.salon_id for row in listed.salons]
        assert (await eve.join(salon, 1, code)).viewer == 1
        assert (await ann.join(salon, 2)).viewer == 2


async def test_a_watch_resumes_where_it_stopped_on_another_gateway(gateways: Any) -> None:
    here, there = await gateways(), await gateways()
    async with Guest(here.address, "Ann") as ann, Guest(there.address, "Eve") as eve:
        salon = await ann.open()
        await ann.join(salon, 1)
        first = (await ann.watch(salon).read()).update
        assert first.HasField("snapshot")
        bot = salon_pb2.AddBotRequest(salon_id=salon, level=settings_pb2.BOT_LEVEL_EASY, seat=3)
        await ann.call(ann.salons.AddBot, bot)
        place = (first.epoch, first.seq)
        resumed = (await eve.watch(salon, place).read()).update
        assert (resumed.seq, resumed.WhichOneof("content")) == (first.seq + 1, "commit")
        assert resumed.commit.events[0].player_seated.seat == 3
        for lost in ((first.epoch, 99), (first.epoch - 1, first.seq), (0, 0)):
            anew = (await eve.watch(salon, lost).read()).update
            assert anew.WhichOneof("content") == "snapshot"


async def test_a_gateway_that_stops_says_so_on_every_stream_and_ends_them(gateways: Any) -> None:
    running = await gateways()
    async with Guest(running.address, "Ann") as ann:
        salon = await ann.open()
        watch: Any = ann.watch(salon)
        await watch.read()
        playing = await watched(ann, salon)
        await playing.update()
        stopping = asyncio.create_task(running.stop())
        assert (await watch.read()).HasField("draining")
        assert (await watch.read()) is grpc.aio.EOF
        assert (await playing.next()).HasField("draining")
        assert await playing.ended() is CODE.OK
        await stopping


async def test_refusals_on_play_are_answers_and_the_stream_goes_on(gateway: Running) -> None:
    async with Guest(gateway.address, "Ann") as ann:
        salon = await ann.open()
        playing = ann.play()
        ids = [new_id() for _ in range(3)]
        await playing.send(
            salon_pb2.PlayRequest(
                watch=[salon_pb2.WatchRequest(salon_id="nowhere")],
                commands=[
                    salon_pb2.PlayCommand(leave=salon_pb2.LeaveRequest(request_id=ids[0], salon_id=salon)),
                    salon_pb2.PlayCommand(
                        leave=salon_pb2.LeaveRequest(request_id=ids[1], salon_id="nowhere")
                    ),
                    salon_pb2.PlayCommand(leave=salon_pb2.LeaveRequest(request_id="x", salon_id=salon)),
                    salon_pb2.PlayCommand(join=salon_pb2.JoinRequest(request_id=ids[2], salon_id=salon)),
                ],
            )
        )
        reasons = {key: (await playing.answer(key)).refusal.reason for key in (ids[0], ids[1], "x")}
        assert reasons == {
            ids[0]: refusal_pb2.REASON_NOT_SEATED,
            ids[1]: refusal_pb2.REASON_UNKNOWN_SALON,
            "x": refusal_pb2.REASON_MALFORMED,
        }
        assert (await playing.answer(ids[2])).seq
        assert (await playing.update()).ended.reason == refusal_pb2.REASON_UNKNOWN_SALON
