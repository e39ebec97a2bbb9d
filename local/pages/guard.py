"""Restricts `/_local` to programs and browsers on this machine, by the `Host` header.

Another site's page in the developer's browser could send requests to this machine, too. With a name
of its own that resolves to this machine (DNS rebinding) its `Host` is that name, and for a
cross-origin request the browser sends its `Origin`.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Request

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Accepts or refuses requests."""

    def __init__(self, entrances: Iterable[str] = ()) -> None:
        """`entrances` are the other hosts at which functions in containers reach this run."""
        self._entrances = frozenset(entrances)

    def check(self, request: Request, *, for_functions: bool) -> None:
        """Raises Forbidden unless the request may be answered.

        `for_functions` says that the path is one that functions in containers request.
        """
        host = request.headers.get("host", "")
        if _name(host) not in LOOPBACK and not (for_functions and host in self._entrances):
            raise Forbidden("Only this machine may ask: by 127.0.0.1 or localhost.")
        origin = request.headers.get("origin")
        if request.method not in _SAFE_METHODS and origin and urlsplit(origin).netloc != host:
            raise Forbidden("Another site's page may change nothing here.")


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
