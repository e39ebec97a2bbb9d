"""The tests' bytecode, which every worker finds."""

import sys
from pathlib import Path

import pytest

from tests.harness.bytecode import compile_tests

SOURCE = 'raise AssertionError("it was run")\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tests that were never collected."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for name in ("test_a.py", "within/test_b.py", "within/no_test.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SOURCE)
    return tmp_path


def compiled(folder: Path) -> set[str]:
    """The files whose bytecode pytest finds there."""
    return {path.name.partition(".")[0] for path in folder.rglob("*-pytest-*.pyc")}


def test_collected_folder_is_compiled_and_not_run(
    folder: Path, pytestconfig: pytest.Config
) -> None:
    compile_tests(pytestconfig, [folder])
    assert compiled(folder) == {"test_a", "test_b"}


def test_single_file_is_compiled(folder: Path, pytestconfig: pytest.Config) -> None:
    compile_tests(pytestconfig, [folder / "within" / "test_b.py"])
    assert compiled(folder) == {"test_b"}


def test_dont_write_bytecode_is_respected(
    folder: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    compile_tests(pytestconfig, [folder])
    assert compiled(folder) == set()


def test_missing_file_is_ignored(folder: Path, pytestconfig: pytest.Config) -> None:
    compile_tests(pytestconfig, [folder / "none.py", folder / "none"])
    assert compiled(folder) == set()
