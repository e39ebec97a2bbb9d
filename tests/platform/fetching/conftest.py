"""A resolver and a network that a test decides: nothing here needs the internet."""

import socket
from collections.abc import Sequence

import pytest

from storepost.platform.fetching import guard


class Resolver:
    """Answers from a script: each query gets the host's next answer; the last one is repeated."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Sequence[str]]] = {}
        self.queries: list[str] = []

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """Stands in for `guard.resolve`."""
        self.queries.append(host)
        if host not in self.answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        answers = self.answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


class Wire:
    """Counts every connection and directs those to a known address to a server on the loopback."""

    def __init__(self) -> None:
        self.connected: list[tuple[str, int]] = []
        self.routes: dict[tuple[str, int], int] = {}

    def repoint(self, address: str, port: int, server_port: int) -> None:
        """From now on `address` and `port` lead to the server."""
        self.routes[address, port] = server_port


@pytest.fixture(autouse=True)
def not_local(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test begins outside of the local run."""
    monkeypatch.delenv("STOREPOST_LOCAL", raising=False)
    monkeypatch.delenv("FEED_ALLOW_HOSTS", raising=False)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Resolver:
    """The only resolver there is."""
    scripted = Resolver()
    monkeypatch.setattr(guard, "resolve", scripted.resolve)
    return scripted


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """The only way out: an address without a route refuses; a name to resolve fails the test."""
    recorded = Wire()
    connect = socket.socket.connect

    def connect_to(self: socket.socket, address: tuple[str, int]) -> None:
        recorded.connected.append(address[:2])
        if address[:2] not in recorded.routes:
            raise ConnectionRefusedError
        loopback = "127.0.0.1" if self.family == socket.AF_INET else "::ffff:127.0.0.1"
        connect(self, (loopback, recorded.routes[address[:2]]))

    def look_up(*question: object, **_: object) -> None:
        raise AssertionError(f"the system's resolver was asked: {question}")

    monkeypatch.setattr(socket.socket, "connect", connect_to)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return recorded


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every way to the network, closed and counted."""
    counted: list[str] = []

    def shut(name: str) -> object:
        def attempt(*arguments: object, **_: object) -> None:
            counted.append(name)
            raise AssertionError(f"{name} was called")

        return attempt

    for name in ("connect", "connect_ex", "sendto", "sendmsg"):
        monkeypatch.setattr(socket.socket, name, shut(name))
    for name in ("create_connection", "getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        monkeypatch.setattr(socket, name, shut(name))
    return counted
