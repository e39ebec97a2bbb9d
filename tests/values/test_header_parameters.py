"""Parameters of headers: the usual spellings, and those that mean harm."""

import pytest

from storepost.values.header_parameters import header_parameter
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text/csv", None),
        ("text/csv; charset=utf-8", "utf-8"),
        ("text/csv;CharSet = utf-8 ; header=present", "utf-8"),
        ('text/csv; charset="utf-8"', "utf-8"),
        ("text/csv; charset=", ""),
        ("text/csv; charset", None),
        ("text/csv; charset=a; charset=b", "a"),
        ('text/csv; name="; charset=b"; charset=c', "c"),
        (r'text/csv; charset="a\"b"', 'a"b'),
        ('text/csv; charset="a', ""),
        ("text/csv; charset*=utf-8''a", None),
        ("text/csv; charset*=a; charset*1=b", None),
        (f"text/csv; charset*{'9' * 5_000}=a", None),
    ],
)
def test_parameter_of_header(value: str, expected: str | None) -> None:
    assert header_parameter("charset", value) == expected


@pytest.mark.parametrize(
    "part", [";", "; ", ' "', ';"', ';a="', ';a="\\', ";a", ";a=", "; a*0=b", "a", '\\"']
)
def test_hostile_header_is_read_in_linear_time(part: str) -> None:
    assert_linear(lambda count: header_parameter("charset", f'x;a="{part * count}'), 4_000)
    assert_linear(lambda count: header_parameter("charset", f"x{part * count}"), 4_000)
