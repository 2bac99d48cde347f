"""The judgement: a run that was packed is judged as it was before, and nothing else of it is left."""

from pathlib import Path

from tests.chaos.findings import Law
from tests.chaos.judgement import TRANSCRIPTS, VALKEY, judge, judge_again, pack
from tests.chaos.test_written import ACTIVATED, folder, transaction
from tests.chaos.test_written import command as redis_command


def test_what_was_packed_is_judged_again(tmp_path: Path) -> None:
    log = tmp_path / VALKEY / "appendonlydir"
    log.mkdir(parents=True)
    rewritten = transaction(redis_command(b"DEL", b"{s:abc}:log"))
    folder(log, ACTIVATED, rewritten)
    (tmp_path / TRANSCRIPTS).mkdir()
    (tmp_path / VALKEY / "log").write_text("ready")
    (tmp_path / "gateway-0.log").write_text("served")
    before = judge(tmp_path)
    pack(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["evidence.tar.gz"]
    again = judge_again(tmp_path)
    assert again.counts == before.counts
    assert again.violations == before.violations
    assert again.totals[Law.FORK] == 1
