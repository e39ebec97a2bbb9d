"""Identifiers of people and places: phones, emails, locales and names, in canonical form."""

import pytest

from storepost.values.emails import normalised as email
from storepost.values.locale_codes import canonical
from storepost.values.phones import normalised as phone
from storepost.values.text import visible

WRITTEN = {
    "AE": ("050 123 4567", "+971501234567"),
    "AR": ("011 15-2345-6789", "+5491123456789"),
    "AT": ("0664 1234567", "+436641234567"),
    "AU": ("0412 345 678", "+61412345678"),
    "BE": ("0470 12 34 56", "+32470123456"),
    "BG": ("087 123 4567", "+359871234567"),
    "BR": ("(11) 96123-4567", "+5511961234567"),
    "CA": ("(506) 234-5678", "+15062345678"),
    "CH": ("078 123 45 67", "+41781234567"),
    "CL": ("9 6123 4567", "+56961234567"),
    "CN": ("131 2345 6789", "+8613123456789"),
    "CO": ("321 1234567", "+573211234567"),
    "CZ": ("601 123 456", "+420601123456"),
    "DE": ("01512 3456789", "+4915123456789"),
    "DK": ("34 41 23 45", "+4534412345"),
    "EE": ("5123 4567", "+37251234567"),
    "EG": ("0100 123 4567", "+201001234567"),
    "ES": ("612 34 56 78", "+34612345678"),
    "FI": ("041 2345678", "+358412345678"),
    "FR": ("06 12 34 56 78", "+33612345678"),
    "GB": ("07400 123456", "+447400123456"),
    "GR": ("691 234 5678", "+306912345678"),
    "HR": ("092 123 4567", "+385921234567"),
    "HU": ("06 20 123 4567", "+36201234567"),
    "IE": ("085 012 3456", "+353850123456"),
    "IL": ("050-234-5678", "+972502345678"),
    "IN": ("081234 56789", "+918123456789"),
    "IT": ("312 345 6789", "+393123456789"),
    "JP": ("090-1234-5678", "+819012345678"),
    "KR": ("010-2000-0000", "+821020000000"),
    "LT": ("0 612 34567", "+37061234567"),
    "MX": ("222 123 4567", "+522221234567"),
    "NL": ("06 12345678", "+31612345678"),
    "NO": ("406 12 345", "+4740612345"),
    "NZ": ("021 123 4567", "+64211234567"),
    "PL": ("512 345 678", "+48512345678"),
    "PT": ("912 345 678", "+351912345678"),
    "RO": ("0712 034 567", "+40712034567"),
    "RU": ("8 (912) 345-67-89", "+79123456789"),
    "SE": ("070-123 45 67", "+46701234567"),
    "TR": ("0501 234 56 78", "+905012345678"),
    "UA": ("050 123 4567", "+380501234567"),
    "US": ("(201) 555-0123", "+12015550123"),
    "ZA": ("071 123 4567", "+27711234567"),
}


@pytest.mark.parametrize("country", WRITTEN)
def test_national_phone_formats(country: str) -> None:
    written, number = WRITTEN[country]
    assert phone(written, country) == number
    assert phone(number, "AT") == phone(number) == number
    with pytest.raises(ValueError, match="country code"):
        phone(written)


@pytest.mark.parametrize(
    "written",
    [
        "+43 (0)664 1234567",
        "tel:+43-664-1234567",
        "+43.664.1234567",
        "\uff0b\uff14\uff13\uff16\uff16\uff141234567",
    ],
)
def test_phones_with_country_code(written: str) -> None:
    assert phone(written) == "+436641234567"


@pytest.mark.parametrize(
    ("written", "country", "number"),
    [
        ("+48 (0)512 345 678", "PL", "+48512345678"),
        ("+39 (0)6 1234 5678", "IT", "+390612345678"),
        ("0043 664 1234567", "AT", "+436641234567"),
        ("0043 664 1234567", "DE", "+436641234567"),
        ("0043 664 1234567", "US", "+436641234567"),
    ],
)
def test_phones_with_redundant_prefixes(written: str, country: str, number: str) -> None:
    assert phone(written, country) == number


@pytest.mark.parametrize("written", ["123", "0000000", "0664", "call me", "555-0123"])
def test_invalid_phone_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="Must be a phone number"):
        phone(written, "US")


@pytest.mark.parametrize(
    ("tag", "locale"),
    [
        ("iw", "he"),
        ("in-ID", "id-ID"),
        ("ji", "yi"),
        ("sh", "sr-Latn"),
        ("mo", "ro"),
        ("mo-MD", "ro-MD"),
        ("eng-us", "en-US"),
        ("ZH-hant-tw", "zh-Hant-TW"),
        ("de-at", "de-AT"),
    ],
)
def test_locales_are_canonicalised(tag: str, locale: str) -> None:
    assert canonical(tag) == locale
    assert canonical(locale) == locale


def test_email_local_part_has_at_most_64_characters() -> None:
    assert email(f"{'a' * 64}@example.com") == f"{'a' * 64}@example.com"
    with pytest.raises(ValueError, match="Must be an email address"):
        email(f"{'a' * 65}@example.com")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (" Ada\u202e Lovelace\u202c ", "Ada Lovelace"),
        ("Ada\x00\x07", "Ada"),
        ("Ada\r\n\tLovelace", "Ada Lovelace"),
        ("\ufeffAda\u200b", "Ada"),
        ("\u2067עדה\u2069", "עדה"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("\u200e", ""),
    ],
)
def test_invisible_characters_are_removed_from_names(written: str, name: str) -> None:
    assert visible(written) == name
