"""`FEED_ALLOW_HOSTS` and `FEED_ALLOW_LOOPBACK`: a way to this machine's own servers.

In the local run and nowhere else.
"""

import pytest

from storepost.platform.fetching import HTTP_OR_HTTPS, HTTPS, UrlNotAllowed, check_url, post
from storepost.platform.fetching.guard import IN_THE_LOCAL_RUN, UrlRefusal
from tests.platform.fetching.conftest import Resolver
from tests.platform.fetching.servers import OK, serving


@pytest.fixture
def allow(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The local run with two allowed hosts."""
    monkeypatch.setenv("STOREPOST_LOCAL", "1")
    monkeypatch.setenv(
        "FEED_ALLOW_HOSTS", "127.0.0.1:9000, Shop-Stub:9001,[::1]:9002,localhost:80,"
    )
    return monkeypatch


def refusal(url: str, schemes: frozenset[str] = HTTP_OR_HTTPS) -> str:
    with pytest.raises(UrlNotAllowed) as refused:
        check_url(url, schemes=schemes)
    return refused.value.reason


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9000/feed.csv",
        "https://127.0.0.1:9000/feed.csv",
        "http://shop-stub:9001/",
        "http://SHOP-STUB:9001/",
        "http://[::1]:9002/",
        "http://localhost/",
        "http://localhost:80/",
    ],
)
@pytest.mark.parametrize("schemes", [HTTPS, HTTP_OR_HTTPS])
def test_allowed_host_passes_in_the_local_run(
    url: str, schemes: frozenset[str], allow: pytest.MonkeyPatch, resolver: Resolver
) -> None:
    resolver.answers = {"shop-stub": [["172.17.0.2"]], "localhost": [["127.0.0.1", "::1"]]}
    check_url(url, schemes=schemes)
    assert set(resolver.queries) <= {"shop-stub", "localhost"}


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:9001/", UrlRefusal.NOT_PUBLIC),  # another port
        ("http://127.0.0.1/", UrlRefusal.NOT_PUBLIC),
        ("http://127.0.0.2:9000/", UrlRefusal.NOT_PUBLIC),
        ("http://169.254.169.254:9000/", UrlRefusal.NOT_PUBLIC),
        ("http://127.1:9000/", UrlRefusal.ADDRESS_FORM),  # the same address, written oddly
        ("http://2130706433:9000/", UrlRefusal.ADDRESS_FORM),
        ("http://127.0.0.1.:9000/", UrlRefusal.HOST),
        ("http://[::ffff:127.0.0.1]:9000/", UrlRefusal.NOT_PUBLIC),
        ("http://localhost:9000/", UrlRefusal.INTERNAL_NAME),  # the same host by another name
        ("http://a.shop-stub:9001/", UrlRefusal.NOT_PUBLIC),
        ("http://ann@127.0.0.1:9000/", UrlRefusal.USERINFO),
        ("http://127.0.0.1:09000/", UrlRefusal.PORT),
        ("ftp://127.0.0.1:9000/", UrlRefusal.SCHEME),
        ("https://localhost/", UrlRefusal.INTERNAL_NAME),  # port 443
    ],
)
def test_host_not_allowed_is_refused(
    url: str, why: UrlRefusal, allow: pytest.MonkeyPatch, resolver: Resolver
) -> None:
    resolver.answers = {"a.shop-stub": [["127.0.0.1"]]}
    assert refusal(url) == why.value


@pytest.mark.parametrize("local", [None, "", "0", "true", "yes", " 1"])
def test_allowed_hosts_are_ignored_outside_the_local_run(
    local: str | None, allow: pytest.MonkeyPatch, resolver: Resolver, attempts: list[str]
) -> None:
    if local is None:
        allow.delenv("STOREPOST_LOCAL")
    else:
        allow.setenv("STOREPOST_LOCAL", local)
    assert refusal("http://127.0.0.1:9000/") == UrlRefusal.NOT_PUBLIC.value
    assert refusal("https://127.0.0.1:9000/", HTTPS) == UrlRefusal.NOT_PUBLIC.value
    assert refusal("http://127.0.0.1:9000/", HTTPS) == UrlRefusal.SCHEME.value
    assert refusal("http://shop-stub:9001/") == UrlRefusal.INTERNAL_NAME.value
    with pytest.raises(UrlNotAllowed) as refused:
        post("https://127.0.0.1:9000/", body=b"", headers={}, timeout=5)
    assert refused.value.reason == UrlRefusal.NOT_PUBLIC.value
    assert resolver.queries == []
    assert attempts == []


@pytest.mark.parametrize("named", [None, "", ",", "127.0.0.1", "*", "127.0.0.1:*", "0.0.0.0/0"])
def test_local_run_without_allowed_hosts_refuses_loopback(
    named: str | None, allow: pytest.MonkeyPatch, resolver: Resolver
) -> None:
    if named is None:
        allow.delenv("FEED_ALLOW_HOSTS")
    else:
        allow.setenv("FEED_ALLOW_HOSTS", named)
    assert refusal("http://127.0.0.1:9000/") == UrlRefusal.NOT_PUBLIC.value


def test_allowed_hosts_setting_is_read_at_each_call(
    monkeypatch: pytest.MonkeyPatch, resolver: Resolver
) -> None:
    with serving(OK) as server:
        url = f"http://127.0.0.1:{server.port}/write-back"
        with pytest.raises(UrlNotAllowed):
            post(url, body=b"{}", headers={}, timeout=5)
        assert server.requests == []
        monkeypatch.setenv("STOREPOST_LOCAL", "1")
        monkeypatch.setenv("FEED_ALLOW_HOSTS", f"127.0.0.1:{server.port}")
        answer = post(url, body=b"{}", headers={}, timeout=5)
        assert (answer.status, answer.body) == (200, b"ok")
        assert server.header("host") == [f"127.0.0.1:{server.port}"]
        assert server.body == b"{}"
    assert resolver.queries == []


def test_allowed_host_may_resolve_to_loopback(
    monkeypatch: pytest.MonkeyPatch, resolver: Resolver
) -> None:
    resolver.answers["shop.example"] = [["127.0.0.1"], ["8.8.8.8"]]
    with serving(OK) as server:
        monkeypatch.setenv("STOREPOST_LOCAL", "1")
        monkeypatch.setenv("FEED_ALLOW_HOSTS", f"shop.example:{server.port}")
        answer = post(f"http://shop.example:{server.port}/", body=b"{}", headers={}, timeout=5)
        assert (answer.status, answer.body) == (200, b"ok")
        assert server.header("host") == [f"shop.example:{server.port}"]
    assert resolver.queries == ["shop.example"]


class TestLoopback:
    @pytest.fixture(autouse=True)
    def loopback(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STOREPOST_LOCAL", "1")
        monkeypatch.setenv("FEED_ALLOW_LOOPBACK", "1")
        monkeypatch.delenv("FEED_ALLOW_HOSTS", raising=False)

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1:9000/write-backs",
            "https://127.0.0.1/",
            "http://127.8.9.10:1/",
            "http://[::1]:9002/",
            "http://localhost:9000/",
            "http://LOCALHOST/",
        ],
    )
    @pytest.mark.parametrize("schemes", [HTTPS, HTTP_OR_HTTPS])
    def test_any_loopback_port_is_allowed_in_the_local_run(
        self, url: str, schemes: frozenset[str], resolver: Resolver
    ) -> None:
        resolver.answers = {"localhost": [["127.0.0.1", "::1"]]}
        check_url(url, schemes=schemes)

    @pytest.mark.parametrize(
        ("url", "why"),
        [
            ("http://10.0.0.1:9000/", UrlRefusal.NOT_PUBLIC),
            ("http://169.254.169.254/", UrlRefusal.NOT_PUBLIC),
            ("http://0.0.0.0:9000/", UrlRefusal.NOT_PUBLIC),
            ("http://[::ffff:127.0.0.1]:9000/", UrlRefusal.NOT_PUBLIC),
            ("http://127.1:9000/", UrlRefusal.ADDRESS_FORM),
            ("http://2130706433/", UrlRefusal.ADDRESS_FORM),
            ("http://a.localhost:9000/", UrlRefusal.INTERNAL_NAME),
            ("http://shop:9000/", UrlRefusal.INTERNAL_NAME),
            # A name of the internet that leads here: a browser's rebinding, not a developer's shop.
            ("http://shop.example:9000/", UrlRefusal.NOT_PUBLIC),
            ("ftp://127.0.0.1/", UrlRefusal.SCHEME),
            ("http://ann@127.0.0.1/", UrlRefusal.USERINFO),
        ],
    )
    def test_other_private_address_is_refused(
        self, url: str, why: UrlRefusal, resolver: Resolver
    ) -> None:
        resolver.answers = {"shop.example": [["127.0.0.1"]]}
        assert refusal(url).removesuffix(IN_THE_LOCAL_RUN) == why.value

    def test_localhost_resolving_to_another_address_is_refused(self, resolver: Resolver) -> None:
        resolver.answers = {"localhost": [["127.0.0.1", "10.0.0.1"]]}
        reason = UrlRefusal.NOT_PUBLIC.value + IN_THE_LOCAL_RUN
        assert refusal("http://localhost:9000/") == reason

    def test_plain_http_to_public_address_is_refused(self) -> None:
        assert refusal("http://8.8.8.8/", HTTPS) == UrlRefusal.SCHEME.value + IN_THE_LOCAL_RUN

    def test_refusal_names_this_machine_where_it_would_help(self, resolver: Resolver) -> None:
        assert refusal("https://nobody.example/").endswith(IN_THE_LOCAL_RUN)
        assert refusal("http://shop:9000/").endswith(IN_THE_LOCAL_RUN)
        assert not refusal("http://ann@127.0.0.1/").endswith(IN_THE_LOCAL_RUN)

    @pytest.mark.parametrize("local", [None, "", "0", "true", "yes", " 1"])
    def test_loopback_is_refused_outside_the_local_run(
        self,
        local: str | None,
        monkeypatch: pytest.MonkeyPatch,
        resolver: Resolver,
        attempts: list[str],
    ) -> None:
        if local is None:
            monkeypatch.delenv("STOREPOST_LOCAL")
        else:
            monkeypatch.setenv("STOREPOST_LOCAL", local)
        assert refusal("http://127.0.0.1:9000/") == UrlRefusal.NOT_PUBLIC.value
        assert refusal("http://[::1]:9000/") == UrlRefusal.NOT_PUBLIC.value
        assert refusal("http://localhost:9000/") == UrlRefusal.INTERNAL_NAME.value
        assert refusal("http://127.0.0.1:9000/", HTTPS) == UrlRefusal.SCHEME.value
        with pytest.raises(UrlNotAllowed):
            post("https://127.0.0.1:9000/", body=b"", headers={}, timeout=5)
        assert resolver.queries == []
        assert attempts == []

    @pytest.mark.parametrize("setting", [None, "", "0", "true"])
    def test_loopback_is_refused_when_the_setting_is_off(
        self, setting: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if setting is None:
            monkeypatch.delenv("FEED_ALLOW_LOOPBACK")
        else:
            monkeypatch.setenv("FEED_ALLOW_LOOPBACK", setting)
        assert refusal("http://127.0.0.1:9000/") == UrlRefusal.NOT_PUBLIC.value
