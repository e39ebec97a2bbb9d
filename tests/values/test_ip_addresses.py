"""A network address has one form, and nothing else is one."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.values.ip_addresses import IP_FORM, normalised


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("203.0.113.7", "203.0.113.7"),
        (" 203.0.113.7\n", "203.0.113.7"),
        ("2001:DB8:0:0:0:0:0:7", "2001:db8::7"),
        ("2001:0db8:0000::0007", "2001:db8::7"),
        ("::", "::"),
    ],
)
def test_address_is_normalised(text: str, stored: str) -> None:
    assert normalised(text) == stored


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "nope", "localhost", "203.0.113", "203.0.113.256", "203.0.113.007", "1"),
        *("203.0.113.7:80", "203.0.113.0/24", "[2001:db8::7]", "2001:db8::7::1", "fe80::1%eth0"),
        *("203.0.113.7, 198.51.100.2", "٢٠٣.0.113.7", "203\u200b.0.113.7"),
    ],
)
def test_malformed_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="IPv4 or IPv6") as refused:
        normalised(text)
    assert str(refused.value) == IP_FORM


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_every_spelling_has_the_same_normal_form(address: IPv4Address | IPv6Address) -> None:
    spellings = {str(address), address.exploded, address.exploded.upper(), address.compressed}
    assert {normalised(spelling) for spelling in spellings} == {str(address)}
