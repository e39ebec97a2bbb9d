"""`make run`: the whole service on this machine, with demo data. `PORT` moves it."""

import os
import signal
import socket
import sys
import threading
from time import perf_counter
from types import FrameType

from local.console import say

PORT = 8000


class CannotRun(Exception):  # noqa: N818 - it is what happened
    """What the developer asked for can't be done; the message says what to do instead."""


def main() -> int:
    """Runs until Ctrl-C; 0, or 2 where it can't."""
    began = perf_counter()
    try:
        _check_store(os.environ.get("STORE") or "moto")
        listening = _listen(_port(os.environ.get("PORT") or str(PORT)))
    except CannotRun as problem:
        say(str(problem))
        return 2
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopped.set()
        # Python's own handler from now on: a second Ctrl-C ends what hangs.
        signal.signal(signal.SIGINT, signal.default_int_handler)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with listening:
        _run(listening, stopped, began)
    return 0


def _run(listening: socket.socket, stopped: threading.Event, began: float) -> None:
    say("Starting AWS in this process ...")
    os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "WARNING")
    # Here and not above: a port that is taken is told at once, and moto alone takes half a second
    # to import. The service reads its environment when it is imported.
    from local import aws  # noqa: PLC0415

    aws.prepare_environment()
    aws.start()
    aws.create_resources()
    from local import demo, welcome  # noqa: PLC0415
    from local.running import LocalRun  # noqa: PLC0415

    demo.CREDENTIALS.unlink(missing_ok=True)
    local_run = LocalRun(listening)
    local_run.serve()
    say("Loading demo data through the API ...")
    made = demo.load(local_run)
    local_run.pump()
    made.credentials.write(demo.CREDENTIALS)
    print(welcome.screen(local_run.origin, made, perf_counter() - began), flush=True)
    stopped.wait()
    say("\nStopping ...")
    local_run.stop()


def _check_store(store: str) -> None:
    if store != "moto":
        raise CannotRun(
            f"STORE={store} is not available yet: the local run keeps its data in memory, in moto."
            " Leave STORE out."
        )


def _port(given: str) -> int:
    if not given.isdecimal() or int(given) > 65535:
        raise CannotRun(f"PORT must be a number up to 65535, not {given!r}.")
    return int(given)


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port), backlog=128)
    except OSError as error:
        raise CannotRun(
            f"Port {port} can't be used ({os.strerror(error.errno or 0)}). Choose another one:"
            f" make run PORT={port + 1}"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
