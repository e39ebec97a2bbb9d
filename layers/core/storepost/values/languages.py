"""The languages in which the service speaks to shoppers."""

from enum import StrEnum


class Language(StrEnum):
    """A language by its BCP 47 subtag: what `lang` and `Content-Language` say."""

    GERMAN = "de"
    ENGLISH = "en"
    SPANISH = "es"
    FRENCH = "fr"
    ITALIAN = "it"
    DUTCH = "nl"
    POLISH = "pl"
    PORTUGUESE = "pt"


def language_of(tag: str | None) -> Language | None:
    """The language of a locale such as `de-AT`; None where it is another or there is none."""
    primary = (tag or "").partition("-")[0].strip().lower()
    return Language(primary) if primary in Language else None
