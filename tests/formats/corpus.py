# ruff: noqa: RUF001 - what looks alike is what is folded
"""Texts, addresses and numbers whose folded and normalised forms are part of rows' keys."""

from datetime import UTC, datetime

MOMENT = datetime(2026, 3, 14, 9, 30, 0, 250_000, tzinfo=UTC)

TEXTS = (
    "Straße",
    "ÀÉÎõü",
    "İstanbul",
    "ﬁne",
    "Łódź",
    "ŒUVRE æther",
    "Ελλάδα ΣΊΣΥΦΟΣ",
    "ёлка Й",
    "Ⅷ ½ ²",
    "ｆｕｌｌ　ｗｉｄｔｈ",
    "e\u0301 \u200b\u00adsoft",
    "日本語 ｶﾞ",
    "naïve—dash’s",
    " two  spaces\t",
)

EMAILS = (
    "Erika@Example.COM",
    "first.last+tag@example.com",
    "user@BÜCHER.example",
    "o'brien@mail.example.org",
    "ÄÖ@example.com",
)

PHONES = (
    ("+43 664 1234567",),
    ("0664 1234567", "AT"),
    ("+49 (0) 151 23456789",),
    ("0151 23456789", "DE"),
    ("+1 (202) 555-0123",),
    ("202-555-0123", "US"),
    ("+39 06 12345678",),
    ("06 12 34 56 78", "FR"),
    ("+44 7400 123456",),
    ("+55 11 91234-5678",),
    ("+81 90-1234-5678",),
    ("079 123 45 67", "CH"),
)
