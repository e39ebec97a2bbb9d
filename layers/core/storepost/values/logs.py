"""The log: what happened, never to whom: no error messages, no paths, no queries, no bodies."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from aws_lambda_powertools import Logger

logger = Logger()
KEYS = ("requestId", "operation", "workspaceId", "messageId")
"""The keys that every line may have besides its own: only ids."""
_FRAMES = 12


@contextmanager
def log_keys(**keys: str | None) -> Iterator[None]:
    """Gives this thread's lines inside the block these of `KEYS`; added ones end with it, too."""
    add_log_keys(**keys)
    try:
        yield
    finally:
        logger.thread_safe_remove_keys(KEYS)


def add_log_keys(**keys: str | None) -> None:
    """Adds more of `KEYS` to the lines of a block."""
    found = {name: value for name, value in keys.items() if value is not None}
    logger.thread_safe_append_keys(**found)


def log_unknown(kind: str, name: str) -> None:
    """Logs the name of another release's queue, cause or kind of work, which this release skips."""
    logger.warning("left to another release", extra={"what": kind, "value": name})


def log_unexpected(error: BaseException) -> None:
    """Logs an error by its type and frames; its message could hold personal data."""
    cause = error.__cause__
    logger.error(
        "unexpected error",
        extra={
            "error": type(error).__qualname__,
            "cause": type(cause).__qualname__ if cause else None,
            "frames": [
                f"{frame.filename.rsplit('/', 3)[-1]}:{frame.lineno} {frame.name}"
                for frame in traceback.extract_tb(error.__traceback__)[-_FRAMES:]
            ],
        },
    )
