"""Where a request comes from, and what the service calls itself."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storepost.api.http import proxies
from storepost.api.http.proxies import caller_address
from storepost.values.settings import settings
from tests.harness.world import World

PROXIES = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))
TRUSTED = st.sampled_from(["10.1.2.3", "10.9.9.9", "2001:db8::7"])
OTHERS = st.sampled_from(["203.0.113.9", "198.51.100.4", "2a00::1"])
RUBBISH = st.sampled_from(["", "unknown", "10.0.0.1:", "[10.0.0.1", "a" * 50])


class TestCallerAddress:
    def test_forwarded_header_is_ignored_without_trusted_proxy(self) -> None:
        assert caller_address("203.0.113.7", "198.51.100.4", ()) == "203.0.113.7"
        assert caller_address("203.0.113.7", "198.51.100.4", PROXIES) == "203.0.113.7"

    def test_rightmost_untrusted_address_is_the_caller(self) -> None:
        written_by_anybody = "192.0.2.1, 203.0.113.9, 10.1.2.3"
        assert caller_address("10.9.9.9", written_by_anybody, PROXIES) == "203.0.113.9"

    @pytest.mark.parametrize(
        ("appended", "address"),
        [
            ("203.0.113.9:49152", "203.0.113.9"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
            ("[::ffff:203.0.113.9]:49152", "203.0.113.9"),
            ("[2a00::1]:49152", "2a00::1"),
            ("[2a00::1]", "2a00::1"),
            ("203.0.113.9, 10.1.2.3:8080", "203.0.113.9"),
            ("203.0.113.9, ::ffff:10.1.2.3", "203.0.113.9"),
        ],
    )
    def test_address_is_read_in_each_form_that_proxies_append(
        self, appended: str, address: str
    ) -> None:
        """Otherwise all callers of such a proxy would share the limits of one address."""
        assert caller_address("10.9.9.9", f"192.0.2.1, {appended}", PROXIES) == address

    @given(
        source=TRUSTED,
        hops=st.lists(st.one_of(TRUSTED, OTHERS, RUBBISH), max_size=6),
        written=st.lists(st.one_of(TRUSTED, OTHERS, RUBBISH), max_size=3),
    )
    def test_addresses_written_by_the_caller_are_ignored(
        self, source: str, hops: list[str], written: list[str]
    ) -> None:
        """The proxy appends its caller at the right; everything left of it is the caller's own."""
        seen = [*written, "203.0.113.200", *(h for h in hops if h.startswith(("10.", "2001:db8")))]
        seen = [hop for hop in seen if hop != "10.0.0.1:"]
        assert caller_address(source, ", ".join(seen), PROXIES) == "203.0.113.200"


@pytest.mark.parametrize(("local", "scheme"), [("1", "http"), ("", "https")])
def test_only_the_local_run_has_links_without_tls(
    world: World, monkeypatch: pytest.MonkeyPatch, local: str, scheme: str
) -> None:
    monkeypatch.setenv("STOREPOST_LOCAL", local)
    settings.cache_clear()
    answer = world.call("GET", "/me", headers={"x-forwarded-proto": "http"})
    assert answer.json["type"] == f"{scheme}://api.example.com/v1/problems/unauthenticated"
    monkeypatch.undo()
    settings.cache_clear()


@pytest.fixture
def behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A stack with a proxy and a domain of its own."""
    # 10.9.9.9/8 isn't the name of a network, but says which one is meant.
    monkeypatch.setenv("TRUSTED_PROXIES", "10.9.9.9/8, 2001:db8::/32")
    monkeypatch.setenv("BASE_URL", "https://api.shop.example/v1")
    settings.cache_clear()
    proxies.trusted_proxies.cache_clear()
    yield
    monkeypatch.undo()
    settings.cache_clear()
    proxies.trusted_proxies.cache_clear()


@pytest.mark.usefixtures("behind_a_proxy")
class TestBehindProxy:
    def test_links_use_the_configured_base_url(self, world: World) -> None:
        answer = world.call("GET", "/me")
        assert answer.json["type"].startswith("https://api.shop.example/v1/problems/")

    def test_sessions_show_the_address_behind_the_proxy(self, world: World) -> None:
        password = "correct horse battery staple"
        body = {"name": "Ann", "email": "ann.canary@example.com", "password": password}
        registration = world.call("POST", "/auth/sign-up", json_body=body).json["registration"]
        (code,) = world.emails()[-1].codes
        signed_in = world.call(
            "POST",
            "/auth/verify-email",
            json_body={"registration": registration, "code": code},
            headers={"x-forwarded-for": "192.0.2.1, 203.0.113.9"},
            source_ip="10.1.2.3",
        )
        listed = world.call("GET", "/sessions", token=signed_in.json["token"]).json["items"]
        assert [session["ipAddress"] for session in listed] == ["203.0.113.9"]
