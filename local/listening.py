"""Opens a port of this machine and serves there until Ctrl-C."""

import os
import signal
import socket
import threading
from collections.abc import Callable
from time import perf_counter
from types import FrameType

from local.alone import alone
from local.console import CannotRun, say

PORT = 8000

type Run = Callable[[socket.socket, threading.Event, float], None]
"""Serves at an address until the event is set; the number is the start by `perf_counter`."""


def until_stopped(command: str, run: Run) -> int:
    """Runs on `PORT` until Ctrl-C. Returns 0, or 2 if it can't run.

    `command` is the command line that starts it, for error messages.
    """
    began = perf_counter()
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        stopped.set()
        # Python's own handler from now on: a second Ctrl-C ends a run that hangs.
        signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        port = _port(os.environ.get("PORT") or str(PORT))
        # First: of a port that this folder's own run has, another port is no remedy.
        with alone(), _listen(port, command) as listening:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, stop)
            run(listening, stopped, began)
    except CannotRun as problem:
        say(str(problem))
        return 2
    return 0


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise CannotRun(f"PORT must be a number up to 65535, not {text!r}.")
    return int(text)


def _listen(port: int, command: str) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port), backlog=128)
    except OSError as error:
        raise CannotRun(
            f"Port {port} can't be used ({os.strerror(error.errno or 0)}). Choose another one:"
            f" {command} PORT={port + 1}"
        ) from None
