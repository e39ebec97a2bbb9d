"""No log line may hold personal data or a token.

Every name and address that the tests make holds `CANARY`; tokens begin with `sts_`, `stp_` or
`stb_`. What any logger of the process lets through is looked at as its handlers would write it, and
besides all that the record carries.
"""

import logging
import re
import traceback
from collections.abc import Iterator

from tests.harness.world import CANARY

_TOKEN = re.compile(r"\bst[spb]_[\w-]{8,}")
_OWN = frozenset(vars(logging.makeLogRecord({})))


class LogWatch:
    """Looks at every record that a logger handles."""

    def __init__(self) -> None:
        """Nothing was found yet."""
        self.findings: list[str] = []

    def install(self) -> None:
        """From now on every logger of the process is watched."""
        plain = logging.Logger.handle

        def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
            self.look_at(logger, record)
            plain(logger, record)

        logging.Logger.handle = handle  # type: ignore[method-assign,assignment]

    def look_at(self, logger: logging.Logger, record: logging.LogRecord) -> None:
        """Keeps what a record gives away: which logger, which line of code, and what."""
        for text in (*_texts(record), *_written(logger, record)):
            found = CANARY if CANARY in text.lower() else None
            token = _TOKEN.search(text)
            if found or token:
                finding = found or f"a token ({token.group()[:6] if token else ''}…)"
                self.findings.append(
                    f"{record.name} at {record.pathname}:{record.lineno}: {finding}"
                )
                return


def _texts(record: logging.LogRecord) -> Iterator[str]:
    yield record.getMessage()
    yield from (repr(value) for name, value in vars(record).items() if name not in _OWN)
    if record.exc_info and record.exc_info[0]:
        yield "".join(traceback.format_exception(*record.exc_info))


def _written(logger: logging.Logger, record: logging.LogRecord) -> Iterator[str]:
    """The record as each handler writes it, with the keys that a formatter adds by itself."""
    at: logging.Logger | None = logger
    while at:
        for handler in at.handlers:
            # A formatter writes into the record: it gets one of its own.
            yield handler.format(logging.makeLogRecord(vars(record)))
        at = at.parent if at.propagate else None
