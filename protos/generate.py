"""Write the Python code of the protos, beside them; `--baseline` also writes the image for `buf breaking`."""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = Path(sys.executable).parent


def generate(out: Path) -> None:
    """Write `*_pb2.py`, `*_pb2_grpc.py` and their stubs for every proto under `out`.

    Raises:
        subprocess.CalledProcessError: a proto has an error, which protoc has printed.
    """
    protos = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("croupier/v1/*.proto"))
    plugins = [
        f"--plugin=protoc-gen-mypy={TOOLS / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={TOOLS / 'protoc-gen-mypy_grpc'}",
    ]
    outputs = [f"--{kind}_out={out}" for kind in ("python", "grpc_python")]
    stubs = [f"--{kind}_out=quiet:{out}" for kind in ("mypy", "mypy_grpc")]
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{HERE}"]
    subprocess.run([*protoc, *plugins, *outputs, *stubs, *protos], check=True, cwd=HERE)


def write_baseline() -> None:
    """Write the image that later versions are compared with by `buf breaking --against baseline.binpb`."""
    subprocess.run([str(TOOLS / "buf"), "build", "-o", "baseline.binpb"], check=True, cwd=HERE)


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", action="store_true", help="also write baseline.binpb (at a release)")
    if parser.parse_args().baseline:
        write_baseline()
    generate(HERE)


if __name__ == "__main__":
    main()
