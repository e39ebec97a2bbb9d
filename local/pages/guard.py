"""Who may see and do what `/_local` offers: a program or a browser on this machine, by its name.

A page of a stranger's in the developer's browser could ask this machine too. Under a name of its
own that leads here (DNS rebinding) it has that name as the host, and across origins its browser
says so.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Request

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Lets requests pass, or refuses them."""

    def __init__(self, entrances: Iterable[str] = ()) -> None:
        """`entrances` are other hosts that functions in containers know this run by."""
        self._entrances = frozenset(entrances)

    def check(self, request: Request, *, for_functions: bool) -> None:
        """Raises Forbidden unless it may be answered; functions ask the pretend shops alone."""
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
