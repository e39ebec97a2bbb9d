"""Codes in a CSV file: which columns have them, and which of its rows are codes.

A column is found by what stands in it, so that a file may have any others, and a first row with
names or none. Several columns have codes where their names differ in a number alone, or where
nothing names them and all of their codes are written alike.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from storepost.coupons.codes import cleaned, fault_of, folded
from storepost.coupons.problems import ColumnNotFound
from storepost.values.csv_reading import csv_rows
from storepost.values.problems import FieldError, UnreadableContent

MAX_BYTES = 3_000_000
DELIMITERS = ",;\t|"
MAX_ROWS = 500_000
MAX_COLUMNS = 250
"""In each of them codes are looked for."""
_LOOKED_AT = 1000
"""Rows by which a column is found."""

_KINDS = ("coupon", "discount", "voucher", "promo", "promotion", "gift", "gutschein", "rabatt")
_NAMES = frozenset(
    {"code", "codes", "coupon", "coupons", "voucher", "vouchers", "gutscheine"}
    | {f"{kind}{code}" for kind in _KINDS for code in ("code", "codes")}
    | {"kode", "kod", "código", "codigo", "codice"}
)
_NAME_WORDS = frozenset({"code", "codes", "coupons", *_KINDS})
_NUMBERS = frozenset({"id", "number"})
_NUMBER_BACKWARDS = re.compile(r"\W*\d+[\W_]*")
"""Matched from the end: a search would begin anew at each digit of a name that is a million."""
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")

_BAD_QUOTE = "can't be read: a quote (\") isn't closed, or has text behind it"

type Row = tuple[int, list[str]]
"""A row that isn't empty, with its number in the file, from 1."""


@dataclass(frozen=True)
class Fault:
    """Why a row has no code."""

    row: int
    value: str
    reason: str


@dataclass(frozen=True)
class CodeFile:
    """What a file has of codes."""

    column: str | None
    """As the first row names it, of several each with a comma; None where that has a code."""
    rows: int
    codes: tuple[str, ...]
    """Each once, as it stands in the file first."""
    duplicates: int
    faults: tuple[Fault, ...]


def read_codes(content: str, column: str | None) -> CodeFile:
    """Returns the codes of a CSV file, row by row.

    Of several columns with codes, a row that has some needn't have one in each.

    Raises UnreadableContent and ColumnNotFound.
    """
    rows = _rows(content)
    if not rows:
        raise UnreadableContent(
            "Send the codes as CSV, in one row at least.",
            errors=[FieldError("/content", "Must have at least one row")],
        )
    _check_bounds(rows)
    columns, header = _columns(rows, column)
    codes, faults, seen, duplicates = list[str](), list[Fault](), set[str](), 0
    for number, value in _values(rows[1:] if header is not None else rows, columns):
        reason = fault_of(value)
        if reason:
            faults.append(Fault(number, value, reason))
        elif folded(value) in seen:
            duplicates += 1
        else:
            seen.add(folded(value))
            codes.append(value)
    in_all = len(rows) - (header is not None)
    return CodeFile(header, in_all, tuple(codes), duplicates, tuple(faults))


def _values(rows: Sequence[Row], columns: Sequence[int]) -> Iterator[tuple[int, str]]:
    """What stands in the columns, with its row's number; of a blank row one blank value."""
    for number, cells in rows:
        values = [cells[place] for place in columns if place < len(cells)]
        for value in [each for each in values if each] or [""]:
            yield number, value


def _check_bounds(rows: Sequence[Row]) -> None:
    columns = len(rows[0][1])
    if len(rows) > MAX_ROWS or columns > MAX_COLUMNS:
        raise UnreadableContent(
            "Send fewer rows, or the column with the codes alone.",
            errors=[
                FieldError(
                    "/content", f"Must have at most {MAX_ROWS:,} rows and {MAX_COLUMNS} columns"
                )
            ],
        )


def _rows(content: str) -> list[Row]:
    text = content.removeprefix("\ufeff")
    if "\x00" in text:
        raise UnreadableContent(
            "Send the codes as CSV in plain text; a spreadsheet is saved as CSV first.",
            errors=[
                FieldError("/content", "Must be text: it has a character (U+0000) that no text has")
            ],
        )
    reader = csv_rows(io.StringIO(text, newline=""), _delimiter(text), strict=True)
    rows = list[Row]()
    try:
        for row in islice((row for row in _numbered(reader) if row[1]), MAX_ROWS + 1):
            rows.append(row)
    except csv.Error as error:
        number = rows[-1][0] + 1 if rows else 1
        raise UnreadableContent(
            "Send the codes as CSV; `errors` says which row can't be read.",
            errors=[FieldError("/content", f"Row {number} {_BAD_QUOTE}")],
        ) from error
    return rows


def _numbered(reader: Iterator[list[str]]) -> Iterator[Row]:
    for number, cells in enumerate(reader, 1):
        yield number, [cleaned(cell) for cell in cells]


def _delimiter(text: str) -> str:
    """What stands between cells: it is in the first lines equally often, and most often."""
    lines = [line for line in text[:20_000].splitlines()[:20] if line.strip()]
    found = {each: [line.count(each) for line in lines] for each in DELIMITERS}
    even = {each: n for each, n in found.items() if n and min(n) > 0}
    return max(even or {",": [0]}, key=lambda each: min((even or {",": [0]})[each]))


def _columns(rows: Sequence[Row], column: str | None) -> tuple[list[int], str | None]:
    """Where the columns are, and their names where the first row has names."""
    first = [cell.strip() for cell in rows[0][1]]
    names = [cell.casefold() for cell in first]
    name_to_find = column.strip().casefold() if column is not None else None
    if name_to_find in names:
        columns = [place for place, name in enumerate(names) if name == name_to_find]
        return columns, first[columns[0]]
    columns, header = _likeliest_columns(rows, first)
    if name_to_find is not None and (header is None or header.casefold() != name_to_find):
        raise ColumnNotFound(errors=[FieldError("/column", "No column of the file has this name")])
    return columns, header


def _likeliest_columns(rows: Sequence[Row], first: Sequence[str]) -> tuple[list[int], str | None]:
    place = _likeliest(rows, first)
    if not _is_header(rows, place, first[place]):
        return _written_alike(rows, place), None
    columns = _numbered_alike(rows, first, place)
    return columns, ", ".join(dict.fromkeys(first[each] for each in columns))


def _numbered_alike(rows: Sequence[Row], first: Sequence[str], place: int) -> list[int]:
    """The column and those whose names differ in a number alone, as `code 2` from `code 1`."""
    words = _words(_unnumbered_name(first[place]))
    return [
        each
        for each, name in enumerate(first)
        if each == place
        or (_words(_unnumbered_name(name)) == words and _score(rows[1 : _LOOKED_AT + 1], each))
    ]


def _written_alike(rows: Sequence[Row], place: int) -> list[int]:
    """The column and those whose codes are as long, in the same case and with the same marks."""
    some = rows[:_LOOKED_AT]
    form = _usual_form(some, place)
    columns = range(len(rows[0][1])) if form else ()
    return [each for each in columns if _usual_form(some, each) == form] or [place]


def _usual_form(rows: Sequence[Row], place: int) -> str | None:
    """How most codes of a column are written; None where no way is that of more than half."""
    values = [cells[place] for _, cells in rows if place < len(cells) and cells[place]]
    [(form, count)] = Counter(map(_form, values)).most_common(1) or [("", 0)]
    likely = sum(_weight(value) for value in values if not fault_of(value))
    return form if count * 2 > len(values) and likely * 2 > len(values) else None


def _form(value: str) -> str:
    letters = "a" if any(c.islower() for c in value) else "A"
    return "".join(letters if c.isalnum() else c for c in value)


def _likeliest(rows: Sequence[Row], first: Sequence[str]) -> int:
    """The column that has the most that could be codes; by its name, or the first, among equals."""
    if len(first) == 1:
        return 0
    some = rows[: _LOOKED_AT + 1]
    scores = {place: _score(some[1:] or some, place) for place in range(len(first))}
    best = max(scores.values())
    if not best:
        raise ColumnNotFound(
            errors=[FieldError("/content", "No column has values that can be codes")]
        )
    likely = [place for place, score in scores.items() if score >= best * 0.9]
    # What is called a code is likelier one than what is called an ID, where there is both.
    named = [place for place in likely if _names_codes(_words(first[place]))]
    named += [place for place in likely if _names_codes(_unnumbered(first[place]))]
    return (named or [max(likely, key=lambda place: (scores[place], -place))])[0]


def _score(rows: Sequence[Row], place: int) -> float:
    """How many different codes a column may have, less what is likelier something else."""
    values = [cells[place] if place < len(cells) else "" for _, cells in rows]
    likely = {folded(value): _weight(value) for value in values if not fault_of(value)}
    return sum(likely.values())


def _weight(value: str) -> float:
    """How much a value looks like a code."""
    if "@" in value or "://" in value:
        return 0.1
    if not any(c.isalnum() for c in value):
        return 0.0
    if value.replace(".", "").replace("-", "").replace(":", "").replace("/", "").isdigit():
        return 0.4
    return 1.0


def _names_codes(words: Sequence[str]) -> bool:
    return bool(words) and (words[-1] in _NAMES or set(words) <= _NAME_WORDS)


def _is_known_header(name: str) -> bool:
    """Whether it is hardly anything else: GIFT and SUMMER-CODE may be codes, GiftCode isn't."""
    words = _unnumbered(name)
    return bool(words) and words[-1] in _NAMES and set(words[:-1]) <= _NAME_WORDS


def _unnumbered(name: str) -> list[str]:
    """The name's words without a last ID or number: a coupon's is its code."""
    words = _words(name)
    return words[:-1] if len(words) > 1 and words[-1] in _NUMBERS else words


def _unnumbered_name(name: str) -> str:
    """The name without a number at its end and the marks around that: `code` of `code_2`."""
    number = _NUMBER_BACKWARDS.match(name[::-1])
    return name[: -number.end()] if number else name


def _words(name: str) -> list[str]:
    parted = _NEW_WORD.sub(" ", name).casefold()
    return "".join(c if c.isalnum() else " " for c in parted).split()


def _has_space(value: str) -> bool:
    return any(c.isspace() for c in value)


def _is_header(rows: Sequence[Row], place: int, name: str) -> bool:
    """Whether the first row has names: it says so, or looks like nothing below it."""
    first = rows[0][1]
    others = (n for n in range(len(first)) if n != place and first[n].strip())
    bare = _unnumbered_name(name)
    if bare != name and _is_known_header(bare):
        # CODE1 above X7KP2 is a name, above CODE2 it is a code.
        below = (cells[place] for _, cells in rows[1:_LOOKED_AT] if place < len(cells))
        return bool(rows[1:]) and all(_unnumbered_name(each) != bare for each in below)
    if not _has_space(name) and not any(_looks_like_a_name(rows, n) for n in others):
        # It may be a code like WELCOME above others like SAVE10, which must not get lost.
        return _is_known_header(name)
    return _names_codes(_unnumbered(name)) or _looks_like_a_name(rows, place)


def _looks_like_a_name(rows: Sequence[Row], place: int) -> bool:
    """Whether a cell of the first row looks like nothing below it."""
    name = rows[0][1][place].strip()
    below = [cells[place] for _, cells in rows[1:_LOOKED_AT] if place < len(cells)]
    if not below or any(c.isdigit() for c in name):
        return False
    return _shape(name) not in Counter(map(_shape, below))


def _shape(value: str) -> tuple[bool, bool, bool]:
    """Whether it has digits, small letters, white space."""
    return (
        any(c.isdigit() for c in value),
        any(c.islower() for c in value),
        _has_space(value),
    )
