"""The paths that equity is computed on: the same functions in C with AVX-512, in portable C, and in numpy."""

import os
from enum import StrEnum
from functools import cache
from pathlib import Path as File
from typing import Final

from bots.equity.kernels import Kernel

VARIABLE: Final = "CROUPIER_EQUITY_PATH"
"""The environment variable that names the path to take."""
_TABLES: Final = File(__file__).with_name("tables.bin")


class Path(StrEnum):
    """A way to compute equity, the fastest first."""

    AVX512 = "avx512"
    C = "c"
    NUMPY = "numpy"


class PathMissing(RuntimeError):
    """A path was asked for that is not there, or its tables are not; the message says what is."""


@cache
def available() -> tuple[Path, ...]:
    """The paths of this machine, the fastest first; numpy is always there."""
    try:
        from bots.equity import _kernel  # noqa: PLC0415 - there is none where there was no compiler
    except ImportError:
        return (Path.NUMPY,)
    return (Path.AVX512, Path.C, Path.NUMPY) if _kernel.has_avx512() else (Path.C, Path.NUMPY)


def chosen() -> Path:
    """The path to take: what the environment names, else the fastest.

    Raises:
        PathMissing: the environment names one that is not there.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return available()[0]
    if named not in available():
        there = ", ".join(available())
        raise PathMissing(f"{VARIABLE} is {named!r}, and this machine has: {there}")
    return Path(named)


@cache
def kernel(path: Path) -> Kernel:
    """The functions of a path.

    Raises:
        PathMissing: it is not there, or the packaged tables are not those of this version.
    """
    if path not in available():
        raise PathMissing(f"there is no path {path} on this machine, only {', '.join(available())}")
    try:
        return _loaded(path)
    except (OSError, ValueError) as error:
        raise PathMissing(f"the packaged equity tables are not this version's: {error}") from error


def _loaded(path: Path) -> Kernel:
    """A path with its tables. Raises OSError, ValueError: they cannot be read, or are others."""
    if path is Path.NUMPY:
        from bots.equity import numpy_kernel  # noqa: PLC0415 - numpy costs 0.2 s and 17 MB where C does the work

        return numpy_kernel
    from bots.equity import _kernel  # noqa: PLC0415 - there is none where there was no compiler

    _kernel.load_tables(_TABLES.read_bytes())
    return _kernel
