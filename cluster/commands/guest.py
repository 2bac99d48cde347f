"""The guest that a command acts as: found in the user's state directory, or signed in and kept there.

A session belongs to an address and a name. Its request_id is on disk before it is sent, so that a sign-in that
was cut short gives the same player again. Files are for the user alone.
"""

import contextlib
import getpass
import hashlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from cluster.client import Client, RefusedCall, new_request_id
from cluster.commands.terminal import Misused
from cluster.local.datadir import DataDir
from cluster.settings import SetupFault, load_settings, split_address, variable_of
from croupier.v1.session_pb2 import WhoAmIRequest

DEFAULT_ADDRESS = "127.0.0.1:50051"
GREETING_PATIENCE = 3.0
"""Seconds to wait for a gateway that was never heard of, in which most likely there is none."""
PATIENCE = 30.0
NO_OPERATOR_TOKEN = "{variable} is not set: set it to the token that the servers have"

AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        envvar="CROUPIER_ADDRESS",
        metavar="HOST:PORT",
        help="The gateway. Default: that of the `croupier up` that runs here.",
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", envvar="CROUPIER_NAME", help="Your name at the table. Default: your user name."),
]
CaOption = Annotated[
    Path | None, typer.Option("--ca", help="PEM certificates to trust, for a gateway with a private one.")
]
PlaintextOption = Annotated[
    bool, typer.Option("--plaintext", help="Talk to another machine without encryption.")
]


@dataclass(frozen=True, slots=True)
class Guest:
    """Who asks, and whom."""

    address: str | None = None
    name: str | None = None
    ca: Path | None = None
    plaintext: bool = False


@contextlib.asynccontextmanager
async def signed_in(guest: Guest, *, state: Path | None = None) -> AsyncIterator[Client]:
    """A client that has signed in as `guest`; `state` is where sessions are kept.

    Raises:
        Misused, SetupFault, RefusedCall, Unreachable.
    """
    address = guest.address or running_gateway() or DEFAULT_ADDRESS
    try:
        split_address(address)
    except ValueError:
        raise Misused(f"{address} is no address: write HOST:PORT, such as {DEFAULT_ADDRESS}") from None
    name = guest.name or _user_name()
    ca = guest.ca.read_bytes() if guest.ca else None
    async with Client(
        address, plaintext=guest.plaintext or None, ca=ca, patience=GREETING_PATIENCE
    ) as client:
        await sign_in(client, name, SessionFile.of(address, name, state))
        client.patience = PATIENCE
        yield client


def running_gateway() -> str:
    """Where the `croupier up` of this user listens; empty if there is none."""
    try:
        return DataDir(load_settings().data_dir).listening()
    except SetupFault:
        return ""


def operator_token() -> str:
    """The token that makes an operator of whoever sends it. Raises SetupFault where none is set."""
    token = load_settings().operator_token.get_secret_value()
    if not token:
        raise SetupFault(NO_OPERATOR_TOKEN.format(variable=variable_of("operator_token")))
    return token


class SessionFile:
    """One session on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, address: str, name: str, state: Path | None = None) -> "SessionFile":
        """That of one name at one address."""
        directory = state or Path(platformdirs.user_state_dir("croupier", appauthor=False)) / "sessions"
        key = hashlib.sha256(f"{address}\n{name}".encode()).hexdigest()[:24]
        return cls(directory / f"{key}.json")

    def read(self) -> dict[str, str]:
        """What is kept; empty if nothing is."""
        try:
            kept = json.loads(self.path.read_text())
        except (OSError, ValueError):
            return {}
        return kept if isinstance(kept, dict) else {}

    def write(self, session: dict[str, str]) -> None:
        """Keep it, for this user alone, whole or not at all.

        Raises:
            SetupFault: it cannot be written.
        """
        draft = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.unlink(missing_ok=True)
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w") as stream:
                json.dump(session, stream)
            draft.replace(self.path)
        except OSError as error:
            raise SetupFault(
                f"the session cannot be kept in {self.path.parent} ({error.strerror}): set XDG_STATE_HOME to a "
                "directory that can be written"
            ) from None


async def sign_in(client: Client, name: str, file: SessionFile) -> None:
    """Sign `client` in as the guest that `file` knows, or as a new one. Raises SetupFault, RefusedCall, Unreachable."""
    kept = file.read()
    if kept.get("token"):
        client.token = kept["token"]
        with contextlib.suppress(RefusedCall):  # expired, signed out, or another server's
            await client.call(client.session.WhoAmI, WhoAmIRequest())
            return
        client.token = ""
        kept = {}
    request_id = kept.get("request_id") or new_request_id()
    about = {"address": client.address, "name": name, "request_id": request_id}
    file.write(about)
    answer = await client.sign_in(name, request_id)
    file.write({**about, "token": answer.token, "player_id": answer.player_id})


def _user_name() -> str:
    try:
        return getpass.getuser()[:32]
    except (OSError, KeyError):
        return "guest"
