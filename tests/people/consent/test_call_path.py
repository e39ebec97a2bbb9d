"""A change of consent on its way to a store, as docs/architecture.md shows it."""

import pytest

from tests.docs.walks import walking
from tests.people.consent.listening_store import Shop
from tests.platform.fetching.servers import OK, serving


def test_consent_change_reaches_store(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(OK) as server:
        monkeypatch.setenv("FEED_ALLOW_HOSTS", f"127.0.0.1:{server.port}")
        store_id = shop.store(listens=False)
        path, body = f"/stores/{store_id}/write-back", {"url": f"http://127.0.0.1:{server.port}/"}
        assert shop.owner.call("PUT", path, body).status == 200
        profile = shop.person(store_id)
        with walking("One message: a consent change reaches a store"):
            change = shop.change(profile, "subscribed")
            shop.world.deliver()
    assert shop.outcome(profile, change, store_id) == "written"
