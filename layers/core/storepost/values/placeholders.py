"""Texts that systems write where they have no value."""

import unicodedata


def names_nobody(value: str) -> bool:
    """Returns whether it stands for nobody and nothing, such as `null` or `000`.

    (docs/semantics.md, section 1.1)
    """
    text = value.strip().lower()
    if text in {"", "null", "undefined", "anonymous", "-1"}:
        return True
    return all(letter == "0" or unicodedata.category(letter) == "Pd" for letter in text)


def placeholder_to_none(value: object) -> object:
    """Returns None for a text that stands for nobody, as exports write what they don't know."""
    return None if isinstance(value, str) and names_nobody(value) else value
