"""What the local run says while it works, on the error output: never anything of a person."""

import sys
import traceback
from pathlib import Path


class CannotRun(Exception):  # noqa: N818 - it is what happened
    """What the developer requested can't be done; the message says what to do instead."""


def say(line: str) -> None:
    """Shows a line at once."""
    print(line, file=sys.stderr, flush=True)


def say_failure(where: str, error: BaseException) -> None:
    """Shows an error by its type and place; its message could hold personal data."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    lines = [f" at {'/'.join(Path(f.filename).parts[-2:])}:{f.lineno}" for f in last]
    say(f"{where}: {type(error).__qualname__}{''.join(lines)}")
