"""Prices as the countries write them."""

import re

import pytest

from storepost.feeds.records import currency_signs
from storepost.feeds.records.numbers import decimal_point
from storepost.feeds.records.prices import read_price
from storepost.values.money import Money, currencies, digits
from tests.feeds.records import cldr

WRITTEN = {
    "15,90 Kč": (1590, "CZK"),
    "1 299 Ft": (129900, "HUF"),
    "12,50 lei": (1250, "RON"),
    "99,90 zł": (9990, "PLN"),
    "1 500 ₽": (150000, "RUB"),
    "1 500,00 руб.": (150000, "RUB"),  # noqa: RUF001
    "15 RUR": (1500, "RUB"),
    "₩15,000": (15000, "KRW"),
    "15,000원": (15000, "KRW"),
    "US$15.00": (1500, "USD"),
    "CA$ 12.50": (1250, "CAD"),
    "A$9.99": (999, "AUD"),
    "NZ$ 9": (900, "NZD"),
    "Fr. 12.50": (1250, "CHF"),
    "CHF 12.–": (1200, "CHF"),  # noqa: RUF001
    "1.299,90 TL": (129990, "TRY"),
    "₺1.299,90": (129990, "TRY"),
    "฿1,200.00": (120000, "THB"),
    "120.000 ₫": (120000, "VND"),
    "Rp 150.000": (15000000, "IDR"),
    "₪99.90": (9990, "ILS"),
    "R$ 1.299,90": (129990, "BRL"),
    "RM15.50": (1550, "MYR"),
    "₱99.00": (9900, "PHP"),
    "1,500円": (1500, "JPY"),
    "￥1,500": (1500, "JPY"),
    "5,– €": (500, "EUR"),  # noqa: RUF001
    "5,-- €": (500, "EUR"),
    "€ 5,—": (500, "EUR"),
    "12 500,00 грн": (1250000, "UAH"),
    "250 ден": (25000, "MKD"),
    "S/ 15.00": (1500, "PEN"),
    "KSh 1,200": (120000, "KES"),
    "₹ 1,29,999.00": (12999900, "INR"),
    "kr. 1.299,00": (129900, "SEK"),
    "129 kr": (12900, "SEK"),
    "AED 55.00": (5500, "AED"),
    "1.250 KWD": (1250, "KWD"),
    "1 299,90 лв.": (129990, "BGN"),
    "1.299,90 kn": (129990, "HRK"),
    "1 299:-": (129900, "EUR"),
    "SEK 1299:-": (129900, "SEK"),
    "S/. 15.00": (1500, "PEN"),
    "S/.1,299.00": (129900, "PEN"),
    "B/.15.00": (1500, "PAB"),
    "15.00 රු.": (1500, "LKR"),
    "$1,299.00 USD": (129900, "USD"),
    "USD $15": (1500, "USD"),
    "$15.00 CAD": (1500, "CAD"),
    "€15,90 EUR": (1590, "EUR"),
    "15.90 $ AUD": (1590, "AUD"),
    "Rs. 500 INR": (50000, "INR"),
    "kr 129,00 SEK": (12900, "SEK"),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_local_price_notations(text: str) -> None:
    assert read_price(text, "EUR") == Money(*WRITTEN[text])


@pytest.mark.parametrize("unseen", currency_signs.UNSEEN)
def test_invisible_character_is_no_currency(unseen: str) -> None:
    """CLDR has such a sign: a zero width space is the Cape Verdean escudo's in Portuguese."""
    for text in (f"{unseen}15.90", f"15.90{unseen}", f"15{unseen}.90", f" {unseen} 15.90 "):
        assert read_price(text, "EUR") == Money(1590, "EUR")
    assert read_price(f"15.90 {unseen}₪{unseen}", "EUR") == Money(1590, "ILS")
    assert currency_signs.currency_of(unseen, ["EUR"]) is None


@pytest.mark.parametrize("zero", "\u0660\u06f0")
@pytest.mark.parametrize(
    ("text", "amount"),
    [("1,299.00 ر.س.", 129900), ("1.500 ر.س", 150), ("12,000 ر.س", 1200000), ("15", 1500)],
)
def test_arabic_and_persian_digits_and_separators(zero: str, text: str, amount: int) -> None:
    """Their point separates decimals alone, so three digits behind it are no thousand."""
    digits_of = "".join(chr(ord(zero) + digit) for digit in range(10))
    written = text.translate(str.maketrans("0123456789", digits_of))
    written = re.sub(r"(?<=\d)[.,](?=\d)", lambda mark: "\u066b\u066c"[mark[0] == ","], written)
    assert read_price(written, "SAR") == Money(amount, "SAR")


def test_every_currency_code() -> None:
    for code in sorted(currencies()):
        for text in (f"15 {code}", f"{code} 15", f"15 {code.lower()}"):
            assert read_price(text, "EUR") == Money(15 * 10 ** digits(code), code)


@pytest.mark.parametrize(
    "text",
    [
        *("-5 €", "\u22125 €", "5 € / kg", "from 5 €", "5 Quatloos", "€", "5 € 6"),
        *("..5", "€..5", "5:", "12:50", "5:-3", "x./." * 25),
        *("$5 EUR", "EUR 5 USD", "£ 5 USD", "5 CAD USD", "5 $ USD CAD"),
    ],
)
def test_invalid_price_is_none(text: str) -> None:
    assert read_price(text, "EUR") is None


@pytest.mark.parametrize(
    ("column", "point"),
    [
        (["1.299", "5.5"], "."),
        (["1,299", "5,50"], ","),
        (["1.299,00", "5"], ","),
        (["1,299.00", "12,000"], "."),
        (["1.299.000", "1.299"], ","),
        (["1.299", "19.990"], None),
        (["5.50", "5,50"], None),
        (["0.999", "1.299"], "."),
        (["12", "", "ask us"], None),
    ],
)
def test_decimal_separator_of_column(column: list[str], point: str | None) -> None:
    assert decimal_point(column) == point


def test_column_decides_separator_before_three_digits() -> None:
    assert read_price("1.299", "EUR", None, ".") == Money(130, "EUR")
    assert read_price("1.299", "EUR", None, ",") == Money(129900, "EUR")
    assert read_price("1.299", "EUR") == Money(129900, "EUR")


def test_signs_map_to_existing_currencies() -> None:
    for codes in currency_signs._signs().values():
        assert set(codes) <= currencies()


def test_sign_file_matches_cldr() -> None:
    """`python -m tests.feeds.records.cldr` writes it anew where this fails."""
    assert cldr.FILE.read_text(encoding="utf-8") == cldr.signs()
