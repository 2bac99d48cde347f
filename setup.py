"""The one part of the build that pyproject.toml cannot say: the equity kernel in C, where a compiler is found.

Without one the installation succeeds and equity runs on numpy, slower; `croupier doctor` says which it is.
"""

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNEL = Path("bots/equity/kernel")
UNBUILT = "the equity kernel is not compiled, since {why}: equity runs on numpy, slower"


def missing() -> str:
    """What is not there to compile with; empty if nothing is missing."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    headers = Path(sysconfig.get_path("include"))
    return "" if (headers / "Python.h").exists() else f"Python's headers are not in {headers}"


class BuildWithWhatIsThere(build_ext):
    """Leaves the kernel out where it cannot be compiled; a kernel that does not compile is an error."""

    def finalize_options(self) -> None:
        """Take no extension where one cannot be built."""
        super().finalize_options()
        if why := missing():
            print(UNBUILT.format(why=why), file=sys.stderr)  # noqa: T201 - the build's own output
            self.extensions = []


setup(
    ext_modules=[
        Extension(
            "bots.equity._kernel",
            sources=sorted(str(source) for source in KERNEL.glob("*.c")),
            depends=sorted(str(header) for header in KERNEL.glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            extra_compile_args=["-O3", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildWithWhatIsThere},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
