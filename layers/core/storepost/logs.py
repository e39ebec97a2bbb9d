"""The log: what happened, never whose: no message of an error, no path, no query, no body."""

import traceback

from aws_lambda_powertools import Logger

logger = Logger()
_FRAMES = 12


def log_unexpected(error: BaseException) -> None:
    """An error by its type and frames; its message could hold personal data."""
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
