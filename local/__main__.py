"""`make run`: the whole service on this machine, with demo data.

`PORT` moves it; `STORE=dynoxide` keeps its data for the next run.
"""

import os
import socket
import sys
import threading

from local.console import CannotRun
from local.listening import until_stopped

STORES = ("moto", "dynoxide")


def main() -> int:
    """Runs until Ctrl-C; 0, or 2 where it can't."""
    return until_stopped("make run", _run)


def _run(listening: socket.socket, stopped: threading.Event, began: float) -> None:
    store = _store(os.environ.get("STORE") or STORES[0])
    # Here and not above: a port that is taken is told at once, and moto alone takes half a second
    # to import.
    from local import run  # noqa: PLC0415

    run.run(store, listening, stopped, began)


def _store(text: str) -> str:
    if text not in STORES:
        raise CannotRun(
            f"STORE must be dynoxide, or be left out to have everything in memory, not {text!r}."
        )
    return text


if __name__ == "__main__":
    sys.exit(main())
