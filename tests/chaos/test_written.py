"""The append-only file is read as far as it goes, and refused where it is not the whole history."""

from pathlib import Path

import pytest

from cluster.clock import RedisClock
from cluster.envelope import SalonId
from cluster.journal.chain import LINK, link
from cluster.journal.redis_journal import Journal
from cluster.lobby import Lobby
from cluster.redis_door import connect
from cluster.routing.sleepers import Sleepers
from cluster.salons.opening import Opening
from cluster.secret import Secret
from engine.commands import OpenSalon
from engine.game import Game
from engine.settings import BotLevel, BotSeat, Settings, make_settings
from engine.units import PlayerId, Seat
from tests.chaos.written import Activation, Entry, Rewriting, Unreadable, read
from tests.conftest import Valkey

SALON = SalonId("abc")
EMPTY = b"VALKEY080\xfa\x0avalkey-ver\x059.1.0\xfa\x0aredis-bits\xc0\x40\xff12345678"
HEAD, LOG, VAULT = b"{s:abc}:head", b"{s:abc}:log", b"{s:abc}:vault"


def command(*parts: bytes) -> bytes:
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in parts)


def transaction(*commands: bytes) -> bytes:
    return command(b"MULTI") + b"".join(commands) + command(b"EXEC")


def folder(path: Path, *parts: bytes, base: bytes = EMPTY) -> Path:
    (path / "a.1.base.rdb").write_bytes(base)
    manifest = "file a.1.base.rdb seq 1 type b\n"
    for number, part in enumerate(parts, 1):
        (path / f"a.{number}.incr.aof").write_bytes(part)
        manifest += f"file a.{number}.incr.aof seq {number} type i\n"
    (path / "a.aof.manifest").write_text(manifest)
    return path


CREATED = transaction(
    command(b"XADD", LOG, b"7-1", b"e", b"opened", b"t", b"1"),
    command(b"HSET", HEAD, b"epoch", b"7", b"seq", b"1", b"host", b"", b"born", b"7:x"),
)
ACTIVATED = command(b"HSET", HEAD, b"epoch", b"9", b"host", b"h", b"from", b"")
COMMITTED = transaction(
    command(b"HSET", VAULT, b"2", b"the deck"),
    command(b"XADD", LOG, b"9-2", b"e", b"dealt", b"t", b"2"),
    command(b"HSET", HEAD, b"seq", b"2"),
    command(b"HSET", b"{s:abc}:hands", b"1", b"a record"),
)


def test_the_writes_of_a_salon_are_read_in_their_order(tmp_path: Path) -> None:
    written = read(folder(tmp_path, command(b"SELECT", b"0") + CREATED + ACTIVATED, COMMITTED))
    first, entry, second, dealt = written.salons[SALON].writes
    assert (first, second) == (Activation(7, ""), Activation(9, "h"))  # type: ignore[arg-type]  # plain numbers
    assert isinstance(entry, Entry)
    assert isinstance(dealt, Entry)
    assert (entry.epoch, entry.seq, entry.fields) == (7, 1, {b"e": b"opened", b"t": b"1"})
    assert (dealt.epoch, dealt.seq, dealt.vault) == (9, 2, b"the deck")
    assert written.salons[SALON].hands == {1: b"a record"}


def test_what_was_not_written_whole_is_left_out(tmp_path: Path) -> None:
    whole = len(CREATED + ACTIVATED)
    for cut in range(whole, whole + len(COMMITTED)):
        written = read(folder(tmp_path, (CREATED + ACTIVATED + COMMITTED)[:cut]))
        assert len(written.salons[SALON].writes) == 3


def test_a_cut_in_the_middle_of_the_history_is_damage(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        read(folder(tmp_path, (CREATED + ACTIVATED)[:-4], COMMITTED))


def test_a_history_that_began_before_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="holds data"):
        read(folder(tmp_path, CREATED, base=EMPTY[:-9] + b"\xfe\x00\xfb\x01\x00" + EMPTY[-9:]))


def test_a_file_that_was_rewritten_is_refused(tmp_path: Path) -> None:
    path = folder(tmp_path, CREATED, ACTIVATED)
    manifest = (path / "a.aof.manifest").read_text()
    (path / "a.aof.manifest").write_text(manifest.replace("file a.1.incr.aof seq 1 type i\n", ""))
    with pytest.raises(Unreadable, match="rewritten"):
        read(path)


def test_a_log_that_is_set_anew_is_told_apart_from_one_that_is_folded(tmp_path: Path) -> None:
    emptied = command(b"DEL", LOG)
    retired = command(b"SET", b"{s:abc}:retired", b"", b"PXAT", b"99")
    folded = read(folder(tmp_path, CREATED + transaction(emptied, retired))).salons[SALON]
    anew = read(folder(tmp_path, CREATED + transaction(emptied))).salons[SALON]
    assert not any(isinstance(write, Rewriting) for write in folded.writes)
    assert any(isinstance(write, Rewriting) for write in anew.writes)


def test_a_loss_that_a_host_has_noted_is_read(tmp_path: Path) -> None:
    noted = read(folder(tmp_path, CREATED + command(b"HSET", HEAD, b"lost", b"4"))).salons[SALON]
    assert noted.writes[-1] == Rewriting("commit 4 was said to be lost")


@pytest.mark.integration
async def test_the_opening_of_a_salon_that_sleeps_is_read_off_its_table(
    own_valkey: Valkey, tmp_path: Path
) -> None:
    """There is no entry of it; the chain says that the events are those that were committed."""
    redis = connect(own_valkey.url)
    clock = RedisClock(redis)
    await clock.synchronise()
    opening = Opening(Journal(redis), clock, Secret(b"s" * 32), lobby=Lobby(redis), sleepers=Sleepers(redis))
    two, three = (
        (BotSeat(BotLevel.EASY), BotSeat(BotLevel.HARD, seat=Seat(3))),
        (BotSeat(BotLevel.NORMAL),) * 3,
    )
    for game in Game:
        for number, bots in enumerate(((), two, three)):
            settings = make_settings(game, {"seats": 4, "time_bank": 2_000, "bots": bots})
            assert isinstance(settings, Settings)
            opened = await opening.open(OpenSalon(PlayerId("ann"), settings), f"{game}-{number}")
            assert opened.asleep
    await redis.aclose()
    salons = read(tmp_path / "valkey" / "appendonlydir").salons.values()
    assert len(salons) == 6
    for salon in salons:
        activation, first = salon.writes
        assert isinstance(activation, Activation)
        assert isinstance(first, Entry)
        assert first.fields[LINK] == link(b"", first.seq, first.fields)
