"""The one part of the build that pyproject.toml cannot say: the equity kernel in C, where a compiler is found.

Without one the installation succeeds and equity runs on numpy, slower; `croupier doctor` says which it is.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

KERNEL = Path("bots/equity/kernel")
UNBUILT = "the equity kernel is not compiled ({why}): equity runs on numpy, slower; install a C compiler to change that"


class BuildWhereThereIsACompiler(build_ext):
    """Leaves the kernel out where no compiler can be run; a kernel that does not compile is an error."""

    def build_extension(self, ext: Extension) -> None:
        """Compile, unless there is nothing to compile with."""
        try:
            self.compiler.spawn([*self.compiler.compiler, "--version"])
        except (CCompilerError, ExecError, PlatformError, OSError) as error:
            print(UNBUILT.format(why=error), file=sys.stderr)  # noqa: T201 - the build's own output
            return
        super().build_extension(ext)


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
    cmdclass={"build_ext": BuildWhereThereIsACompiler},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
