"""Files of codes that mean harm: refused, or read in linear time."""

from time import process_time

import pytest

from storepost.coupons.files import MAX_COLUMNS, MAX_ROWS, read_codes
from storepost.values.problems import UnreadableContent


def refused(content: str) -> str:
    """What is wrong with the file."""
    with pytest.raises(UnreadableContent) as raised:
        read_codes(content, None)
    [error] = raised.value.errors
    assert error.path == "/content"
    return error.message


def test_more_rows_than_anybody_has() -> None:
    assert "500,000 rows" in refused("a\n" * (MAX_ROWS + 1))


def test_more_columns_than_anybody_has() -> None:
    row = ",".join(["CODE-1"] * MAX_COLUMNS)
    assert read_codes(f"{row}\n{row}\n", None).rows == 2
    assert "250 columns" in refused(f"{row},x\n{row}\n")


def test_many_columns_and_rows_take_no_longer_than_the_file_is_long() -> None:
    began = process_time()
    refused("," * 1_000_000 + "\n" + "A1,B2\n" * 100_000)
    assert process_time() - began < 30


@pytest.mark.parametrize("letter", ["1", "_", " ", "1_", "a"])
@pytest.mark.parametrize("place", ["name", "code"])
def test_a_long_cell_takes_linear_time(letter: str, place: str) -> None:
    """Names of columns lose their numbers, and so do the cells that are compared with a name."""
    long = f"x{letter * (1_000_000 // len(letter))}x"
    rows = [f"{long},b", *["A1B2,c"] * 3] if place == "name" else ["code 1,code 2", f"{long},A1B2"]
    began = process_time()
    read_codes("\n".join(rows), None)
    assert process_time() - began < 10


@pytest.mark.parametrize(
    "content",
    ['"' * 1_001, '"a"b\n', "a\x00b", "\x00", '"\n' * 1_001],
)
def test_what_is_no_file_of_codes(content: str) -> None:
    assert refused(content)
