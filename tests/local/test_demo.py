"""The demo's data, made by the API, and what a newcomer sees of it."""

import json
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from local import demo, functions
from local.demo import Api, Credentials, Demo, DemoRefused, shop, welcome
from local.running import LocalRun
from tests.harness.world import World
from tests.local.conftest import Client, soon

AMOUNTS = {
    "total",
    "subtotal",
    "totalDiscounts",
    "totalShipping",
    "totalTax",
    "totalRefunded",
}
"""The amounts of an order (docs/interface.md, section 5)."""


@dataclass(frozen=True)
class Loaded:
    """A local run with the demo's data."""

    client: Client
    demo: Demo

    def api(self) -> Api:
        """The API of this run."""
        return Api(self.client.run.base_url)


@pytest.fixture
def loaded(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loaded]:
    """The demo's data in a run that serves it, made as `make run` makes it."""
    monkeypatch.setenv("FEED_ALLOW_HOSTS", "")
    monkeypatch.setenv("SHOPIFY_STAND_IN", "")
    with functions.apart(), socket.create_server(("127.0.0.1", 0)) as listening:
        run = LocalRun(listening)
        run.serve()
        made = demo.load(run)
        run.pump()
        yield Loaded(Client(run), made)
        run.stop()


class TestData:
    def test_each_session_has_the_role(self, loaded: Loaded) -> None:
        sessions = loaded.demo.credentials.sessions
        assert set(sessions) == {"owner", "admin", "member"}
        for role, token in sessions.items():
            (workspace,) = loaded.api().call("GET", "/me", token)["workspaces"]
            assert workspace["role"] == role
            assert workspace["id"] == loaded.demo.credentials.workspace_id
            assert workspace["storeCount"] == 2

    def test_each_api_key_has_the_scope(self, loaded: Loaded) -> None:
        credentials = loaded.demo.credentials
        assert set(credentials.api_keys) == {"read", "propose", "write"}
        listed = loaded.api().call("GET", "/api-keys", credentials.sessions["owner"])["items"]
        for scope, key in credentials.api_keys.items():
            assert loaded.api().call("GET", "/members", key)["total"] == 3
            (summary,) = [item for item in listed if item["scope"] == scope]
            assert key.startswith(summary["prefix"])

    def test_every_resource_is_present(self, loaded: Loaded) -> None:
        credentials = loaded.demo.credentials
        api, key = loaded.api(), credentials.api_keys["read"]
        (invitation,) = api.call("GET", "/invitations", key)["items"]
        assert invitation["email"] == demo.INVITED
        locales = api.call("GET", "/locales", key)["items"]
        origins = {locale["code"]: locale["origin"] for locale in locales}
        assert origins == {"en": "store", "de": "store", "fr": "manual"}
        store = api.call("GET", f"/stores/{credentials.store_id}", key)
        assert store["customerCount"] == len(shop.customers())
        assert store["orderCount"] == shop.ORDERS
        assert store["localeCount"] == len(shop.STORE_LOCALES)
        assert store["permissions"] == {"coupons": True, "consent": True}
        counts = {"customers": len(shop.customers()), "orders": shop.ORDERS, "products": 0}
        (batch,) = api.call("GET", f"/stores/{credentials.store_id}/imports", key)["items"]
        assert (batch["status"], batch["imported"]) == ("completed", counts)
        assert store["imports"]["customersOrders"] == batch
        own = f"storeId={credentials.store_id}"
        products = api.call("GET", f"/products?locale=de&{own}", key)
        assert products["total"] == len(shop.products())
        assert store["productCount"] == len(shop.products()) + 3
        [feed] = api.call("GET", "/feeds", key)["items"]
        assert feed["latestImport"]["status"] == "completed"
        counts = {"rows": 6, "imported": 6, "products": 3, "created": 3, "variantOnly": 3}
        assert feed["latestImport"]["counts"].items() >= counts.items()
        vest = api.call("GET", "/products?externalId=feed-vest", key)["items"][0]
        assert api.call("GET", f"/products/{vest['id']}/variants", key)["total"] == 3
        throw = api.call("GET", "/products?externalId=product-1", key)["items"][0]
        assert api.call("GET", f"/products/{throw['id']}/variants", key)["total"] == 2
        assert api.call("GET", f"/products/{throw['id']}/sales", key)["orders"] > 0
        [connection] = api.call("GET", "/connections", key)["items"]
        assert connection["identifier"] == demo.SHOPIFY_SHOP
        assert connection["state"] == "connected"
        [shopify] = api.call("GET", "/stores?platform=shopify", key)["items"]
        pulled = api.call("GET", f"/products?storeId={shopify['id']}", key)["items"]
        assert {"Merino Blanket", "Linen Apron", "Birch Spoon"} == {p["title"] for p in pulled}
        assert api.call("GET", "/orders", key)["total"] == 30
        assert api.call("GET", "/profiles", key)["total"] == len(shop.customers())
        profile = f"/profiles/{loaded.demo.subscriber_id}"
        events = api.call("GET", f"{profile}/events", key)["items"]
        assert {"viewed_product", "order_placed"} <= {event["name"] for event in events}
        assert api.call("GET", profile, key)["emailMarketingConsent"] == "subscribed"
        assert api.call("GET", f"{profile}/consent", key)["total"] == 1

    def test_commands_of_the_welcome_screen_work(self, loaded: Loaded) -> None:
        credentials, client = loaded.demo.credentials, loaded.client
        screen = welcome.screen(client.run.origin, loaded.demo, 1.25)
        listing = client.call("GET", "/v1/orders", token=credentials.api_keys["read"])
        assert listing.json["total"] == shop.ORDERS
        assert client.get("/_local/write-backs") == []
        path = f"/v1/profiles/{loaded.demo.subscriber_id}/consent/email"
        assert f"{client.run.origin}{path}" in screen
        changed = client.call(
            "PUT",
            path,
            token=credentials.api_keys["write"],
            json_body={"state": "unsubscribed"},
        )
        assert changed.status == 200
        (received,) = soon(lambda: client.get("/_local/write-backs"))
        body = json.loads(received["body"])
        assert body["type"] == "consent.changed"
        assert body["data"]["changeId"] == changed.json["id"]
        assert body["data"]["state"] == "unsubscribed"
        assert body["data"]["address"] == shop.SUBSCRIBER
        message = f"{changed.json['id']}.{credentials.store_id}"
        assert received["headers"]["webhook-id"] == message

    def test_second_shopify_shop_can_be_connected_in_a_browser(self, loaded: Loaded) -> None:
        """Each step uses the addresses that the first screen and the answers show."""
        credentials, client = loaded.demo.credentials, loaded.client
        owner = credentials.sessions["owner"]
        screen = welcome.screen(client.run.origin, loaded.demo, 1.25)
        assert f'{{"type": "shopify", "shop": "{demo.OTHER_SHOPIFY_SHOP}"}}' in screen
        body = {"type": "shopify", "shop": demo.OTHER_SHOPIFY_SHOP}
        install = client.call("POST", "/v1/connections", token=owner, json_body=body).json
        install = install["path"].removeprefix(client.run.origin)
        page = client.call("GET", install)
        assert b"Install Storepost in Linden House?" in page.body
        assert b"<code>write_customers</code>" in page.body
        callback = str(client.call("POST", install).header("location"))
        answer = client.call("GET", callback.removeprefix(client.run.origin))
        assert answer.status == 302
        address, _, link = str(answer.header("location")).partition("#")
        assert address == f"{client.run.base_url}/pages/connect-link"
        assert client.call("GET", "/v1/pages/connect-link").status == 200
        choice = {"action": "connect", "workspaceId": credentials.workspace_id}
        path = f"/v1/connect-links/{link}/connect"
        assert client.call("POST", path, token=owner, json_body=choice).status == 200
        listed = client.call("GET", "/v1/connections", token=owner).json["items"]
        shops = [demo.OTHER_SHOPIFY_SHOP, demo.SHOPIFY_SHOP]
        assert [row["identifier"] for row in listed] == shops
        # The shop's records are pulled as well.
        assert {row["state"] for row in listed} <= {"importing", "connected"}

    def test_email_links_lead_to_this_run(self, loaded: Loaded) -> None:
        emails = loaded.client.get("/_local/emails")
        to = [email["to"] for email in emails]
        assert sorted(to) == sorted([*demo.NAMES, demo.ADMIN, demo.MEMBER, demo.INVITED])
        links = [link for email in emails for link in email["links"]]
        assert len(links) == len(emails)
        assert all(link.startswith(f"{loaded.client.run.base_url}/pages/") for link in links)


class TestShop:
    def test_amounts_of_orders_add_up(self) -> None:
        orders = shop.orders()
        assert len(orders) == shop.ORDERS == 30
        for order in orders.values():
            lines = order["lineItems"]
            amount = {name: value["amount"] for name, value in order.items() if name in AMOUNTS}
            goods = sum(line["quantity"] * line["unitPrice"]["amount"] for line in lines)
            discounts = sum(line["totalDiscount"]["amount"] for line in lines)
            assert amount["totalDiscounts"] == discounts
            assert amount["subtotal"] == goods - discounts
            assert amount["total"] == amount["subtotal"] + amount["totalShipping"]
            assert 0 <= amount["totalTax"] < amount["total"]
            assert 0 <= amount["totalRefunded"] <= amount["total"]
            refunded = order["financialStatus"] in {"refunded", "partially_refunded"}
            assert (amount["totalRefunded"] > 0) is refunded
            assert (order["cancelledAt"] is not None) is (order["financialStatus"] == "voided")
            assert bool(order["discountCodes"]) is (discounts > 0)
            assert order["customer"]["externalId"] in shop.customers()

    def test_orders_are_in_the_past_in_order_after_customers(self) -> None:
        placed = [order["placedAt"] for order in shop.orders().values()]
        assert placed == sorted(placed)
        since = {c["externalCreatedAt"] for c in shop.customers().values()}
        assert max(since) < placed[0]


class TestCredentials:
    CREDENTIALS = Credentials(
        base_url="http://127.0.0.1:8000/v1",
        api_keys={"read": "r", "propose": "p", "write": "w"},
        sessions={"owner": "o", "admin": "a", "member": "m"},
        workspace_id="ws",
        store_id="st",
    )

    def test_file_is_private_to_the_user(self, tmp_path: Path) -> None:
        path = tmp_path / ".local" / "credentials.json"
        path.parent.mkdir()
        path.write_text("an earlier run's")
        path.chmod(0o644)
        self.CREDENTIALS.write(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert json.loads(path.read_text()) == {
            "baseUrl": "http://127.0.0.1:8000/v1",
            "apiKeys": {"read": "r", "propose": "p", "write": "w"},
            "sessions": {"owner": "o", "admin": "a", "member": "m"},
            "workspaceId": "ws",
            "storeId": "st",
        }

    def test_file_is_removed_unless_another_run_has_written_it(self, tmp_path: Path) -> None:
        path = tmp_path / "credentials.json"
        self.CREDENTIALS.write(path)
        replace(self.CREDENTIALS, base_url="http://127.0.0.1:9000/v1").remove(path)
        assert path.exists()
        self.CREDENTIALS.remove(path)
        self.CREDENTIALS.remove(path)
        assert not path.exists()

    def test_welcome_screen_shows_all_addresses_and_keys(self) -> None:
        screen = welcome.screen(
            "http://127.0.0.1:8000", Demo(self.CREDENTIALS, "pr", "http://x/link"), 1.25
        )
        for text in (
            "http://127.0.0.1:8000/v1 (ready in 1.2 s)",
            ".local/credentials.json",
            "Bearer r'",
            "Bearer w'",
            "http://127.0.0.1:8000/v1/orders",
            "http://127.0.0.1:8000/v1/profiles/pr/consent/email",
            "\n  http://x/link\n\nSee how",
            "curl http://127.0.0.1:8000/_local/write-backs",
            "Bearer o'",
            "http://127.0.0.1:8000/v1/connections",
            f"sign in\nthere as {demo.OWNER} with the password '{demo.PASSWORD}'",
            "http://127.0.0.1:8000/_local/\n",
            "http://127.0.0.1:8000/v1/docs\n",
            "http://127.0.0.1:8000/_local/site/catalogue.xml\n",
            "http://127.0.0.1:8000/_local/store/write-backs\n",
            "http://127.0.0.1:8000/_local/webhook-endpoint\n",
            "Ctrl-C",
        ):
            assert text in screen
        assert screen.count("curl ") == 4


def test_refused_request_is_named_in_the_error(world: World) -> None:
    with pytest.raises(DemoRefused, match="POST /workspaces: 401"):
        Api("http://127.0.0.1:8000/v1").call("POST", "/workspaces", None, {"name": "x"})
