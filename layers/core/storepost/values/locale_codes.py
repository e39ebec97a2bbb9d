"""Locales: BCP 47 language tags in their canonical case."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

_NO_COUNTRY = "ZZ"
"""CLDR's region for an unknown one."""


@dataclass(frozen=True)
class LocaleParts:
    """The parts of a tag."""

    code: str
    language: str
    region: str | None
    label: str
    """Its name in English, such as `German (Austria)`."""
    country: str
    """Its region, or else the one where most speakers of the language live; `ZZ` where that is no
    country, as of `es-419`.
    """


@lru_cache(maxsize=256)
def canonical(tag: str) -> str:
    """Returns the tag in its canonical form: `iw` is `he`, `de-at` is `de-AT`.

    Raises ValueError if BCP 47 has no such tag.
    """
    import langcodes  # noqa: PLC0415 - 38 ms

    try:
        language = langcodes.Language.get(tag.strip(), normalize=True)
    except ValueError as error:
        raise ValueError("Must be a BCP 47 language tag, like de or pt-BR") from error
    if not language.language or not language.is_valid():
        raise ValueError("Must be a BCP 47 language tag, like de or pt-BR")
    return str(language.to_tag())


@lru_cache(maxsize=256)
def parts(code: str) -> LocaleParts:
    """Returns the parts of a canonical tag, with its English name."""
    import langcodes  # noqa: PLC0415 - 38 ms

    language = langcodes.Language.get(code, normalize=False)
    region = language.territory or language.maximize().territory or _NO_COUNTRY
    country = _NO_COUNTRY if region.isdigit() else region
    name = language.display_name("en")
    return LocaleParts(code, language.language or "", language.territory, name, country)


LocaleCode = Annotated[
    str,
    StringConstraints(min_length=2, max_length=35),
    AfterValidator(canonical),
    Field(json_schema_extra={"format": "bcp47", "examples": ["de-AT"]}),
]
"""A locale in a request."""
