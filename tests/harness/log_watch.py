"""No log line may hold personal data or a token.

Every name and address in the tests contains `CANARY`; tokens begin with `sts_`, `stp_` or `stb_`.
Each record that a logger of the process handles is checked in the form that its handlers write, and
in all of the record's own attributes.
"""

import logging
import re
import traceback
from collections.abc import Iterator

from tests.harness.world import CANARY

_TOKEN = re.compile(r"\bst[spb]_[\w-]{8,}")
_OWN = frozenset(vars(logging.makeLogRecord({})))


class LogWatch:
    """Checks every record that a logger handles."""

    def __init__(self) -> None:
        """Begins without findings."""
        self.findings: list[str] = []
        self._found: logging.LogRecord | None = None

    def install(self) -> None:
        """Watches every logger of the process and its handlers' output from now on."""
        handle, write = logging.Logger.handle, logging.Handler.format

        def watched(logger: logging.Logger, record: logging.LogRecord) -> None:
            self.look_at(record, *_texts(record))
            handle(logger, record)

        def written(handler: logging.Handler, record: logging.LogRecord) -> str:
            # This text includes the keys that a formatter adds.
            text = write(handler, record)
            self.look_at(record, text)
            return text

        logging.Logger.handle = watched  # type: ignore[method-assign,assignment]
        logging.Handler.format = written  # type: ignore[method-assign,assignment]

    def look_at(self, record: logging.LogRecord, *texts: str) -> None:
        """Records a leak once: the logger, the line of code, and the leaked kind of value."""
        if record is self._found:
            return
        for text in texts:
            found = CANARY if CANARY in text.lower() else None
            token = _TOKEN.search(text)
            if found or token:
                finding = found or f"a token ({token.group()[:6] if token else ''}…)"
                self.findings.append(
                    f"{record.name} at {record.pathname}:{record.lineno}: {finding}"
                )
                self._found = record
                return


def _texts(record: logging.LogRecord) -> Iterator[str]:
    yield record.getMessage()
    yield from (repr(value) for name, value in vars(record).items() if name not in _OWN)
    if record.exc_info and record.exc_info[0]:
        yield "".join(traceback.format_exception(*record.exc_info))
