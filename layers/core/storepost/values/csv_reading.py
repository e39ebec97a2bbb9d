"""Reads CSV with Python's own reader, which has one field size limit for the whole process."""

import csv
from collections.abc import Iterable, Iterator

_MAX_FIELD = 2**31 - 1
"""The characters of a field, in effect unlimited: callers limit the text that they pass."""


def csv_rows(
    lines: Iterable[str], delimiter: str, *, strict: bool = False, skips_spaces: bool = False
) -> Iterator[list[str]]:
    """Returns the rows of lines, which have their line ends. `strict` refuses bad quoting.

    `skips_spaces` ignores spaces after a delimiter, where a quote may follow them.

    Raises csv.Error while the rows are iterated. Python's limit of 128 KB for a field is lifted
    here and not at import: so what can be read doesn't depend on what else was imported or read
    before.
    """
    csv.field_size_limit(_MAX_FIELD)
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=skips_spaces)
