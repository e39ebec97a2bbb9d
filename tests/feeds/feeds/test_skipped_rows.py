"""No row is skipped, and no price left out, without a reason that an import's list shows."""

import csv
import io

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.feeds.feeds.suggested_mapping import imported

NUMBERS = st.sampled_from(["9.90", "1,234.50", "1.234,50", "12", "0", "-5.00", "1e3", "9,9,9", "."])
CURRENCIES = st.sampled_from(["", "EUR", "€", "USD", "$", "Kč", "XXX", "per piece"])
PRICES = st.one_of(
    st.just(""),
    st.tuples(NUMBERS, CURRENCIES).map(lambda parts: " ".join(parts).strip()),
    st.text("0123456789.,€$ abc-", max_size=12),
)
LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
"""A zero byte makes it no text, which is told of the file as a whole."""
IDS = st.one_of(st.sampled_from(["", " ", "p-1", "p-2"]), st.text(LETTERS, max_size=300))
ROWS = st.lists(st.tuples(IDS, st.text(LETTERS, max_size=10), PRICES), min_size=1, max_size=6)
KNOWN = [(f"known-{number}", f"Known {number}", f"{number}.90 EUR") for number in range(1, 9)]
"""Rows by which a preview knows the columns, whatever the others have."""
type Cells = list[tuple[str, str, str]]


def table(rows: Cells) -> bytes:
    """The rows below names that every maker's file might have."""
    text = io.StringIO()
    csv.writer(text).writerows([("id", "title", "price"), *rows])
    return text.getvalue().encode(errors="replace")


@settings(max_examples=40)
@given(ROWS)
@example([("p-1", "Pot", "12.00 USD"), ("p-2", "Pan", "9.90 EUR")])
@example([("p-1", "Pot", "abc"), ("p-1", "Pot", "9.90")])
def test_every_row_and_price_is_imported_or_listed(rows: Cells) -> None:
    found = imported(table([*KNOWN, *rows]))
    counts = found.counts
    assert counts.rows == counts.imported + counts.skipped
    assert all(reason.strip() for _, _, reason in found.listed)
    listed = {row for row, _, _ in found.listed}
    variants = [each["variants"] for each in found.products.values()]
    with_price = {name for some in variants for name, fields in some.items() if "price" in fields}
    for number, (row_id, _, price) in enumerate(read(rows), len(KNOWN) + 1):
        if price.strip() and number not in listed:
            assert row_id.strip() in with_price


def read(rows: Cells) -> Cells:
    """The rows as a reader of tables has them."""
    text = io.StringIO(table(rows).decode(), newline="")
    return [(first, second, third) for first, second, third in list(csv.reader(text))[1:]]
