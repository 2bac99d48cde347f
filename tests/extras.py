"""What tests need that is an extra of the installation: absent, they skip; in CI, which installs it, they fail.

`.ci/run` sets CROUPIER_REQUIRE_EXTRAS=1, so that a benchmark or a published bot that went missing is no green run.
"""

import importlib
import os
from typing import Any, NoReturn

import pytest


def absent(why: str) -> NoReturn:
    """Skip what asks, or fail it where every extra must be there."""
    if os.environ.get("CROUPIER_REQUIRE_EXTRAS") == "1":
        pytest.fail(f"{why}; this run must have every extra", pytrace=False)
    pytest.skip(why, allow_module_level=True)


def extra(module: str) -> Any:
    """The module, from the extra `bench`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        absent(f"{module} is not there ({error}): pip install 'croupier[bench]'")
