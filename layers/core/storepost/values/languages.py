"""The languages of the service's texts for shoppers."""

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
    """Returns the language of a locale such as `de-AT`; None if the service has no texts in it."""
    primary = (tag or "").partition("-")[0].strip().lower()
    return Language(primary) if primary in Language else None
