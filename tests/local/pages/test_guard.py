"""Callers of the local run: this machine by its own names, and no page of another site."""

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
def test_host_names_of_this_machine_are_allowed(host: str) -> None:
    assert passes(request("GET", Host=host))
    assert passes(request("POST", Host=host))
    assert passes(request("POST", Host=host, Origin=f"http://{host}"))


@pytest.mark.parametrize(
    "host",
    ["shop.example", "127.0.0.1.shop.example:8000", "localhost.shop.example", "192.168.0.7:8000",
     "127.0.0.1@shop.example", "[", ENTRANCE],
)  # fmt: skip
def test_other_host_names_are_refused(host: str) -> None:
    """A stranger's page has such a host once its name resolves to this machine."""
    assert not passes(request("GET", Host=host))


def test_container_functions_reach_only_the_pretend_shops() -> None:
    assert passes(request("POST", Host=ENTRANCE), for_functions=True)
    assert not passes(request("POST", Host="shop.example"), for_functions=True)


@pytest.mark.parametrize("origin", ["https://shop.example", "null", "http://127.0.0.1:9000"])
def test_cross_origin_post_is_refused(origin: str) -> None:
    assert not passes(request("POST", Host="127.0.0.1:8000", Origin=origin))
    # The page can't read the answer: no header allows it.
    assert passes(request("GET", Host="127.0.0.1:8000", Origin=origin))


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/_local/"), ("GET", "/_local/emails"), ("GET", "/_local/pages/requests"),
     ("POST", "/_local/clock"), ("POST", "/_local/schedules/outbox_sweep")],
)  # fmt: skip
def test_every_path_checks_the_host(client: Client, method: str, path: str) -> None:
    answer = client.call(method, path, headers={"host": "shop.example"})
    assert (answer.status, set(answer.json)) == (403, {"message"})


def test_pages_have_no_cors_header(client: Client) -> None:
    answer = client.call("GET", "/_local/emails", headers={"origin": "https://shop.example"})
    assert answer.header("access-control-allow-origin") is None


def api_admits(method: str, **headers: str) -> bool:
    attempt = request(method, **{"Host": "127.0.0.1:8000", **headers})
    try:
        Guard([ENTRANCE]).check_api(attempt)
    except Forbidden:
        return False
    return True


class TestApi:
    """Callers of the API, whose demo has the same tokens in each run."""

    @pytest.mark.parametrize(
        ("host", "admitted"),
        [
            ("localhost:8000", True),
            ("[::1]:8000", True),
            ("172.17.0.1:8001", True),
            ("storepost:8000", True),
            ("host.docker.internal:8000", True),
            ("storepost.test:8000", True),
            ("shop.example:8000", False),
            ("127.0.0.1.shop.example", False),
            ("localhost.shop.example", False),
            ("[", False),
        ],
    )
    def test_host_is_no_sites_name(self, host: str, *, admitted: bool) -> None:
        assert api_admits("GET", Host=host) is admitted
        assert api_admits("POST", Host=host) is admitted

    @pytest.mark.parametrize(
        ("origin", "admitted"),
        [
            ("http://127.0.0.1:8000", True),
            ("http://localhost:5173", True),
            ("http://app.localhost", True),
            ("https://shop.example", False),
            ("https://localhost.shop.example", False),
            ("http://203.0.113.9", False),
            ("http://[", False),
            ("file://", False),
            ("null", False),
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST"])
    def test_page_is_of_this_machine(self, method: str, origin: str, *, admitted: bool) -> None:
        from_browser = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
        assert api_admits(method, **from_browser) is admitted

    @pytest.mark.parametrize("origin", ["https://shop.example", "null"])
    def test_program_and_page_of_our_own_may_state_any_origin(self, origin: str) -> None:
        assert api_admits("POST", Origin=origin)
        assert api_admits("POST", **{"Origin": origin, "Sec-Fetch-Site": "same-origin"})

    def test_page_of_another_site_may_link_here(self) -> None:
        assert api_admits("GET", **{"Sec-Fetch-Site": "cross-site"})
