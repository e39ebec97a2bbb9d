"""URLs and addresses that must never be opened: none of them leads to a connection."""

import socket
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from storepost.platform.fetching import HTTP_OR_HTTPS, HTTPS, UrlNotAllowed, check_url, post
from storepost.platform.fetching.guard import UrlRefusal, resolve
from tests.platform.fetching.conftest import Resolver

PUBLIC = "8.8.8.8"


class Hostile(NamedTuple):
    """A URL, why it is refused, and its host's addresses (none: it may not even be resolved)."""

    url: str
    why: UrlRefusal
    resolved: Sequence[str] | None = None


# Addresses that a host may spell out in the canonical form, by the block that forbids each.
NOT_PUBLIC = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "this network",
    "10.0.0.1": "private",
    "10.255.255.255": "private, the last",
    "100.64.0.1": "carrier-grade NAT",
    "100.100.100.200": "Alibaba's metadata in carrier-grade NAT",
    "100.127.255.255": "carrier-grade NAT, the last",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback, the last",
    "168.63.129.16": "Azure's host",
    "169.254.169.254": "AWS's metadata",
    "169.254.170.2": "AWS's container credentials",
    "169.254.0.1": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private, the last",
    "192.0.0.1": "IETF protocol assignments",
    "192.0.0.192": "Oracle's metadata",
    "192.0.2.1": "documentation",
    "192.31.196.1": "AS112",
    "192.52.193.1": "multicast tunnelling",
    "192.88.99.1": "6to4 relay",
    "192.168.1.1": "private",
    "192.175.48.1": "AS112",
    "198.18.0.1": "benchmarking",
    "198.19.255.255": "benchmarking, the last",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast, the last",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "IPv4-compatible loopback",
    "::8.8.8.8": "IPv4-compatible",
    "::ffff:127.0.0.1": "IPv4-mapped loopback",
    "::ffff:a9fe:a9fe": "IPv4-mapped metadata",
    "::ffff:8.8.8.8": "IPv4-mapped",
    "::ffff:0:127.0.0.1": "IPv4-translated",
    "64:ff9b::a9fe:a9fe": "NAT64 of AWS's metadata",
    "64:ff9b::8.8.8.8": "NAT64",
    "64:ff9b:1::a00:1": "local NAT64",
    "100::1": "discard-only",
    "100:0:0:1::1": "dummy prefix",
    "2001::1": "Teredo",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo with a server",
    "2001:2::1": "benchmarking",
    "2001:10::1": "ORCHID",
    "2001:20::1": "ORCHIDv2",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4 of the loopback",
    "2002:a9fe:a9fe::1": "6to4 of the metadata",
    "2620:4f:8000::1": "AS112",
    "3ffe::1": "6bone",
    "3fff::1": "documentation",
    "4000::1": "not assigned",
    "5f00::1": "SRv6",
    "fc00::1": "unique local",
    "fd00:ec2::254": "AWS's metadata",
    "fe80::1": "link-local",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "ff0e::1": "multicast, global scope",
}

NAMES = [
    Hostile(f"https://shop.example/{why}".replace(" ", "-"), UrlRefusal.NOT_PUBLIC, [address])
    for address, why in NOT_PUBLIC.items()
]
LITERALS = [
    Hostile(
        f"https://[{address}]/" if ":" in address else f"https://{address}/", UrlRefusal.NOT_PUBLIC
    )
    for address in NOT_PUBLIC
]
ANSWERS = [
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, ["127.0.0.1", "10.0.0.1"]),
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, [PUBLIC, "10.0.0.1"]),
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, ["10.0.0.1", PUBLIC]),
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, [PUBLIC, "2606:4700::1111", "fe80::1"]),
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, ["fe80::1%eth0"]),
    Hostile("https://shop.example/", UrlRefusal.NOT_PUBLIC, ["2606:4700::1111%eth0"]),
    Hostile("http://shop.example:8080/feed.csv", UrlRefusal.NOT_PUBLIC, ["::ffff:10.0.0.1"]),
]
ODD_ADDRESSES = [
    Hostile(url, UrlRefusal.ADDRESS_FORM)
    for url in (
        "http://2130706433/",  # decimal
        "http://134744072/",  # decimal, of 8.8.8.8
        "http://017700000001/",  # octal
        "http://0x7f000001/",  # hexadecimal
        "http://0X7F000001/",
        "http://0177.0.0.1/",  # octal parts
        "http://0177.0000.0000.0001/",
        "http://127.0.0.01/",
        "http://08.8.8.8/",
        "http://0x7f.0x0.0x0.0x1/",  # hexadecimal parts
        "http://0x7f.1/",
        "http://127.1/",  # short
        "http://127.0.1/",
        "http://10.1/",
        "http://0/",
        "http://127.0.0.256/",
        "http://127.0.0.1.1/",
        "http://4294967296/",  # past the last
        "http://99999999999999999999/",
        "http://shop.example.127/",  # a name can't end in a number
        "http://shop.0x7f/",
        "http://[127.0.0.1]/",
        "http://[:::1]/",
        "http://[::1::]/",
        "http://[]/",
        "http://[v1.fe80]/",
        "http://[::ffff:127.1]/",
        "http://[::ffff:0177.0.0.1]/",
        "http://[1:2:3:4:5:6:7:8:9]/",
        "http://[localhost]/",
    )
]
ZONES = [
    Hostile("http://[fe80::1%25eth0]/", UrlRefusal.NOT_PUBLIC),
    Hostile("http://[fe80::1%eth0]/", UrlRefusal.NOT_PUBLIC),
    Hostile("http://[::1%lo]/", UrlRefusal.NOT_PUBLIC),
    Hostile("http://[2606:4700::1111%25eth0]/", UrlRefusal.NOT_PUBLIC),
]
HOSTS = [
    Hostile(url, UrlRefusal.HOST)
    for url in (
        "http:///path",
        "http://?query",
        "http://:80/",
        "http://127.0.0.1./",  # a dot at the end
        "http://localhost./",
        "http://shop.example./",
        "http://shop..example/",
        "http://.shop.example/",
        "http://./",
        "http://-shop.example/",
        "http://shop-.example/",
        "http://%6c%6f%63%61%6c%68%6f%73%74/",  # percent-encoded
        "http://127%2e0%2e0%2e1/",
        "http://127.0.0.1%00.shop.example/",
        "http://127.0.0.1%23.shop.example/",
        "http://shop.example;10.0.0.1/",
        "http://shop.example,10.0.0.1/",
        "http://shop!.example/",
        "http://{shop}.example/",
        "http://shop.example&10.0.0.1/",
        "http://[::1/",
        "http://::1]/",
        "http://::1/",
        "http://::ffff:127.0.0.1/",
        "http://[::1]shop.example/",
        "http://shop.example[::1]/",
        "http://[[::1]]/",
        f"http://{'a' * 64}.example/",
        f"http://{'a.' * 125}example/",
    )
]
PORTS = [
    Hostile(url, UrlRefusal.PORT)
    for url in (
        "https://shop.example:0/",
        "https://shop.example:65536/",
        "https://shop.example:99999999999999999999/",
        "https://shop.example:-1/",
        "https://shop.example:+443/",
        "https://shop.example:0443/",
        "https://shop.example:0x50/",
        "https://shop.example:https/",
        "https://shop.example:/",
        "https://shop.example:443:80/",
    )
]
INTERNAL_NAMES = [
    Hostile(url, UrlRefusal.INTERNAL_NAME)
    for url in (
        "http://localhost/",
        "http://LOCALHOST/",
        "http://shop.localhost/",
        "http://localhost.localdomain/",
        "http://printer.local/",
        "http://shop.LOCAL/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://instance-data.ec2.internal/",
        "http://ip-10-0-0-1.eu-west-1.compute.internal/",
        "http://router.home.arpa/",
        "http://wiki.corp/",
        "http://wiki.intranet/",
        "http://nas.lan/",
        "http://nas.home/",
        "http://db.private/",
        "http://metadata/",  # single labels
        "http://dynamodb/",
        "http://com/",
        "http://a/",
        "http://ip6-localhost/",
    )
]
SCHEMES = [
    Hostile(url, UrlRefusal.SCHEME)
    for url in (
        "ftp://shop.example/",
        "file:///etc/passwd",
        "file://shop.example/etc/passwd",
        "gopher://127.0.0.1:6379/_INFO",
        "dict://127.0.0.1:11211/stats",
        "ws://shop.example/",
        "s3://bucket/key",
        "httpss://shop.example/",
        "http+unix://run/docker.sock",
        "ldap://shop.example/",
    )
]
SHAPES = [
    Hostile(url, UrlRefusal.SHAPE)
    for url in (
        "",
        "shop.example",
        "shop.example/path",
        "//shop.example/",
        "/path",
        "https:shop.example",
        "https:/shop.example/",
        "https//shop.example/",
        "://shop.example/",
        "1https://shop.example/",
        "javascript:alert(1)",
        "data:text/plain,1",
        "mailto:ann@shop.example",
    )
]
USERINFO = [
    Hostile(url, UrlRefusal.USERINFO)
    for url in (
        "https://ann@shop.example/",
        "https://ann:secret@shop.example/",
        "https://@shop.example/",
        "https://:@shop.example/",
        "https://shop.example@127.0.0.1/",
        "https://shop.example:443@127.0.0.1/",
        "https://127.0.0.1@shop.example/",
        "https://a@b@shop.example/",
        "https://shop.example:80@127.0.0.1:22/",
    )
]
CHARACTERS = [
    Hostile(url, UrlRefusal.CHARACTERS)
    for url in (
        " https://shop.example/",
        "https://shop.example/ ",
        "https://shop.example/a b",
        "https://shop .example/",
        "https://shop.example/\r\nHost: 127.0.0.1",
        "https://shop.example/\n",
        "https://shop.example\t/",
        "https://shop.example/\x00",
        "https://shop.example\x00.127.0.0.1/",
        "https://shop.example/\x7f",
        "https://shop.example\\@127.0.0.1/",
        "https:\\\\shop.example\\",
        "https://127.0.0.1\\.shop.example/",
        "http://\uff11\uff12\uff17.0.0.1/",  # full-width digits
        "http://\u2460\u2461\u2466.0.0.1/",  # circled digits
        "http://127\u30020\u30020\u30021/",  # ideographic full stops
        "http://loc\u0430lhost/",  # a Cyrillic letter
        "http://\uff4cocalhost/",  # a full-width letter
        "https://shop\u200b.example/",  # zero width
        "https://shop\u00ad.example/",  # soft hyphen
        "https://m\u00fcller.example/",
        "https://shop.example/\u00a0",
        "https://shop.example/\u2028",
        "https://shop.example/\ud800",  # half a surrogate pair
    )
]
TOO_LONG = [
    Hostile("https://shop.example/".ljust(2049, "a"), UrlRefusal.TOO_LONG),
    Hostile("https://shop.example/?".ljust(1_000_000, "a"), UrlRefusal.TOO_LONG),
]

ROWS = [
    *NAMES,
    *LITERALS,
    *ANSWERS,
    *ODD_ADDRESSES,
    *ZONES,
    *HOSTS,
    *PORTS,
    *INTERNAL_NAMES,
    *SCHEMES,
    *SHAPES,
    *USERINFO,
    *CHARACTERS,
    *TOO_LONG,
]


def opened(row: Hostile, resolver: Resolver) -> None:
    """Makes the row's host resolve as the row says."""
    if row.resolved is not None:
        resolver.answers["shop.example"] = [row.resolved]


def expected_questions(row: Hostile) -> list[str]:
    """The queries that the resolver may get: none if the URL alone is enough to refuse."""
    return [] if row.resolved is None else ["shop.example"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ascii(row.url[:60]))
def test_check_url_refuses_hostile_url(
    row: Hostile, resolver: Resolver, attempts: list[str]
) -> None:
    opened(row, resolver)
    with pytest.raises(UrlNotAllowed) as refused:
        check_url(row.url, schemes=HTTP_OR_HTTPS)
    assert refused.value.reason == row.why.value
    assert resolver.queries == expected_questions(row)
    assert attempts == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ascii(row.url[:60]))
def test_post_refuses_hostile_url_without_connecting(
    row: Hostile, resolver: Resolver, attempts: list[str]
) -> None:
    opened(row, resolver)
    with pytest.raises(UrlNotAllowed) as refused:
        post(row.url, body=b"{}", headers={}, timeout=5, schemes=HTTP_OR_HTTPS)
    assert refused.value.reason == row.why.value
    assert resolver.queries == expected_questions(row)
    assert attempts == []


def test_at_least_200_distinct_hostile_urls() -> None:
    assert len({(row.url, str(row.resolved)) for row in ROWS}) == len(ROWS) >= 200


def test_connections_and_dns_queries_are_detected(attempts: list[str]) -> None:
    """Without this, the proofs above would also pass if nothing watched the guard."""
    with pytest.raises(AssertionError):
        socket.create_connection(("127.0.0.1", 9))
    with socket.socket() as opened_here, pytest.raises(AssertionError):
        opened_here.connect(("127.0.0.1", 9))
    with pytest.raises(AssertionError):
        resolve("shop.example", 443)
    assert attempts == ["create_connection", "connect", "getaddrinfo"]


def test_http_is_refused_where_only_https_is_allowed(
    resolver: Resolver, attempts: list[str]
) -> None:
    resolver.answers["shop.example"] = [[PUBLIC]]
    for refuse in (
        lambda: check_url("http://shop.example/", schemes=HTTPS),
        lambda: post("http://shop.example/", body=b"", headers={}, timeout=5),
    ):
        with pytest.raises(UrlNotAllowed) as refused:
            refuse()
        assert refused.value.reason == UrlRefusal.SCHEME.value
    assert resolver.queries == []
    assert attempts == []


def test_unresolvable_host_is_refused_by_check_url(resolver: Resolver, attempts: list[str]) -> None:
    with pytest.raises(UrlNotAllowed) as refused:
        check_url("https://nowhere.example/", schemes=HTTPS)
    assert refused.value.reason == UrlRefusal.UNRESOLVED.value
    assert resolver.queries == ["nowhere.example"]
    assert attempts == []


def test_refusal_reason_contains_no_credential(resolver: Resolver) -> None:
    secret = "hunter2secret"
    for url in (
        f"https://ann:{secret}@shop.example/",
        f"https://{secret}@127.0.0.1/",
        f"https://ann:{secret}/@shop.example/",  # read as a port
        f"https://{secret}/@shop.example/",  # read as a host
        f"https://127.0.0.1/?key={secret}",
        f"{secret}://shop.example/",
        f"https://{secret}.example/",
    ):
        with pytest.raises(UrlNotAllowed) as refused:
            check_url(url, schemes=HTTPS)
        assert secret not in refused.value.reason
        assert secret not in repr(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "https://shop.example/",
        "HTTPS://SHOP.EXAMPLE/Hook?a=1&b=[2]#part",
        "https://shop.example?key=a|b",
        "https://shop.example:8443/hook",
        "https://shop.example:65535/hook",
        "https://shop.example/@ann/http://127.0.0.1/",
        "https://shop.example/caf%C3%A9%0D%0A",
        "https://shop.example/".ljust(2048, "a"),
    ],
)
def test_valid_url_is_accepted(url: str, resolver: Resolver, attempts: list[str]) -> None:
    resolver.answers["shop.example"] = [[PUBLIC, "2606:4700::1111"]]
    check_url(url, schemes=HTTPS)
    assert resolver.queries == ["shop.example"]
    assert attempts == []


@pytest.mark.parametrize(
    "url",
    [
        "https://8.8.8.8/",
        "https://8.8.8.8:8443/",
        "https://1.1.1.1/",
        "https://9.255.255.255/",
        "https://11.0.0.0/",
        "https://100.63.255.255/",
        "https://100.128.0.0/",
        "https://126.255.255.255/",
        "https://128.0.0.0/",
        "https://169.253.255.255/",
        "https://169.255.0.0/",
        "https://172.15.255.255/",
        "https://172.32.0.0/",
        "https://192.0.1.0/",
        "https://192.167.255.255/",
        "https://192.169.0.0/",
        "https://198.17.255.255/",
        "https://198.20.0.0/",
        "https://223.255.255.255/",
        "https://[2606:4700::1111]/",
        "https://[2606:4700:0:0:0:0:0:1111]:8443/",
        "https://[2001:4860:4860::8888]/",
        "https://[2001:200::1]/",
        "https://[2003::1]/",
        "https://[2A00:1450:4001::1]/",
    ],
)
def test_public_address_is_accepted_without_dns_query(
    url: str, resolver: Resolver, attempts: list[str]
) -> None:
    check_url(url, schemes=HTTPS)
    assert resolver.queries == []
    assert attempts == []


@pytest.mark.parametrize(
    "host",
    [
        "xn--mller-kva.example",
        "my_shop.example",
        "a.b.c.d.example",
        "1.2.3.example",
        "3com.example",
        "localhost.example",
        "local.example",
        "internal.shop.example",
        "xn--p1ai.xn--p1ai",
    ],
)
def test_valid_hostname_is_accepted(host: str, resolver: Resolver, attempts: list[str]) -> None:
    resolver.answers[host] = [[PUBLIC]]
    check_url(f"https://{host}/", schemes=HTTPS)
    assert resolver.queries == [host]
    assert attempts == []
