"""Prices in the spellings that feeds have."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.feeds.files.objects import Number
from storepost.feeds.records.prices import price_of, read_price
from storepost.values.money import Money

SPELLINGS = {
    "15.00 USD": (1500, "USD"),
    "USD 15.00": (1500, "USD"),
    "15 usd": (1500, "USD"),
    "15": (1500, "EUR"),
    "15.5": (1550, "EUR"),
    "15,5": (1550, "EUR"),
    "1.299,00 EUR": (129900, "EUR"),
    "1,299.00": (129900, "EUR"),
    "1,299": (129900, "EUR"),
    "1.299": (129900, "EUR"),
    "0.999": (100, "EUR"),
    "12.345.678,90": (1234567890, "EUR"),
    "12,345,678": (1234567800, "EUR"),
    "1299.999": (130000, "EUR"),
    "1\u00a0299,00 €": (129900, "EUR"),
    "1'299.00 CHF": (129900, "CHF"),
    "€ 5": (500, "EUR"),
    "£5.5": (550, "GBP"),
    "$7": (700, "USD"),
    "5,-": (500, "EUR"),
    ".5": (50, "EUR"),
    "100 JPY": (100, "JPY"),
    "1.234 KWD": (1234, "KWD"),
    "0": (0, "EUR"),
    "R$ 10,00": (1000, "BRL"),
    "Rs. 500": (50000, "INR"),
    "Rs.500.50": (50050, "INR"),
    "Rs. 1,00,000/-": (10000000, "INR"),
    "500 Rs.": (50000, "INR"),
    "1,00,000.00": (10000000, "EUR"),
    "₹12,34,567": (123456700, "INR"),
    "USD .50": (50, "USD"),
    "KD 3.500": (3500, "KWD"),
    "1.200 BD": (1200, "BHD"),
    "JD 5": (5000, "JOD"),
    "L.E. 1,250": (125000, "EGP"),
    "₨ 500": (50000, "INR"),
    "RMB 99.00": (9900, "CNY"),
    "5 000 F CFA": (5000, "XAF"),
    "CFA 5.000": (5000, "XOF"),
    "+15": (1500, "EUR"),
    "12€50": (1250, "EUR"),
    "1 299 €00": (129900, "EUR"),
    "+ 15,00 €": (1500, "EUR"),
    "USD +1,299.00": (129900, "USD"),
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_price_spellings(text: str) -> None:
    found = read_price(text, "EUR")
    assert found is not None
    assert (found.amount, found.currency) == SPELLINGS[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ask us",
        "-5",
        "\u22125",
        "EUR -5",
        "+-5",
        "5 + 3",
        "5€6",
        "12.5€50",
        "5.00-",
        "5,00 - EUR",
        "(5.00)",
        "1.2.3",
        "1,23,456.7.8",
        "5 XQX",
        "5 EUR USD",
        "1e5",
        "99999999999999999",
        "9" * 40,
    ],
)
def test_invalid_price_is_none(text: str) -> None:
    assert read_price(text, "EUR") is None


@pytest.mark.parametrize(
    ("number", "currency", "amount"),
    [
        ("24.375", "EUR", 2438),
        ("24.365", "EUR", 2437),
        ("1.234", "KWD", 1234),
        ("1299", "EUR", 129900),
        ("100.5", "JPY", 101),
        ("0", "EUR", 0),
        ("-5", "EUR", None),
        ("9" * 40, "EUR", None),
        ("1E+999999999", "EUR", None),
        ("nan", "EUR", None),
        ("inf", "EUR", None),
    ],
)
def test_point_in_number_is_decimal(number: str, currency: str, amount: int | None) -> None:
    assert price_of(Number(number), currency) == (
        None if amount is None else Money(amount, currency)
    )


@pytest.mark.parametrize(
    ("text", "stores", "currency"),
    [
        ("$7", "CAD", "CAD"),
        ("$7", "EUR", "USD"),
        ("¥7", "CNY", "CNY"),
        ("¥7", "EUR", "JPY"),
        ("Rs. 7", "PKR", "PKR"),
        ("rs 7", "EUR", "INR"),
        ("7 kr.", "NOK", "NOK"),
    ],
)
def test_ambiguous_symbol_means_store_currency(text: str, stores: str, currency: str) -> None:
    found = read_price(text, stores)
    assert found is not None
    assert found == Money(7 if currency == "JPY" else 700, currency)


@pytest.mark.parametrize(
    ("text", "stores", "of_locale", "currency"),
    [
        ("$ 15.00", "EUR", "CAD", "CAD"),
        ("15 kr", "SEK", "NOK", "NOK"),
        ("$15", "USD", "EUR", "USD"),
        ("$15", "EUR", "EUR", "USD"),
        ("€15", "CAD", "CAD", "EUR"),
        ("15", "SEK", "NOK", "SEK"),
    ],
)
def test_ambiguous_symbol_means_locale_currency_before_store(
    text: str, stores: str, of_locale: str, currency: str
) -> None:
    assert read_price(text, stores, of_locale) == Money(1500, currency)


@given(
    amount=st.integers(0, 10**9),
    style=st.sampled_from([(",", "."), (".", ","), ("", "."), ("", ","), (" ", ","), ("'", ".")]),
    named=st.sampled_from(["{} EUR", "EUR {}", "{}", "€{}", "{} €"]),
)
def test_random_prices_round_trip(amount: int, style: tuple[str, str], named: str) -> None:
    thousands, point = style
    whole, cents = divmod(amount, 100)
    text = f"{whole:,}".replace(",", thousands) + f"{point}{cents:02}"
    found = read_price(named.format(text), "EUR")
    assert found is not None
    assert Decimal(found.amount) == Decimal(amount)
