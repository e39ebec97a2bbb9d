"""Callers of `/_local`: this machine by its own names, and no page of another site."""

import pytest
from werkzeug.exceptions import Forbidden
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request

from local.pages.guard import Guard
from tests.local.conftest import Client

ENTRANCE = "172.18.0.1:8001"


def request(method: str, **headers: str) -> Request:
    return EnvironBuilder("/_local/", method=method, headers=list(headers.items())).get_request(
        Request
    )


def passes(attempt: Request, *, for_functions: bool = False) -> bool:
    try:
        Guard([ENTRANCE]).check(attempt, for_functions=for_functions)
    except Forbidden:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000"])
def test_this_machine_may_ask(host: str) -> None:
    assert passes(request("GET", Host=host))
    assert passes(request("POST", Host=host))
    assert passes(request("POST", Host=host, Origin=f"http://{host}"))


@pytest.mark.parametrize(
    "host",
    ["shop.example", "127.0.0.1.shop.example:8000", "localhost.shop.example", "192.168.0.7:8000",
     "127.0.0.1@shop.example", "[", ENTRANCE],
)  # fmt: skip
def test_another_name_that_leads_here_may_not(host: str) -> None:
    """A stranger's page has such a host once its name resolves to this machine."""
    assert not passes(request("GET", Host=host))


def test_functions_in_containers_reach_the_pretend_shops_alone() -> None:
    assert passes(request("POST", Host=ENTRANCE), for_functions=True)
    assert not passes(request("POST", Host="shop.example"), for_functions=True)


@pytest.mark.parametrize("origin", ["https://shop.example", "null", "http://127.0.0.1:9000"])
def test_another_sites_page_may_change_nothing(origin: str) -> None:
    assert not passes(request("POST", Host="127.0.0.1:8000", Origin=origin))
    # The page can't read the answer: no header allows it.
    assert passes(request("GET", Host="127.0.0.1:8000", Origin=origin))


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/_local/"), ("GET", "/_local/emails"), ("GET", "/_local/pages/requests"),
     ("POST", "/_local/clock"), ("POST", "/_local/schedules/outbox_sweep")],
)  # fmt: skip
def test_every_path_asks_the_guard(client: Client, method: str, path: str) -> None:
    answer = client.call(method, path, headers={"host": "shop.example"})
    assert (answer.status, set(answer.json)) == (403, {"message"})


def test_no_page_lets_another_site_read_it(client: Client) -> None:
    answer = client.call("GET", "/_local/emails", headers={"origin": "https://shop.example"})
    assert answer.header("access-control-allow-origin") is None
