"""Resuming many salons on one Play stream: what was missed fits into it, however much that is."""

from cluster.envelope import SalonId
from cluster.gateway import outbox
from cluster.gateway.play import MOST_WATCHED
from cluster.watching.admission import Ticket
from cluster.watching.replica import MOST_MISSED
from croupier.v1 import salon_pb2, watch_pb2
from engine.commands import Leave
from engine.units import PlayerId
from tests.cluster.salons import join
from tests.gateway.parlour import Eyes, Parlour
from tests.gateway.test_play_stream import Client


async def test_whoever_resumes_many_salons_at_once_gets_an_update_of_each() -> None:
    """He was away while much happened everywhere: what he missed fits into the stream that he comes back with."""
    parlour = Parlour()
    salons = [await parlour.open(salon=SalonId(f"s{number}")) for number in range(110)]
    resumes = []
    for salon in salons:
        await parlour.seat("cid", salon=salon)
        eyes = Eyes()
        await parlour.feed.watch(salon, Ticket(PlayerId("eve")), eyes)
        seen = eyes.updates[0]
        resume = watch_pb2.Resume(epoch=seen.epoch, after_seq=seen.seq)
        resumes.append(salon_pb2.WatchRequest(salon_id=salon, resume=resume))
        for _ in range(20):
            await parlour.done(join("bob", 2), salon)
            await parlour.done(Leave(PlayerId("bob")), salon)
    client = Client(parlour)
    client.send(watch=resumes)
    while len({update.salon_id for update in client.updates}) < len(salons):
        assert await client.take()
    await client.stream.close()


async def test_whatever_one_stream_may_resume_fits_into_it() -> None:
    assert outbox._MOST_PARTS >= MOST_WATCHED * MOST_MISSED
