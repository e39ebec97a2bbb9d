"""A server that records requests, in the place of SAM CLI's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

type CannedAnswer = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body."""


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Listener:
    """The requests that it got, and its next answers."""

    port: int
    requests: list[Request] = field(default_factory=list)
    canned: CannedAnswer = (204, {}, b"")

    def answers(self, canned: CannedAnswer) -> None:
        """Answers so from now on."""
        self.canned = canned


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A server on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            listening.requests.append(Request(self.command, self.path, headers, body))
            status, sent, content = listening.canned
            self.send_response(status)
            for name, value in sent.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        listening = Listener(server.server_port)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield listening
        server.shutdown()
        thread.join()
