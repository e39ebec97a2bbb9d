"""TLS proves the host's name, whatever address was connected to."""

import itertools
import socket
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from storepost.platform.fetching import FetchFailed, client, post
from storepost.platform.fetching.guard import Failure
from tests.platform.fetching.conftest import Resolver, Wire
from tests.platform.fetching.servers import OK, Server, dripping, serving

ADDRESS = "8.8.8.8"
Contexts = Callable[..., ssl.SSLContext]


class Authority:
    """A certificate authority of the test's own."""

    def __init__(self, name: str) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = (
            self._builder(self.name, self.key, days=30)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(
                x509.KeyUsage(
                    digital_signature=False,
                    content_commitment=False,
                    key_encipherment=False,
                    data_encipherment=False,
                    key_agreement=False,
                    key_cert_sign=True,
                    crl_sign=True,
                    encipher_only=False,
                    decipher_only=False,
                ),
                critical=True,
            )
            .sign(self.key, hashes.SHA256())
        )

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=60))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()),
                critical=False,
            )
        )

    def server(self, folder: Path, name: str, days: int, common_name: str) -> ssl.SSLContext:
        """A server's side: a certificate for `name`, or for none where it is empty."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        builder = self._builder(subject, key, days)
        if name:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general(name)]), critical=False
            )
        chain = folder / "server.pem"
        chain.write_bytes(
            builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        return context


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority("Trusted")


@pytest.fixture
def tls(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Contexts:
    """Makes server sides; the client trusts the test's authority by way of OpenSSL's setting."""
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(authority.certificate.public_bytes(serialization.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    client.tls_context.cache_clear()

    def make(
        name: str, *, days: int = 30, common_name: str = "", by: Authority = authority
    ) -> ssl.SSLContext:
        return by.server(tmp_path, name, days, common_name or "somebody")

    return make


@pytest.fixture(autouse=True)
def _forget_trust() -> object:
    yield
    client.tls_context.cache_clear()


def send(url: str, timeout: float = 5) -> tuple[int, bytes]:
    answer = post(url, body=b"{}", headers={}, timeout=timeout)
    return answer.status, answer.body


@pytest.mark.parametrize(
    ("host", "name"),
    [("hooks.example", "hooks.example"), ("hooks.shop.example", "*.shop.example")],
)
def test_matching_certificate_name_is_accepted(
    host: str, name: str, tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers[host] = [[ADDRESS], ["127.0.0.1"]]
    with serving(OK, tls(name)) as server:
        wire.repoint(ADDRESS, 443, server.port)
        assert send(f"https://{host}/in?a=b") == (200, b"ok")
        assert server.names == [host]
        assert server.lines[0] == "POST /in?a=b HTTP/1.1"
        assert server.header("host") == [host]
    assert wire.connected == [(ADDRESS, 443)]
    assert resolver.queries == [host]


def test_non_default_port_is_in_the_host_header(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    with serving(OK, tls("hooks.example")) as server:
        wire.repoint(ADDRESS, 8443, server.port)
        assert send("https://hooks.example:8443/") == (200, b"ok")
        assert server.names == ["hooks.example"]
        assert server.header("host") == ["hooks.example:8443"]


def test_certificate_for_ipv4_address_is_accepted(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    with serving(OK, tls(ADDRESS)) as server:
        wire.repoint(ADDRESS, 443, server.port)
        assert send(f"https://{ADDRESS}/") == (200, b"ok")
        assert server.header("host") == [ADDRESS]
    assert resolver.queries == []


def test_certificate_for_ipv6_address_is_accepted(tls: Contexts, wire: Wire) -> None:
    with serving(OK, tls("2606:4700::1111")) as server:
        wire.repoint("2606:4700::1111", 443, server.port)
        assert send("https://[2606:4700::1111]/") == (200, b"ok")
        assert server.header("host") == ["[2606:4700::1111]"]


def test_alpn_negotiates_http_1_1(tls: Contexts, resolver: Resolver, wire: Wire) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    modern = tls("hooks.example")
    modern.set_alpn_protocols(["h2", "http/1.1"])
    agreed: list[str | None] = []

    def script(connection: socket.socket) -> None:
        assert isinstance(connection, ssl.SSLSocket)
        agreed.append(connection.selected_alpn_protocol())
        OK(connection)

    with serving(script, modern) as server:
        wire.repoint(ADDRESS, 443, server.port)
        assert send("https://hooks.example/") == (200, b"ok")
    assert agreed == ["http/1.1"]


def refused(server: Server, resolver: Resolver, wire: Wire) -> None:
    """The handshake fails, and no byte of the request was sent."""
    resolver.answers["hooks.example"] = [[ADDRESS]]
    wire.repoint(ADDRESS, 443, server.port)
    with pytest.raises(FetchFailed) as failed:
        send("https://hooks.example/hook?key=secret")
    assert failed.value.reason == Failure.TLS.value
    assert server.requests == []
    assert wire.connected == [(ADDRESS, 443)]


@pytest.mark.parametrize(
    ("name", "common_name"),
    [
        ("other.example", "hooks.example"),
        ("a.hooks.example", ""),
        ("*.hooks.example", ""),
        ("example", ""),
        ("hooks.example.evil.example", ""),
        (ADDRESS, ""),  # the address connected to is not what was asked for
        ("", "hooks.example"),  # a common name is no proof (RFC 9525)
    ],
)
def test_certificate_for_another_name_is_refused(
    name: str, common_name: str, tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    with serving(OK, tls(name, common_name=common_name)) as server:
        refused(server, resolver, wire)


def test_expired_certificate_is_refused(tls: Contexts, resolver: Resolver, wire: Wire) -> None:
    with serving(OK, tls("hooks.example", days=-1)) as server:
        refused(server, resolver, wire)


def test_unknown_certificate_authority_is_refused(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    with serving(OK, tls("hooks.example", by=Authority("Stranger"))) as server:
        refused(server, resolver, wire)


def test_tls_1_1_is_refused(tls: Contexts, resolver: Resolver, wire: Wire) -> None:
    old = tls("hooks.example")
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = ssl.TLSVersion.TLSv1_1
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with serving(OK, old) as server:
        refused(server, resolver, wire)


def test_plain_http_on_the_tls_port_is_refused(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    with socket.create_server(("127.0.0.1", 0)) as plain, ThreadPoolExecutor() as threads:
        wire.repoint(ADDRESS, 443, plain.getsockname()[1])
        sending = threads.submit(send, "https://hooks.example/")
        connection, _ = plain.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            with pytest.raises(FetchFailed) as failed:
                sending.result()
    assert failed.value.reason == Failure.TLS.value


def test_silent_tls_handshake_times_out(tls: Contexts, resolver: Resolver, wire: Wire) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    started = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        wire.repoint(ADDRESS, 443, silent.getsockname()[1])
        with pytest.raises(FetchFailed) as failed:
            send("https://hooks.example/", timeout=0.4)
    assert failed.value.reason == Failure.TIMED_OUT.value
    assert 0.4 <= time.monotonic() - started < 4


def test_server_that_does_not_read_times_out_under_tls(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    """It reads a little now and then, so that no single wait is as long as the timeout."""
    resolver.answers["hooks.example"] = [[ADDRESS]]
    side = tls("hooks.example")
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as threads:
        wire.repoint(ADDRESS, 443, listener.getsockname()[1])
        started = time.monotonic()
        sending = threads.submit(
            post, "https://hooks.example/", body=bytes(50_000_000), headers={}, timeout=0.6
        )
        connection, _ = listener.accept()
        with side.wrap_socket(connection, server_side=True) as secured:
            while not sending.done() and time.monotonic() - started < 5:
                time.sleep(0.05)
                # The sender may end in between.
                with suppress(ConnectionError):
                    secured.recv(16_384)
            with pytest.raises(FetchFailed) as failed:
                sending.result()
    assert failed.value.reason == Failure.TIMED_OUT.value
    assert 0.6 <= time.monotonic() - started < 4


@pytest.mark.parametrize(
    "start",
    [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"],
)
def test_slow_server_times_out_under_tls(
    start: bytes, tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    slow = dripping(start, itertools.repeat(b"H", 200), 0.05)
    with serving(slow, tls("hooks.example")) as server:
        wire.repoint(ADDRESS, 443, server.port)
        started = time.monotonic()
        with pytest.raises(FetchFailed) as failed:
            send("https://hooks.example/", timeout=0.6)
    assert failed.value.reason == Failure.TIMED_OUT.value
    assert 0.6 <= time.monotonic() - started < 4


def test_large_response_is_truncated_under_tls(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    flood = dripping(b"HTTP/1.1 200 OK\r\n\r\n", itertools.repeat(b"a" * 5_000), 0)
    with serving(flood, tls("hooks.example")) as server:
        wire.repoint(ADDRESS, 443, server.port)
        assert send("https://hooks.example/") == (200, b"a" * 65_536)


def test_large_request_body_arrives_complete_under_tls(
    tls: Contexts, resolver: Resolver, wire: Wire
) -> None:
    resolver.answers["hooks.example"] = [[ADDRESS]]
    body = bytes(range(256)) * 4_000
    with serving(OK, tls("hooks.example")) as server:
        wire.repoint(ADDRESS, 443, server.port)
        answer = post("https://hooks.example/", body=body, headers={}, timeout=10)
        assert server.body == body
    assert (answer.status, answer.body) == (200, b"ok")
