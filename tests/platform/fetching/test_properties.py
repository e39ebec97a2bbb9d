"""Properties of every private address, in every spelling, compared with the standard library."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.platform.fetching import HTTP_OR_HTTPS, UrlNotAllowed, check_url, guard, post
from storepost.platform.fetching.addresses import is_public

PRIVATE = [
    IPv4Network(block)
    for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16")
]

# Public by the standard library, but no address of a stranger's server (IANA's registries).
SPECIAL_V4 = [
    IPv4Network(block)
    for block in (
        "168.63.129.16/32",
        "192.0.0.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.175.48.0/24",
    )
]
SPECIAL_V6 = [
    IPv6Network(block)
    for block in ("2001::/23", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20")
]


def private() -> st.SearchStrategy[IPv4Address]:
    """Any address of the private networks, the loopback and link-local."""
    return st.sampled_from(PRIVATE).flatmap(
        lambda block: st.integers(int(block[0]), int(block[-1])).map(IPv4Address)
    )


def parts(address: IPv4Address) -> list[int]:
    """The four bytes."""
    return list(address.packed)


def shortened(address: IPv4Address, count: int, write: Callable[[int], str]) -> str:
    """`count` numbers in `inet_aton`'s manner: the last one holds all the bytes left."""
    head = address.packed[: count - 1]
    return ".".join([*map(write, head), write(int.from_bytes(address.packed[count - 1 :]))])


IPV4_WRITINGS: dict[str, Callable[[IPv4Address], str]] = {
    "canonical": str,
    "decimal": lambda a: shortened(a, 1, str),
    "two numbers": lambda a: shortened(a, 2, str),
    "three numbers": lambda a: shortened(a, 3, str),
    "octal": lambda a: shortened(a, 4, lambda n: f"0{n:o}"),
    "octal, padded": lambda a: shortened(a, 4, lambda n: f"{n:08o}"),
    "octal, one number": lambda a: shortened(a, 1, lambda n: f"0{n:o}"),
    "octal, two numbers": lambda a: shortened(a, 2, lambda n: f"0{n:o}"),
    "hexadecimal": lambda a: shortened(a, 4, hex),
    "hexadecimal, capital": lambda a: shortened(a, 4, lambda n: f"0X{n:02X}"),
    "hexadecimal, one number": lambda a: shortened(a, 1, hex),
    "hexadecimal, three numbers": lambda a: shortened(a, 3, hex),
    "decimal with zeros": lambda a: shortened(a, 4, lambda n: f"{n:03d}"),
    "mixed": lambda a: f"{parts(a)[0]:#x}.0{parts(a)[1]:o}.{int.from_bytes(a.packed[2:])}",
    "a dot at the end": lambda a: f"{a}.",
    "full-width digits": lambda a: "".join(
        chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in str(a)
    ),
    "ideographic stops": lambda a: str(a).replace(".", "\u3002"),
    "percent-encoded": lambda a: "".join(f"%{ord(c):02x}" for c in str(a)),
    "in brackets": lambda a: f"[{a}]",
    "after a name": lambda a: f"shop.example@{a}",
}

IPV6_HOLDERS: dict[str, Callable[[IPv4Address], IPv6Address]] = {
    "mapped": lambda a: IPv6Address(0xFFFF << 32 | int(a)),
    "compatible": lambda a: IPv6Address(int(a)),
    "translated": lambda a: IPv6Address(0xFFFF << 48 | int(a)),
    "NAT64": lambda a: IPv6Address(int(IPv6Address("64:ff9b::")) | int(a)),
    "local NAT64": lambda a: IPv6Address(int(IPv6Address("64:ff9b:1::")) | int(a)),
    "6to4": lambda a: IPv6Address(0x2002 << 112 | int(a) << 80 | 1),
    "Teredo's server": lambda a: IPv6Address(0x20010000 << 96 | int(a) << 64),
    "Teredo's client": lambda a: IPv6Address(0x20010000 << 96 | int(a) ^ 0xFFFFFFFF),
}

IPV6_WRITINGS: dict[str, Callable[[IPv6Address], str]] = {
    "compressed": lambda a: a.compressed,
    "exploded": lambda a: a.exploded,
    "capital": lambda a: a.exploded.upper(),
    "dotted end": lambda a: f"{a.exploded[:29]}:{IPv4Address(int(a) & 0xFFFFFFFF)}",
    "with a zone": lambda a: f"{a}%25eth0",
}

# Slowness of a busy machine says nothing about the guard.
unhurried = settings(deadline=None)


@pytest.fixture(autouse=True, scope="module")
def _nobody_asks() -> object:
    def refuse(host: str, port: int) -> list[str]:
        raise AssertionError(f"{host}:{port} was looked up")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "resolve", refuse)
        yield


def is_refused(url: str) -> bool:
    """Whether both ways into the package refuse the URL."""
    try:
        check_url(url, schemes=HTTP_OR_HTTPS)
    except UrlNotAllowed:
        with pytest.raises(UrlNotAllowed):
            post(url, body=b"", headers={}, timeout=1, schemes=HTTP_OR_HTTPS)
        return True
    return False


@pytest.mark.parametrize("writing", IPV4_WRITINGS)
@unhurried
@given(address=private(), port=st.sampled_from(["", ":80", ":8443"]))
def test_any_spelling_of_a_private_address_is_refused(
    writing: str, address: IPv4Address, port: str
) -> None:
    assert is_refused(f"http://{IPV4_WRITINGS[writing](address)}{port}/")


@pytest.mark.parametrize("holder", IPV6_HOLDERS)
@unhurried
@given(address=private(), writing=st.sampled_from(sorted(IPV6_WRITINGS)))
def test_ipv6_address_embedding_a_private_ipv4_is_refused(
    holder: str, address: IPv4Address, writing: str
) -> None:
    assert is_refused(f"http://[{IPV6_WRITINGS[writing](IPV6_HOLDERS[holder](address))}]/")


@unhurried
@given(address=private())
def test_name_resolving_to_a_private_address_is_refused(address: IPv4Address) -> None:
    answers = [str(address), *(str(hold(address)) for hold in IPV6_HOLDERS.values())]
    for answer in answers:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(guard, "resolve", lambda host, port, found=answer: ["8.8.8.8", found])
            assert is_refused("http://shop.example/")


@unhurried
@given(address=st.ip_addresses(v=4))
def test_ipv4_is_public_as_the_iana_registries_list(address: IPv4Address) -> None:
    special = any(address in block for block in SPECIAL_V4)
    expected = address.is_global and not address.is_multicast and not special
    assert is_public(address) is expected


@unhurried
@given(
    address=st.one_of(
        st.ip_addresses(v=6),
        st.ip_addresses(v=6, network="2000::/3"),
        st.ip_addresses(v=6, network="2001::/16"),
        st.sampled_from(SPECIAL_V6).flatmap(lambda block: st.ip_addresses(v=6, network=block)),
    )
)
def test_ipv6_is_public_as_the_iana_registries_list(address: IPv6Address) -> None:
    special = any(address in block for block in SPECIAL_V6)
    unicast = address in IPv6Network("2000::/3")
    assert is_public(address) is (address.is_global and unicast and not special)


@unhurried
@given(
    url=st.one_of(
        st.text(max_size=60),
        st.text(alphabet="htps:/[]@.%01x\\?#a-", max_size=40),
        st.text(alphabet="0123456789abcdefx.:[]%@/", max_size=30).map("http://".__add__),
    )
)
def test_arbitrary_url_is_refused_or_resolves_to_public_addresses(url: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "resolve", lambda host, port: ["8.8.8.8"] if "." in host else [])
        try:
            target = guard.authorize(url, schemes=HTTP_OR_HTTPS, seconds=5)
        except UrlNotAllowed:
            return
    assert target.addresses
    assert all(is_public(address) for address in target.addresses)
