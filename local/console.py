"""Writes the local run's messages to stderr, without personal data."""

import sys
import traceback
from pathlib import Path


class CannotRun(Exception):  # noqa: N818 - it is what happened
    """The developer's request can't be carried out; the message says what to do instead."""


def say(line: str) -> None:
    """Prints a line and flushes it."""
    print(line, file=sys.stderr, flush=True)


def say_failure(where: str, error: BaseException) -> None:
    """Prints an error's type and place, not its message, which could hold personal data."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    lines = [f" at {'/'.join(Path(f.filename).parts[-2:])}:{f.lineno}" for f in last]
    say(f"{where}: {type(error).__qualname__}{''.join(lines)}")
