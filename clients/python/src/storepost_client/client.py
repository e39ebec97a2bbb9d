"""The service's operations, by group: `Storepost(address, token).orders.list()`."""

from types import TracebackType
from typing import Self

import httpx

from storepost_client.generated.api import Operations
from storepost_client.transport import Retries, Transport, http_client


class Storepost(Operations):
    """A caller of the service. Lists are iterators; a refused request raises `ProblemError`.

    A write without an idempotency key gets one, and is retried with it if the service is busy or
    the network fails, so that it takes effect once.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retries: Retries | None = None,
        http_transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`base_url` ends in `/v1`; `token` is an API key or a session's.

        `timeout` is in seconds per attempt. `http_transport` replaces httpx's own.
        """
        self._http = http_client(base_url, token, timeout, http_transport)
        self.transport = Transport(self._http, retries or Retries())
        super().__init__(self.transport)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Returns itself, for a `with` block that closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the connections."""
        self.close()
