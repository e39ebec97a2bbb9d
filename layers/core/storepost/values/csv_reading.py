"""Reading CSV with Python's own reader, of which one bound holds for the whole process."""

import csv
from collections.abc import Iterable, Iterator

_MAX_FIELD = 2**31 - 1
"""Characters of a field, which is no bound: callers bound the text that they hand over."""


def csv_rows(
    lines: Iterable[str], delimiter: str, *, strict: bool = False, skips_spaces: bool = False
) -> Iterator[list[str]]:
    """Returns the rows of lines that come with their ends. `strict` refuses what is quoted badly.

    `skips_spaces` leaves out those behind a delimiter, where a quote may follow them.

    Raises csv.Error while they are read. Python's bound, 128 KB of a field, is lifted here and not
    by an import: what can be read doesn't depend on what else was imported or read before.
    """
    csv.field_size_limit(_MAX_FIELD)
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=skips_spaces)
