"""A run's own directory on disk: those of killed runs are removed, and no others."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from storepost.values.scratch import scratch


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in `/tmp`'s place."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ended_process() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


def test_directory_is_removed_after_the_run(temporary: Path) -> None:
    with scratch() as place:
        (place / "work").write_text("rows")
        assert place.parent == temporary
    assert list(temporary.iterdir()) == []


def test_directory_of_a_killed_run_is_removed_by_the_next(temporary: Path) -> None:
    left = temporary / f"storepost-{ended_process()}-a"
    left.mkdir()
    (left / "work").write_text("rows")
    with scratch():
        assert not left.exists()


def test_abandoned_directory_with_own_process_id_is_removed(temporary: Path) -> None:
    """Lambda may give a new runtime the process id of the one that it killed."""
    with scratch() as place:
        cut_off = place.with_name(place.name + "x")
        cut_off.mkdir()
        with scratch() as other:
            assert place.exists()
            assert other.exists()
            assert not cut_off.exists()


def test_directories_of_other_processes_remain(temporary: Path) -> None:
    at_work, theirs = temporary / "storepost-1-a", temporary / "other-7"
    at_work.mkdir()
    theirs.mkdir()
    with scratch():
        assert at_work.exists()
        assert theirs.exists()
