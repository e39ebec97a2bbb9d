"""Restricts the local run to programs and pages of this machine, by the `Host` header.

Another site's page in the developer's browser could send requests to this machine, too. With a name
of its own that resolves to this machine (DNS rebinding) its `Host` is that name, and for a
cross-origin request the browser sends its `Origin`.

The API's tokens keep no such page out: the demo's are the same in each run. By them it could read
any server of this machine, as the service fetches feeds from there. Programs aren't restricted:
only a browser states that another site's page sent a request (`Sec-Fetch-Site`), and always does.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Request

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_NOBODYS = (".internal", ".local", ".localhost", ".test")
"""Ends of names that no site has, such as that of this machine in a container."""


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

    def check_api(self, request: Request) -> None:
        """Raises Forbidden for a request that another site's page sent to the API.

        It may lead here by a link or a redirect, which have no origin.
        """
        if _may_be_a_sites(_name(request.headers.get("host", ""))):
            raise Forbidden("Only this machine may ask: by 127.0.0.1 or localhost.")
        origin = request.headers.get("origin")
        if request.headers.get("sec-fetch-site") != "cross-site" or not origin:
            return
        if not _is_this_machine(_name(origin.rpartition("/")[2])):
            raise Forbidden("Only pages of this machine may ask: of localhost, on any port.")


def _may_be_a_sites(name: str | None) -> bool:
    """Returns whether a stranger's site may have the name, and so let it lead to this machine."""
    if name is None or _is_address(name):
        return name is None
    return "." in name and not name.endswith(_NOBODYS)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_this_machine(name: str | None) -> bool:
    return name is not None and (name in LOOPBACK or name.endswith(".localhost"))


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
