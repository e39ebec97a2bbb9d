"""Servers on the loopback that answer exactly the bytes of a test."""

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

Script = Callable[[socket.socket], None]


def saying(answer: bytes) -> Script:
    """Sends the whole answer at once."""

    def script(connection: socket.socket) -> None:
        connection.sendall(answer)

    return script


def dripping(start: bytes, drops: Iterable[bytes], seconds: float) -> Script:
    """Sends the start, then drop after drop with a pause before each."""

    def script(connection: socket.socket) -> None:
        connection.sendall(start)
        for drop in drops:
            time.sleep(seconds)
            connection.sendall(drop)

    return script


OK = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


class Server:
    """Handles one connection after the other; keeps each request's bytes and each requested name.

    A connection ends after as many requests as `turns` says.
    """

    def __init__(
        self, script: Script, tls: ssl.SSLContext | None = None, *, turns: int = 1
    ) -> None:
        self.requests: list[bytes] = []
        self._turns = turns
        self.names: list[str | None] = []
        self._script = script
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def lines(self) -> list[str]:
        """The last request's line and headers."""
        return self.requests[-1].partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")

    def header(self, name: str) -> list[str]:
        """The values that the last request had under the name."""
        pairs = (line.split(": ", 1) for line in self.lines[1:])
        return [value for key, value in pairs if key.lower() == name]

    @property
    def body(self) -> bytes:
        """The last request's body."""
        return self.requests[-1].partition(b"\r\n\r\n")[2]

    def close(self) -> None:
        """Ends the listening; what is being answered ends with its client."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=5)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, plain: socket.socket) -> None:
        with plain, suppress(OSError):
            if self._tls is None:
                self._converse(plain)
            else:
                with self._tls.wrap_socket(plain, server_side=True) as secured:
                    self._converse(secured)

    def _converse(self, connection: socket.socket) -> None:
        for _ in range(self._turns):
            self.requests.append(_request(connection))
            self._script(connection)


def _request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += _more(connection)
    head, _, _ = received.partition(b"\r\n\r\n")
    lengths = (
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    length = next(lengths, 0)
    while len(received) < len(head) + 4 + length:
        received += _more(connection)
    return received


def _more(connection: socket.socket) -> bytes:
    piece = connection.recv(65_536)
    if not piece:
        raise ConnectionResetError
    return piece


@contextmanager
def serving(
    script: Script, tls: ssl.SSLContext | None = None, *, turns: int = 1
) -> Iterator[Server]:
    """A server for the length of a `with`."""
    server = Server(script, tls, turns=turns)
    try:
        yield server
    finally:
        server.close()
