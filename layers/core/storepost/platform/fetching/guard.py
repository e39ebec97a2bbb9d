"""Which URLs may be opened, and at which addresses.

URLs are untrusted, and our network has neighbours that answer any caller: metadata services,
databases, the machine itself. So a URL is read strictly (a URL that two parsers could read
differently is refused), its host is resolved once, and all addresses found must be public. What is
opened afterwards is a `FetchTarget` with those addresses: no name is resolved again.
"""

import re
import socket
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address
from threading import Thread

from storepost.platform.fetching.addresses import Address, is_public
from storepost.platform.fetching.exemptions import allows_loopback, exemption
from storepost.values.stored_enum import StoredEnum

HTTPS = frozenset({"https"})
HTTP_OR_HTTPS = frozenset({"http", "https"})

_MAX_LENGTH = 2048
_LOOKUP_SECONDS = 5.0
_DEFAULT_PORTS = {"http": 80, "https": 443}

_VISIBLE = re.compile(r"[!-\[\]-~]*")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)(?:#.*)?")
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::(.*))?")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_DOTTED_QUAD = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)*{_LABEL}")

# RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and names that RFC 6762 (appendix G) lists as
# used in private networks. A resolver inside such a network gives them its own addresses.
_INTERNAL_NAME = re.compile(
    r"(?:.*\.)?"
    r"(?:localhost|local|internal|localdomain|home\.arpa|intranet|private|corp|home|lan)"
)


class UrlRefusal(StrEnum):
    """Why a URL isn't opened and how to fix it, for people. None repeats any part of the URL."""

    TOO_LONG = "The URL is too long. Use one of at most 2,048 characters."
    CHARACTERS = (
        "The URL has white space, a control character, a backslash or a character beyond ASCII. "
        "Percent-encode it in the path or query, and write an international host name as `xn--…`."
    )
    SHAPE = "This is not a complete URL. Write it as `https://host/path`."
    SCHEME = "The URL's scheme isn't allowed here. Begin the URL with `https://`."
    USERINFO = "The URL has a user name or password in it. Leave out everything up to the `@`."
    HOST = (
        "The URL's host isn't a valid name. Use a full host name of letters, digits, hyphens and "
        "single dots, without a dot at its end."
    )
    PORT = "The URL's port isn't valid. Use a number from 1 to 65535, or leave it out."
    ADDRESS_FORM = (
        "The URL's host is an IP address in an unusual form. Use a host name, or write the "
        "address as four decimal numbers or as IPv6 in brackets."
    )
    INTERNAL_NAME = (
        "The URL's host is a name of private networks. Use one that the whole internet knows."
    )
    UNRESOLVED = (
        "No address was found for the URL's host. Check its spelling, and that it has a public "
        "DNS record."
    )
    NOT_PUBLIC = (
        "The URL's host leads to an address that isn't public. Use a host that can be reached "
        "from the whole internet."
    )


IN_THE_LOCAL_RUN = " In this local run `http://localhost:<port>/` works too."
_NEEDS_PUBLIC = frozenset(
    {UrlRefusal.SCHEME, UrlRefusal.INTERNAL_NAME, UrlRefusal.UNRESOLVED, UrlRefusal.NOT_PUBLIC}
)


class Failure(StoredEnum):
    """Why a permitted URL gave no answer. None names the URL."""

    UNRESOLVED = "no address was found for the host"
    UNREACHABLE = "the connection failed"
    TLS = "the TLS certificate or handshake was not accepted"
    TIMED_OUT = "no complete answer came in time"
    MALFORMED = "the answer broke off or was not valid HTTP"
    TOO_LONG = "the answer was longer than is read"
    STATUS = "the server answered with a status that is no success"
    REDIRECTS = "the server redirected too often"


class UrlNotAllowed(Exception):  # noqa: N818 - it is what happened, and the code's name
    """The guard refuses the URL, until it is changed."""

    def __init__(self, reason: UrlRefusal) -> None:
        super().__init__(reason.value)
        has_other_way = reason in _NEEDS_PUBLIC and allows_loopback()
        self.reason = reason.value + IN_THE_LOCAL_RUN * has_other_way


class FetchFailed(Exception):  # noqa: N818 - it is what happened
    """The URL may be opened, but the request failed this time."""

    def __init__(self, reason: Failure) -> None:
        super().__init__(reason.value)
        self.reason = reason.value


@dataclass(frozen=True)
class FetchTarget:
    """A URL that may be opened: its parts, and its host's addresses, which were checked."""

    scheme: str
    host: str
    port: int
    # A write-back's path or query can hold its owner's secret, and a repr ends up in logs.
    path: str = field(repr=False)
    addresses: tuple[Address, ...]


def check_url(url: str, *, schemes: frozenset[str]) -> None:
    """Raises `UrlNotAllowed` unless the URL may be opened; asks the resolver, for at most 5 s."""
    try:
        authorize(url, schemes=schemes, seconds=_LOOKUP_SECONDS)
    except FetchFailed:
        raise UrlNotAllowed(UrlRefusal.UNRESOLVED) from None


def authorize(url: str, *, schemes: frozenset[str], seconds: float) -> FetchTarget:
    """Returns the URL as a target, after one resolution of its host within `seconds`.

    A fragment is dropped. Raises `UrlNotAllowed`, and `FetchFailed` if the host has no address at
    the moment. To follow a redirect, authorize its URL too.
    """
    scheme, authority, path = _split(url)
    host, port_text = _split_authority(authority)
    literal = _literal(host)
    port = _port(port_text, scheme)
    exempt = exemption(host, port, literal)
    _check_scheme(scheme, schemes if exempt is None else HTTP_OR_HTTPS)
    if exempt is None and literal is None:
        _check_name(host)
    addresses = (literal,) if literal else _look_up(host, port, seconds)
    if not all(map(exempt or is_public, addresses)):
        raise UrlNotAllowed(UrlRefusal.NOT_PUBLIC)
    return FetchTarget(scheme, host.strip("[]"), port, path, addresses)


def resolve(host: str, port: int) -> Sequence[str]:
    """Returns the host's addresses from the system's resolver; raises `OSError`."""
    # The final dot disables the resolver's search list: `shop.example` must not become
    # `shop.example.compute.internal`. Only an exempt host has no dot, and it may need that list.
    name = f"{host}." if "." in host else host
    return [str(answer[4][0]) for answer in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)]


def _split(url: str) -> tuple[str, str, str]:
    if len(url) > _MAX_LENGTH:
        raise UrlNotAllowed(UrlRefusal.TOO_LONG)
    if not _VISIBLE.fullmatch(url):
        raise UrlNotAllowed(UrlRefusal.CHARACTERS)
    parts = _URL.fullmatch(url)
    if parts is None:
        raise UrlNotAllowed(UrlRefusal.SHAPE)
    scheme, authority, path = parts[1].lower(), parts[2].lower(), parts[3]
    _check_scheme(scheme, HTTP_OR_HTTPS)
    return scheme, authority, path if path.startswith("/") else f"/{path}"


def _split_authority(authority: str) -> tuple[str, str | None]:
    if "@" in authority:
        raise UrlNotAllowed(UrlRefusal.USERINFO)
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        raise UrlNotAllowed(UrlRefusal.HOST)
    return parts[1], parts[2]


def _literal(host: str) -> Address | None:
    """Returns the address if the host is written as one, None for a name; refuses anything else."""
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _DOTTED_QUAD.fullmatch(host):
            return IPv4Address(host)
    except ValueError:
        raise UrlNotAllowed(UrlRefusal.ADDRESS_FORM) from None
    if not _NAME.fullmatch(host):
        raise UrlNotAllowed(UrlRefusal.HOST)
    # No top-level domain begins with a digit, and all numbers that a resolver would take for an
    # IPv4 address do: `2130706433`, `0x7f.1`, `127.1`, `0177.0.0.1`.
    if host.rpartition(".")[2][0].isdigit():
        raise UrlNotAllowed(UrlRefusal.ADDRESS_FORM)
    return None


def _port(text: str | None, scheme: str) -> int:
    if text is None:
        return _DEFAULT_PORTS[scheme]
    if not _PORT.fullmatch(text) or int(text) > 65535:
        raise UrlNotAllowed(UrlRefusal.PORT)
    return int(text)


def _check_scheme(scheme: str, schemes: frozenset[str]) -> None:
    if scheme not in schemes:
        raise UrlNotAllowed(UrlRefusal.SCHEME)


def _check_name(host: str) -> None:
    if "." not in host or _INTERNAL_NAME.fullmatch(host):
        raise UrlNotAllowed(UrlRefusal.INTERNAL_NAME)


def _look_up(host: str, port: int, seconds: float) -> tuple[Address, ...]:
    answer: Future[Sequence[str]] = Future()

    def ask() -> None:
        try:
            answer.set_result(resolve(host, port))
        except Exception as error:  # the waiting thread raises it
            answer.set_exception(error)

    # `getaddrinfo` has no timeout, and the host's owner decides how long its servers take.
    Thread(target=ask, daemon=True).start()
    try:
        addresses = tuple(ip_address(text) for text in answer.result(timeout=seconds))
    except TimeoutError:
        raise FetchFailed(Failure.TIMED_OUT) from None
    except OSError as error:
        raise FetchFailed(Failure.UNRESOLVED) from error
    if not addresses:
        raise FetchFailed(Failure.UNRESOLVED)
    return addresses
