"""Terminals that a script types into."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_ENDED = "storepost-typed-"
# A background job's children ignore Ctrl-C, and CI may be one: here Ctrl-C works again.
_SHELL = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("bash", ["bash"])
"""


class Terminal:
    """A shell: what is typed there, and what it has shown since."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """A shell in a folder."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SHELL],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._shown = ""
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._commands = 0

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._shown += line
                self._changed.notify_all()

    def type(self, command: str) -> None:
        """Types a command that goes on running."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def run(self, command: str, seconds: float) -> str:
        """Types a command and waits for its end: what it showed. It must succeed."""
        self._commands += 1
        before = len(self._shown)
        mark = f"{_ENDED}{self._commands}="
        # In a group without input, so that no program takes the next command for its own.
        self.type(f"{{ {command}\n}} </dev/null; echo {mark}$?")
        status = self.shows(rf"{mark}(\d+)", seconds)
        shown = self._shown[before:]
        assert status == "0", f"{command} ended with {status}:\n{shown}"
        return shown.partition(mark)[0]

    def shows(self, pattern: str, seconds: float) -> str:
        """Waits until what matches the pattern is shown: its first group."""
        until = time.monotonic() + seconds
        with self._changed:
            while not (found := re.search(pattern, self._shown)):
                remaining = until - time.monotonic()
                ended = self._process.poll() is not None and not self._reader.is_alive()
                never = f"Never shown: {pattern}\n{self._shown}"
                assert remaining > 0, never
                assert not ended, never
                self._changed.wait(min(remaining, 1))
        return found[1] if found.groups() else found[0]

    def interrupt(self) -> None:
        """Presses Ctrl-C, and waits until what ran there has ended."""
        os.killpg(self._process.pid, signal.SIGINT)
        with suppress(BrokenPipeError):
            self.type("exit")
        self._process.wait(timeout=30)

    def close(self) -> None:
        """Ends what runs there, and the shell."""
        for number in (signal.SIGINT, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                return
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                continue
            return
