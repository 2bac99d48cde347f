"""The protos: their code is fresh, they are tidy, and they break no client of the last version."""

import importlib.util
import subprocess
import sys
from pathlib import Path

PROTOS = Path(__file__).parents[2] / "protos"
BUF = Path(sys.executable).parent / "buf"


def test_the_generated_code_is_what_the_protos_say(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate", PROTOS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    generate.generate(tmp_path)
    fresh = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*_pb2*")}
    kept = {
        path.relative_to(PROTOS): path.read_text()
        for path in PROTOS.rglob("*_pb2*.py*")
        if path.suffix != ".pyc"
    }
    assert kept.keys() == fresh.keys()
    stale = [str(path) for path in fresh if fresh[path] != kept[path]]
    assert stale == [], "run `make protos` and commit what it writes"


def test_the_protos_are_tidy_and_every_name_is_explained() -> None:
    assert _buf("lint") == ""
    assert _buf("format", "--diff", "--exit-code") == ""


def test_the_protos_break_no_client_of_the_last_version() -> None:
    assert _buf("breaking", "--against", "baseline.binpb") == ""


def _buf(*arguments: str) -> str:
    done = subprocess.run([BUF, *arguments], cwd=PROTOS, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""
