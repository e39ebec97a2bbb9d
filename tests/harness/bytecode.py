"""The tests' bytecode, written once before the workers start.

pytest compiles test files itself, for asserts that show their operands. After a fresh clone every
worker would compile all of them at the same time, for six seconds each.
"""

import sys
from collections.abc import Iterable
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

import pytest


class _Compiled(Exception):  # noqa: N818 - it is no error
    """The bytecode is written; the module must not be executed."""


class _NotRun:
    """A module for pytest's loader, which compiles and caches it, then reads its `__dict__`."""

    def __init__(self, path: Path) -> None:
        self.__name__ = path.stem
        self.__spec__ = spec_from_file_location(path.stem, path)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        raise _Compiled


def compile_tests(config: pytest.Config, paths: Iterable[Path]) -> None:
    """Compiles the test files at or under the paths whose bytecode isn't cached yet."""
    if sys.dont_write_bytecode:
        return
    loader: Any = config.pluginmanager.rewrite_hook
    for path in _test_files(paths):
        try:
            loader.exec_module(_NotRun(path))
        except _Compiled:
            continue


def _test_files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("test_*.py"))
        elif path.is_file():
            yield path
