"""Directories on a function's own disk, which a killed run leaves behind.

Lambda keeps `/tmp` of a container whose function was killed or ran out of time. So making a
directory first deletes the directories of runs that are over.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_PREFIX = "storepost-"
_in_use: set[Path] = set()


@contextmanager
def scratch() -> Iterator[Path]:
    """Returns an empty directory that exists until the end of the block."""
    _delete_leftovers()
    place = Path(mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    _in_use.add(place)
    try:
        yield place
    finally:
        _in_use.discard(place)
        shutil.rmtree(place, ignore_errors=True)


def _delete_leftovers() -> None:
    for place in Path(gettempdir()).glob(f"{_PREFIX}*-*"):
        if place not in _in_use and not _is_at_work(place.name.split("-")[1]):
            shutil.rmtree(place, ignore_errors=True)


def _is_at_work(process: str) -> bool:
    """Returns whether another process uses it: a developer's machine may have several runs."""
    if not process.isdecimal():
        return True
    if int(process) == os.getpid():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
