"""Codes in a CSV file: which columns have them, and which of its rows are codes.

A column is found by its cells, so a file may have any other columns, with or without a header.
Several columns have codes if their names differ in a number alone, or if nothing names them and all
of their codes have the same form.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from storepost.coupons.codes import fault_of, folded
from storepost.coupons.problems import ColumnNotFound
from storepost.values.csv_reading import csv_rows
from storepost.values.problems import FieldError, UnreadableContent
from storepost.values.spreadsheets import code_in

MAX_BYTES = 3_000_000
DELIMITERS = ",;\t|"
MAX_ROWS = 500_000
MAX_COLUMNS = 250
"""Columns in which codes are looked for."""
_LOOKED_AT = 1000
"""Rows by which a column is found."""

_KINDS = ("coupon", "discount", "voucher", "promo", "promotion", "gift", "gutschein", "rabatt")
_NAMES = frozenset(
    {"code", "codes", "coupon", "coupons", "voucher", "vouchers", "gutscheine"}
    | {f"{kind}{code}" for kind in _KINDS for code in ("code", "codes")}
    | {"kode", "kod", "código", "codigo", "codice"}
)
_NAME_WORDS = frozenset({"code", "codes", "coupons", "unique", *_KINDS})
_NUMBERS = frozenset({"id", "number"})
_NUMBER_BACKWARDS = re.compile(r"\W*\d+[\W_]*")
"""Matched on the reversed name: a search would restart at each digit of a name with a million."""
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
    """The codes in a file."""

    column: str | None
    """The names of its columns in the header, joined by commas; None without a header."""
    rows: int
    codes: tuple[str, ...]
    """Each code once, as the file spells it first."""
    duplicates: int
    faults: tuple[Fault, ...]


def read_codes(content: str, column: str | None) -> CodeFile:
    """Returns the codes of a CSV file, row by row.

    If several columns have codes, a row with a code in one may leave the others empty.

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
    """Yields the values in the columns, with the row's number; one blank value for a blank row."""
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
        yield number, [code_in(cell) for cell in cells]


def _delimiter(text: str) -> str:
    """Returns the delimiter: each of the first lines has it, and has it most often."""
    lines = [line for line in text[:20_000].splitlines()[:20] if line.strip()]
    found = {each: [line.count(each) for line in lines] for each in DELIMITERS}
    even = {each: n for each, n in found.items() if n and min(n) > 0}
    return max(even or {",": [0]}, key=lambda each: min((even or {",": [0]})[each]))


def _columns(rows: Sequence[Row], column: str | None) -> tuple[list[int], str | None]:
    """Returns the columns' places, and their names if the first row is a header."""
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
    """Returns the column, and those whose names differ in a number alone, such as `code 2`."""
    words = _words(_unnumbered_name(first[place]))
    return [
        each
        for each, name in enumerate(first)
        if each == place
        or (_words(_unnumbered_name(name)) == words and _score(rows[1 : _LOOKED_AT + 1], each))
    ]


def _written_alike(rows: Sequence[Row], place: int) -> list[int]:
    """Returns the column, and those with codes of the same length, case and marks."""
    some = rows[:_LOOKED_AT]
    form = _usual_form(some, place)
    columns = range(len(rows[0][1])) if form else ()
    return [each for each in columns if _usual_form(some, each) == form] or [place]


def _usual_form(rows: Sequence[Row], place: int) -> str | None:
    """Returns the form of most codes in a column; None if no form has more than half of them."""
    values = [cells[place] for _, cells in rows if place < len(cells) and cells[place]]
    [(form, count)] = Counter(map(_form, values)).most_common(1) or [("", 0)]
    likely = sum(_weight(value) for value in values if not fault_of(value))
    return form if count * 2 > len(values) and likely * 2 > len(values) else None


def _form(value: str) -> str:
    letters = "a" if any(c.islower() for c in value) else "A"
    return "".join(letters if c.isalnum() else c for c in value)


def _likeliest(rows: Sequence[Row], first: Sequence[str]) -> int:
    """Returns the column with most probable codes; of equals, by its name, or the first."""
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
    # If one column is called a code and another an ID, the former is more likely.
    named = [place for place in likely if _names_codes(_words(first[place]))]
    named += [place for place in likely if _names_codes(_unnumbered(first[place]))]
    named += [place for place in likely if _is_numbered_header(rows, place, first[place])]
    return (named or [max(likely, key=lambda place: (scores[place], -place))])[0]


def _score(rows: Sequence[Row], place: int) -> float:
    """Returns how many different codes a column has, weighted by how probable each is."""
    values = [cells[place] if place < len(cells) else "" for _, cells in rows]
    likely = {folded(value): _weight(value) for value in values if not fault_of(value)}
    return sum(likely.values())


def _weight(value: str) -> float:
    """Returns how much a value looks like a code, from 0 to 1."""
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
    """Returns whether it can only be a name: GIFT and SUMMER-CODE may be codes, GiftCode can't."""
    words = _unnumbered(name)
    return bool(words) and words[-1] in _NAMES and set(words[:-1]) <= _NAME_WORDS


def _unnumbered(name: str) -> list[str]:
    """Returns the name's words without `ID` or `number` at the end: a coupon's ID is its code."""
    words = _words(name)
    return words[:-1] if len(words) > 1 and words[-1] in _NUMBERS else words


def _unnumbered_name(name: str) -> str:
    """Returns the name without the number at its end and marks around it: `code` of `code_2`."""
    number = _NUMBER_BACKWARDS.match(name[::-1])
    return name[: -number.end()] if number else name


def _words(name: str) -> list[str]:
    parted = _NEW_WORD.sub(" ", name).casefold()
    return "".join(c if c.isalnum() else " " for c in parted).split()


def _has_space(value: str) -> bool:
    return any(c.isspace() for c in value)


def _is_header(rows: Sequence[Row], place: int, name: str) -> bool:
    """Returns whether the first row is a header: it says so, or is unlike all rows below."""
    first = rows[0][1]
    others = (n for n in range(len(first)) if n != place and first[n].strip())
    if _is_known_header(_unnumbered_name(name)) and _unnumbered_name(name) != name:
        return _is_numbered_header(rows, place, name)
    if not _has_space(name) and not any(_looks_like_a_name(rows, n) for n in others):
        # It may be a code such as WELCOME above others such as SAVE10, which must not be lost.
        return _is_known_header(name)
    return _names_codes(_unnumbered(name)) or _looks_like_a_name(rows, place)


def _is_numbered_header(rows: Sequence[Row], place: int, name: str) -> bool:
    """Returns whether it is the name of codes with a number: CODE1 above X7KP2, not above CODE2."""
    bare = _unnumbered_name(name)
    below = (cells[place] for _, cells in rows[1:_LOOKED_AT] if place < len(cells))
    is_name = bare != name and _is_known_header(bare)
    return is_name and bool(rows[1:]) and all(_unnumbered_name(each) != bare for each in below)


def _looks_like_a_name(rows: Sequence[Row], place: int) -> bool:
    """Returns whether a cell of the first row has a shape that none below it has."""
    name = rows[0][1][place].strip()
    below = [cells[place] for _, cells in rows[1:_LOOKED_AT] if place < len(cells)]
    if not below or any(c.isdigit() for c in name):
        return False
    return _shape(name) not in Counter(map(_shape, below))


def _shape(value: str) -> tuple[bool, bool, bool]:
    """Returns whether it has digits, small letters, white space."""
    return (
        any(c.isdigit() for c in value),
        any(c.islower() for c in value),
        _has_space(value),
    )
