"""Tables of makers' samples, written in other ways."""

import csv
import io
import random
from collections.abc import Callable, Mapping
from typing import Any

from storepost.feeds.records.names import plain_name

type Rows = list[list[str]]
DELIMITERS = ",;\t|"


def table_of(content: bytes) -> Rows:
    """A sample's cells, the header first."""
    text = content.decode()
    lines = [line for line in io.StringIO(text, newline="") if not line.startswith("# ")]
    delimiter = max(",;\t", key=lines[0].count)
    return [row for row in csv.reader(lines, delimiter=delimiter) if row]


def written(rows: Rows, **how: Any) -> str:
    """The cells as a table again."""
    text = io.StringIO()
    csv.writer(text, **how).writerows(rows)
    return text.getvalue()


def shuffled(rows: Rows, chance: random.Random) -> Rows:
    """The table with its columns in another order.

    Of a field's columns in several languages the first counts, so those columns keep their order.
    """
    names = list(map(plain_name, rows[0]))
    groups = [[n for n, each in enumerate(names) if each == name] for name in dict.fromkeys(names)]
    chance.shuffle(groups)
    order = [n for group in groups for n in group]
    return [[row[n] if n < len(row) else "" for n in order] for row in rows]


def _small(column: str) -> str:
    """`optionValues` keeps its inner capital, the only separator of its words."""
    return column if column[:1].islower() else column.lower()


def _headed(rows: Rows, change: Callable[[str], str]) -> str:
    return written([list(map(change, rows[0])), *rows[1:]])


FORMS: Mapping[str, Callable[[Rows], bytes]] = {
    "columns in another order": lambda rows: written(shuffled(rows, random.Random(5))).encode(),
    "semicolons": lambda rows: written(rows, delimiter=";").encode(),
    "tabs": lambda rows: written(rows, delimiter="\t").encode(),
    "pipes": lambda rows: written(rows, delimiter="|").encode(),
    "everything quoted": lambda rows: written(rows, quoting=csv.QUOTE_ALL).encode(),
    "a spreadsheet's own line": lambda rows: f"sep=;\r\n{written(rows, delimiter=';')}".encode(),
    "a byte order mark": lambda rows: written(rows).encode("utf-8-sig"),
    "UTF-16": lambda rows: written(rows, delimiter="\t").encode("utf-16"),
    "ends of lines of Unix": lambda rows: written(rows, lineterminator="\n").encode(),
    "ends of lines of old Macs": lambda rows: written(rows, lineterminator="\r").encode(),
    "blank lines": lambda rows: written(rows).replace("\r\n", "\r\n\r\n").encode(),
    "a trailing delimiter": lambda rows: written([[*row, ""] for row in rows]).encode(),
    "the header twice": lambda rows: written([rows[0], *rows]).encode(),
    "columns in capitals": lambda rows: _headed(rows, str.upper).encode(),
    "columns in small letters": lambda rows: _headed(rows, _small).encode(),
    "blanks around the columns": lambda rows: _headed(rows, " {} ".format).encode(),
}


def mixed(rows: Rows, chance: random.Random) -> str:
    """The table in several other ways at once, drawn from `chance`."""
    rows = shuffled(rows, chance)
    if chance.random() < 0.3:
        rows = [list(map(chance.choice((str.upper, " {} ".format)), rows[0])), *rows[1:]]
    if chance.random() < 0.3:
        rows = [rows[0], *rows]
    if chance.random() < 0.3:
        rows = [[*row, ""] for row in rows]
    if chance.random() < 0.3:
        rows = [each for row in rows for each in (row, [])]
    end = chance.choice(("\r\n", "\n"))
    quoting = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    delimiter = chance.choice(DELIMITERS)
    return written(rows, delimiter=delimiter, lineterminator=end, quoting=quoting)
