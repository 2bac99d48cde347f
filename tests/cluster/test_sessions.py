"""Sessions, names, and what is derived from the cluster's secret."""

import asyncio
import uuid
from typing import Any

import pytest
from redis.asyncio import Redis

from cluster.names import accepted_name
from cluster.secret import Secret
from cluster.sessions import REVOKED_CHANNEL, Session, Sessions, SignInReused, fingerprint
from engine.refusals import Reason, Refusal
from engine.units import PlayerId

SECRET = Secret(b"k" * 32)


@pytest.fixture
def sessions(store: Redis) -> Sessions:
    return Sessions(store, SECRET)


async def signed_in(sessions: Sessions, name: str = "Ada", request_id: str = "") -> Session:
    session = await sessions.sign_in_guest(name, request_id or uuid.uuid4().hex)
    assert isinstance(session, Session), session
    return session


@pytest.mark.integration
async def test_a_token_stands_for_its_player(sessions: Sessions) -> None:
    session = await signed_in(sessions)
    known = await sessions.authenticate(session.token)
    assert known == Session(session.player, "Ada", session.expires)
    assert await sessions.authenticate(session.token + "x") is None


@pytest.mark.integration
async def test_a_sign_in_sent_again_gets_the_same_session(sessions: Sessions) -> None:
    request_id = uuid.uuid4().hex
    first = await signed_in(sessions, "Ada", request_id)
    assert await signed_in(sessions, "Ada", request_id) == first
    assert await sessions.sign_in_guest("Bob", request_id) == SignInReused()


@pytest.mark.integration
async def test_guests_differ(sessions: Sessions) -> None:
    first, second = await signed_in(sessions), await signed_in(sessions)
    assert first.player != second.player
    assert first.token != second.token


@pytest.mark.integration
async def test_redis_never_sees_a_token(sessions: Sessions, store: Redis) -> None:
    token = (await signed_in(sessions)).token
    keys = [key.decode() async for key in store.scan_iter()]
    assert keys == [f"session:{fingerprint(token)}"]
    fields: Any = await store.hgetall(keys[0])
    assert token.encode() not in b" ".join(fields.values())


@pytest.mark.integration
async def test_a_session_expires(sessions: Sessions, store: Redis) -> None:
    token = (await signed_in(sessions)).token
    assert 0 < await store.pttl(f"session:{fingerprint(token)}") <= 30 * 24 * 3600 * 1000


@pytest.mark.integration
async def test_a_revoked_session_is_over_for_everybody(sessions: Sessions, store: Redis) -> None:
    request_id = uuid.uuid4().hex
    session = await signed_in(sessions, "Ada", request_id)
    async with store.pubsub() as told:
        await told.subscribe(REVOKED_CHANNEL)
        await sessions.revoke(session.token)
        async with asyncio.timeout(5):
            while (message := await told.get_message(ignore_subscribe_messages=True, timeout=1)) is None:
                pass
    assert message["data"].decode() == fingerprint(session.token)
    assert await sessions.authenticate(session.token) is None
    assert await sessions.sign_in_guest("Ada", request_id) == SignInReused()


async def test_a_request_id_that_could_be_guessed_is_refused() -> None:
    refusal = await Sessions(Redis(), SECRET).sign_in_guest("Ada", "1")
    assert isinstance(refusal, Refusal)
    assert "could be guessed" in refusal.text


@pytest.mark.parametrize(
    "asked, shown",
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("x" * 32, "x" * 32),
        ("Zoe\u0308", "Zo\u00eb"),
        ("\u5c71\u7530", "\u5c71\u7530"),
    ],
)
def test_a_name_is_shown_tidied(asked: str, shown: str) -> None:
    assert accepted_name(asked) == shown


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "   ",
        "x" * 33,
        "x" * 10_000,
        "a\nb",
        "a\u202eb",
        "a\u200bb",
        "a\x00",
        "\ud800",
        "z" + "\u0351" * 5,
        "\u00a0",
        "\u3164",
        "\u2800",
    ],
)
def test_a_name_that_cannot_be_shown_is_refused_with_what_would_be_right(asked: str) -> None:
    refusal = accepted_name(asked)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.NAME_REFUSED
    assert "1 to 32 visible characters" in refusal.text
    assert len(refusal.text) < 200


@pytest.mark.integration
async def test_the_secret_is_made_once(store: Redis) -> None:
    first, second = await asyncio.gather(Secret.read(store), Secret.read(store))
    assert first.token("x") == second.token("x")
    assert first.token("x") != SECRET.token("x")


def test_what_is_derived_is_of_its_use_alone() -> None:
    owner = PlayerId("ada")
    derived = {
        SECRET.token("r"),
        SECRET.player("r"),
        SECRET.salon(owner, "r"),
        SECRET.salon(PlayerId("bob"), "r"),
        SECRET.bot(SECRET.salon(owner, "r"), "r"),
        SECRET.invitation(SECRET.salon(owner, "r")),
    }
    assert len(derived) == 6
    assert len(SECRET.token("r")) == 52
    salon = SECRET.salon(owner, "r")
    assert 1 <= len(salon) <= 32
    assert salon.isalnum()
    assert salon == salon.lower()


def test_an_invitation_is_checked() -> None:
    salon = SECRET.salon(PlayerId("ada"), "r")
    assert SECRET.invites(salon, SECRET.invitation(salon))
    assert not SECRET.invites(salon, "")
    assert not SECRET.invites(salon, "\u00e9")
