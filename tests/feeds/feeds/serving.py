"""A web server on the loopback that serves feeds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Page:
    """What the server answers at a path."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class FeedServer:
    """Answers what a test puts at its paths; counts the requests."""

    def __init__(self) -> None:
        """Starts the server."""
        self.pages: dict[str, Page] = {}
        self.requests: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append(self.path)
                page = outer.pages.get(self.path, Page(b"", 404))
                self.send_response(page.status)
                for name, value in page.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(page.body)))
                self.end_headers()
                self.wfile.write(page.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def put(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> str:
        """Puts a file at a path; the address."""
        content = body.encode() if isinstance(body, str) else body
        page_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = Page(content, status, page_headers)
        return f"http://{self.host}{path}"

    def close(self) -> None:
        """Stops the server."""
        self._server.shutdown()
        self._server.server_close()
