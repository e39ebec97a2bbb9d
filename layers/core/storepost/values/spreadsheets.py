"""What spreadsheets make of codes and numbers in a CSV file's cells."""

import re

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_FORMULA = re.compile(r'="(.*)"', re.DOTALL)
"""How a spreadsheet keeps leading zeros."""
_ROUNDED = re.compile(r"\d([.,]\d+)?E\+\d+", re.IGNORECASE)


def unframed(text: str) -> str:
    """Returns the text in a cell such as `="00123"`; any other cell as it is."""
    formula = _FORMULA.fullmatch(text)
    return formula[1].strip() if formula else text


def code_in(cell: str) -> str:
    """Returns the code in a cell, without outer blanks and invisible characters."""
    bare = _UNSEEN.sub("", cell).strip()
    return bare[1:].strip() if bare.startswith("'") else unframed(bare)


def is_rounded(code: str) -> bool:
    """Returns whether a spreadsheet took the code for a number and rounded it: `1.23457E+12`."""
    return _ROUNDED.fullmatch(code) is not None
