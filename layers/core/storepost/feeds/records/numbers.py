"""Numbers as feeds spell them: with decimals, with separators of thousands, or with both."""

import re
from collections.abc import Iterable
from decimal import Decimal

from storepost.feeds.records.currency_signs import UNSEEN

BLANKS = " \t\u00a0\u202f\u2009'\u2019"
"""What separates thousands besides points and commas."""
_LAKHS = re.compile(r"\d{1,2}(,\d\d)+,\d{3}")
_NOTHING = str.maketrans("", "", BLANKS + UNSEEN)
_SEPARATED = re.compile(r"\d[\d.,]*")
_ZEROS = re.compile(r"\d{1,3}([.,])000")
_DIFFERENT = 5
"""Numbers by which a column is judged."""
_LENGTH = 100
"""Characters; no number that counts is longer."""


def read_number(text: str, decimals: int, point: str | None = None) -> Decimal | None:
    """Returns the number; None if its groups don't have three digits. The text has a digit, and
    nothing but digits, points, commas and `BLANKS`.

    Of two kinds of separators the last is the decimal one. A single kind separates thousands if it
    occurs more than once, or if three digits follow it at the end of a number of at least one,
    unless such a number has three `decimals`, or the column's other cells show that it is their
    decimal `point`.
    """
    bare = text.translate(_NOTHING)
    last = max(bare.rfind("."), bare.rfind(","))
    if last < 0:
        return Decimal(bare)
    whole, fraction = bare[:last], bare[last + 1 :]
    may_be_thousands = not set(whole) & {".", ","} and bare[last] != point
    if bare[last] in whole or (may_be_thousands and _is_thousands(whole, fraction, decimals)):
        whole, fraction = bare, ""
    if _LAKHS.fullmatch(whole):
        whole = whole.replace(",", "")
    grouped = re.split(r"[.,]", whole)
    if len(grouped) > 1 and (any(len(part) != 3 for part in grouped[1:]) or not grouped[0]):
        return None
    return Decimal(f"{''.join(grouped) or 0}.{fraction or 0}")


def decimal_point(texts: Iterable[str]) -> str | None:
    """Returns the decimal separator that numbers show; None if they show none, or both."""
    separators = {
        mark for text in texts if (mark := _separator(text[:_LENGTH].translate(_NOTHING)))
    }
    return separators.pop() if len(separators) == 1 else None


def point_before_zeros(texts: Iterable[str]) -> str | None:
    """Returns the decimal separator of quantities that all have three zeros behind it, else None.

    Programs for stocks write `5,000`, `12,000` and so on for pieces; of as many different numbers,
    hardly ever all are thousands.
    """
    filled = {text for each in texts if (text := each[:_LENGTH].strip())}
    points = {found[1] if (found := _ZEROS.fullmatch(text)) else None for text in filled}
    return points.pop() if len(filled) >= _DIFFERENT and len(points) == 1 else None


def _separator(text: str) -> str | None:
    found = _SEPARATED.search(text)
    separators = [each for each in found[0] if each in ".,"] if found else []
    if found is None or not separators:
        return None
    whole, _, fraction = found[0].rpartition(separators[-1])
    if len(set(separators)) == 2:
        return separators[-1] if separators.count(separators[-1]) == 1 else None
    if len(separators) > 1:
        return "," if separators[0] == "." else "."
    is_decimal = len(fraction) in {1, 2} or not whole.strip("0")
    return separators[0] if is_decimal and fraction else None


def _is_thousands(whole: str, fraction: str, decimals: int) -> bool:
    return len(fraction) == 3 and decimals != 3 and whole.strip("0") != "" and len(whole) <= 3
