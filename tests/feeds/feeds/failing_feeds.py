"""Addresses of feeds that fail, each in its way."""

import pytest

from tests.feeds.feeds.feed_store import Shop, csv

ROWS = csv({"id": "a", "title": "Cup", "price": "5"}, {"id": "b", "title": "Pot", "price": "7"})
FAILURES = {
    "unreachable": ("http://127.0.0.1:1/feed", None),
    "http_error": (None, (b"no", 500)),
    "unreadable": (None, (b"<!DOCTYPE html><html></html>", 200)),
    "row_too_long": (None, (b"id\n" + b"x" * 2_000_000, 200)),
    "no_rows": (None, (b"id,title\n", 200)),
}


def broken(shop: Shop, code: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a feed that fails so."""
    url, page = FAILURES[code]
    if page is None:
        assert url is not None
        monkeypatch.setenv("FEED_ALLOW_HOSTS", f"{shop.server.host},127.0.0.1:1")
        return url
    return shop.server.put("/broken", *page)
