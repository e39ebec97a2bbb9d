"""One local run at a time in a clone: a second one would overwrite the first one's credentials."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from local.console import CannotRun
from local.template import ROOT

LOCK = ROOT / ".local" / "lock"


@contextmanager
def alone() -> Iterator[None]:
    """Holds the clone's lock during the block. Raises CannotRun if another run holds it.

    The system releases it when the process ends, in any way.
    """
    LOCK.parent.mkdir(mode=0o700, exist_ok=True)
    with LOCK.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            raise CannotRun(
                f"Another local run (process {lock.read().strip()}) uses this folder, and its"
                " credentials are in .local/credentials.json. Stop that one first, with Ctrl-C in"
                " its terminal, or start this one in another clone."
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield
