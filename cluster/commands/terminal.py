"""What all commands share: where they print, how they run, and what their exit codes mean."""

import asyncio
import json
import shutil
import sys
from collections.abc import Coroutine
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console

from cluster.client import RefusedCall, Unreachable
from cluster.settings import SetupFault

T = TypeVar("T")

EXIT_CODES = (
    "Exit codes: 0 done; 1 refused by the server, or something is wrong (doctor); 2 the command line is wrong; "
    "3 a setting or this machine is not right; 4 no server answers; 130 interrupted."
)


REFUSALS = {
    "UNKNOWN_SALON": "there is no such salon: `croupier salons` lists those that are open",
    "UNKNOWN_HAND": "there is no such hand: `croupier history SALON` lists those that are finished and kept",
    "UNKNOWN_NODE": "there is no such node: `croupier nodes` lists those that are alive",
    "CODE_REQUIRED": "the salon is by invitation: give its code with --code",
}
"""What is said better to people than to programs; for the rest the server's sentence does."""
PIPE_WIDTH = 400
PROGRAM = "croupier"


class Exit(IntEnum):
    """The exit codes."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    SETUP = 3
    UNREACHABLE = 4
    INTERRUPTED = 130


class Misused(Exception):
    """The command line is wrong in a way that typer does not see."""


class Declined(Exception):
    """What was asked for cannot be had."""


def out() -> Console:
    """Where results go. Colours only to a terminal, none with NO_COLOR; no line is broken or cut in a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def command() -> str:
    """How this program is called again from here: by its name where the PATH finds it, else as it was called."""
    called = sys.argv[0]
    name = Path(called).name
    found = shutil.which(name)
    if name != PROGRAM or (found and Path(found).resolve() == Path(called).resolve()):
        return PROGRAM
    return called


def say(text: str) -> None:
    """One line or more of plain text to people, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    """One line or more on what is wrong."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False, style="red")


def plain(message: Message) -> dict[str, Any]:
    """A message as JSON takes it, with the names of the protocol and every field present."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def say_json(value: Any) -> None:
    """One line of JSON, at once."""
    say(json.dumps(value, ensure_ascii=False))


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work; its exceptions become one line and an exit code."""
    try:
        return asyncio.run(work)
    except Misused as error:
        raise _exit(str(error), Exit.USAGE) from None
    except SetupFault as error:
        raise _exit(str(error), Exit.SETUP) from None
    except RefusedCall as error:
        raise _exit(REFUSALS.get(error.reason, str(error)), Exit.REFUSED) from None
    except Declined as error:
        raise _exit(str(error), Exit.REFUSED) from None
    except Unreachable as error:
        raise _exit(str(error), Exit.UNREACHABLE) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise SystemExit(Exit.INTERRUPTED) from None
    except BrokenPipeError:  # whoever read has gone
        sys.stderr.close()
        raise SystemExit(Exit.DONE) from None


def _exit(text: str, code: Exit) -> SystemExit:
    complain(text)
    return SystemExit(int(code))
