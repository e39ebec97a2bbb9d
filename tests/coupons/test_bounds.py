"""Files of codes that mean harm: refused, or read in linear time."""

import pytest

from storepost.coupons.files import MAX_COLUMNS, MAX_ROWS, read_codes
from storepost.values.problems import UnreadableContent
from tests.growth import assert_linear


def refused(content: str) -> str:
    """What is wrong with the file."""
    with pytest.raises(UnreadableContent) as raised:
        read_codes(content, None)
    [error] = raised.value.errors
    assert error.path == "/content"
    return error.message


def test_too_many_rows_are_refused() -> None:
    assert "500,000 rows" in refused("a\n" * (MAX_ROWS + 1))


def test_too_many_columns_are_refused() -> None:
    row = ",".join(["CODE-1"] * MAX_COLUMNS)
    assert read_codes(f"{row}\n{row}\n", None).rows == 2
    assert "250 columns" in refused(f"{row},x\n{row}\n")


def test_many_columns_and_rows_take_linear_time() -> None:
    assert_linear(lambda count: refused("," * 10 * count + "\n" + "A1,B2\n" * count), 6_250)


@pytest.mark.parametrize("letter", ["1", "_", " ", "1_", "a"])
@pytest.mark.parametrize("place", ["name", "code"])
def test_long_cell_takes_linear_time(letter: str, place: str) -> None:
    """Names of columns lose their numbers, and so do the cells that are compared with a name."""

    def read(length: int) -> None:
        long = f"x{letter * (length // len(letter))}x"
        rows = {
            "name": [f"{long},b", *["A1B2,c"] * 3],
            "code": ["code 1,code 2", f"{long},A1B2"],
        }
        read_codes("\n".join(rows[place]), None)

    assert_linear(read, 62_500)


@pytest.mark.parametrize(
    "content",
    ['"' * 1_001, '"a"b\n', "a\x00b", "\x00", '"\n' * 1_001],
)
def test_malformed_file_is_refused(content: str) -> None:
    assert refused(content)
