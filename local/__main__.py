"""`make run`: runs the whole service on this machine, with demo data.

`PORT` sets its port; `STORE=dynoxide` keeps its data for the next run; `DEMO=large` imports a
shop's history of `ORDERS` orders during the run, and keeps it, too.
"""

import os
import socket
import sys
import threading

from local.console import CannotRun
from local.listening import until_stopped

STORES = ("moto", "dynoxide")
DEMOS = ("small", "large")
ORDERS, MAX_ORDERS, MAX_IN_MEMORY = 100_000, 1_000_000, 10_000


def main() -> int:
    """Runs until Ctrl-C. Returns 0, or 2 if it can't run."""
    return until_stopped("make run", _run)


def _run(listening: socket.socket, stopped: threading.Event, began: float) -> None:
    orders = _orders(os.environ.get("DEMO") or DEMOS[0], os.environ.get("ORDERS") or str(ORDERS))
    store = _store(os.environ.get("STORE") or STORES[orders > 0])
    if store == "moto" and orders > MAX_IN_MEMORY:
        raise CannotRun(
            f"ORDERS may be {MAX_IN_MEMORY:,} at most with STORE=moto, which has all in memory."
            " Leave STORE out."
        )
    # Imported here so that a port in use is reported at once: moto alone takes half a second to
    # import.
    from local import run  # noqa: PLC0415

    run.run(store, listening, stopped, began, orders)


def _store(text: str) -> str:
    if text not in STORES:
        raise CannotRun(
            f"STORE must be dynoxide, or be left out to have everything in memory, not {text!r}."
        )
    return text


def _orders(demo: str, text: str) -> int:
    """How many orders the large demo has; 0 for the small one."""
    if demo not in DEMOS:
        raise CannotRun(f"DEMO must be large, or be left out, not {demo!r}.")
    if demo != "large":
        return 0
    if not text.isdecimal() or not 0 < int(text) <= MAX_ORDERS:
        raise CannotRun(f"ORDERS must be a number from 1 to {MAX_ORDERS:,}, not {text!r}.")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
