"""Texts that systems write instead of a missing value."""

import unicodedata


def names_nobody(value: str) -> bool:
    """Returns whether it is a placeholder that names nobody and nothing, such as `null` or `000`.

    (docs/semantics.md, section 1.1)
    """
    text = value.strip().lower()
    if text in {"", "null", "undefined", "anonymous", "-1"}:
        return True
    return all(letter == "0" or unicodedata.category(letter) == "Pd" for letter in text)


def placeholder_to_none(value: object) -> object:
    """Returns None for a placeholder, which exports write for unknown values; else the value."""
    return None if isinstance(value, str) and names_nobody(value) else value
