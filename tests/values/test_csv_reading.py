"""Long fields of CSV: the result doesn't depend on earlier imports or reads."""

import csv
import subprocess
import sys
from collections.abc import Iterator

import pytest

from storepost.coupons.files import read_codes
from storepost.feeds.files.source import FeedText
from storepost.feeds.files.tables import Table, table_rows

LONG = "x" * 200_000
IMPORTS = "import csv, storepost.feeds.files.tables, storepost.coupons.files"


@pytest.fixture
def _short_fields() -> Iterator[None]:
    """Other code in the same process has changed Python's limit."""
    before = csv.field_size_limit(10)
    yield
    csv.field_size_limit(before)


def test_import_does_not_change_the_field_size_limit() -> None:
    """In a process of its own, as this one has imported both."""
    program = f"{IMPORTS}; print(csv.field_size_limit())"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert ran.stdout.strip() == b"131072"


@pytest.mark.usefixtures("_short_fields")
def test_long_field_of_a_feed_is_read() -> None:
    text = FeedText(iter([f"id,title\n1,{LONG}\n".encode()]), "utf-8", may_be_truncated=False)
    assert list(table_rows(text, Table())) == [{"id": "1", "title": LONG}]


@pytest.mark.usefixtures("_short_fields")
def test_long_field_of_a_coupon_file_is_reported() -> None:
    """A field too long for a code is that row's problem; the others count."""
    file = read_codes(f"code\nSAVE10\n{LONG}\n", None)
    assert file.codes == ("SAVE10",)
    assert [(fault.row, fault.value) for fault in file.faults] == [(3, LONG)]
