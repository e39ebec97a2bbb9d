"""Requests to one URL, one after the other, over a kept-alive connection.

A handshake costs more than most responses. The kept connection is to an address that was checked;
if a new one has to be made, the URL is authorized again.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from typing import cast

from urllib3.connection import HTTPConnection
from urllib3.response import HTTPResponse

from storepost.platform.fetching.client import (
    Answer,
    Deadline,
    TimedSocket,
    connected,
    failing,
    send,
)
from storepost.platform.fetching.guard import HTTPS, Failure, FetchFailed, FetchTarget, authorize


class Conversation(AbstractContextManager["Conversation"]):
    """POST requests to one URL; close it, or use it in a `with`. For one thread at a time."""

    def __init__(self, url: str, *, schemes: frozenset[str] = HTTPS) -> None:
        """Makes the conversation; the first request opens a connection."""
        self._url = url
        self._schemes = schemes
        self._open: tuple[HTTPConnection, FetchTarget] | None = None

    def post(
        self, *, body: bytes, headers: Mapping[str, str], timeout: float, max_bytes: int
    ) -> Answer:
        """Sends `body` and returns the whole response, whatever its status.

        It does as `fetching.post`, except that a response of more than `max_bytes` is
        `FetchFailed`. A request that failed may have arrived; the caller decides whether to send it
        again.
        """
        deadline = Deadline(timeout)
        try:
            with failing():
                connection, target = self._connection(deadline, timeout)
                response = send(connection, target.path, headers, body, keep=True)
                with closing(response):
                    return Answer(response.status, response.headers, _whole(response, max_bytes))
        except BaseException:
            self.close()  # else the rest of the response would be read as the next one
            raise

    def close(self) -> None:
        """Closes the connection, if there is one; the next request opens another."""
        if self._open is not None:
            self._open[0].close()
            self._open = None

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connection(self, deadline: Deadline, timeout: float) -> tuple[HTTPConnection, FetchTarget]:
        # A connection that the server has closed meanwhile is noticed: its end can be read.
        if self._open is not None and self._open[0].is_connected:
            cast(TimedSocket, self._open[0].sock).deadline = deadline
            return self._open
        self.close()
        target = authorize(self._url, schemes=self._schemes, seconds=timeout)
        self._open = connected(target, deadline), target
        return self._open


def _whole(response: HTTPResponse, max_bytes: int) -> bytes:
    body = response.read(max_bytes)
    if len(body) == max_bytes and response.read(1):
        raise FetchFailed(Failure.TOO_LONG)
    if len(body) < max_bytes:
        response.read(1)  # a response that broke off looks like a short one until more is read
    return body
