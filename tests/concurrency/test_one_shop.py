"""Two imports, a webhook and the API write one person at once: one profile has all of it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.shopify.customers import ShopCustomer
from storepost.sync.pulls import running
from storepost.sync.webhooks.messages import Webhook
from storepost.values import clock
from tests.concurrency.containers import containers
from tests.concurrency.people import customer, profiles
from tests.concurrency.requests import request
from tests.harness.world import Someone, World
from tests.shopify.hooks import Hooks, consents, customer_body
from tests.shopify.shops import SHOP, Shopify, canary_shops, running_server

pytestmark = pytest.mark.dynoxide

ROUNDS = 12
APART = (0, 0.02, 0.1)
IMPORTS, WEBHOOKS, API = "StoreImportFunction", "ShopifyWebhooksFunction", ""


@pytest.fixture
def shopify(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shopify]:
    """A shop on a socket that every container reaches."""
    with running_server() as server:
        server.begin(*canary_shops())
        monkeypatch.setenv("FEED_ALLOW_HOSTS", server.host)
        monkeypatch.setenv("SHOPIFY_STAND_IN", server.url)
        monkeypatch.setattr(running, "sleep", lambda _seconds: None)
        yield Shopify(world, server)


def record(body: object, group: str) -> dict[str, Any]:
    """Returns the event that delivers one message to a queue's reader."""
    attributes = {"ApproximateReceiveCount": "1", "MessageGroupId": group}
    arn = "arn:aws:sqs:eu-central-1:123456789012:Queue.fifo"
    message = {"messageId": "m-1", "receiptHandle": "r", "body": json.dumps(body), "md5OfBody": ""}
    more = {"messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": "eu-central-1"}
    return {"Records": [{**message, **more, "attributes": attributes, "eventSourceARN": arn}]}


class _Read(BaseException):
    """The shop's export has ended, and the worker is about to read it."""


def begin_pull(hooks: Hooks, owner: Someone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts an import of the shop up to its first write, so that it races with the others."""
    path, scope = f"/stores/{hooks.store.id}/imports", {"scope": "customers_orders"}
    assert owner.call("POST", path, scope).status == 202

    def read(*_: object) -> None:
        raise _Read

    with monkeypatch.context() as patched:
        patched.setattr(running, "fetch", read)
        with pytest.raises(_Read):
            running.pull(hooks.store, 1, lambda: 10**6)


def test_one_profile_has_data_of_all_sources(
    world: World, shopify: Shopify, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = world.person()
    workspace = world.workspace(owner)
    hooks = Hooks(world, workspace, shopify.connect(owner, workspace), shopify)
    other = world.store(owner)
    world.deliver()
    environment = {"FEED_ALLOW_HOSTS": shopify.server.host, "SHOPIFY_STAND_IN": shopify.server.url}
    with containers(4, **environment) as four:
        for n in range(1, ROUNDS + 1):
            email, phone = f"p{n}.canary@example.com", f"+43660123{n:05}"
            at = clock.to_text(clock.now())
            shopify.shop().customers.append(ShopCustomer(n, email, None, f"Ann{n}"))
            begin_pull(hooks, owner, monkeypatch)
            batch = {"customers": [{"externalId": f"c-{n}", **customer(email, phone)}]}
            assert owner.call("POST", f"/stores/{other}/batches", batch).status == 202
            world.lose_stream()
            fields = {"email": email, "updated_at": "2036-01-01T00:00:00Z", "last_name": "Newest"}
            body = customer_body(id=n, **{**consents("subscribed", at=at), **fields, "phone": None})
            webhook = Webhook(SHOP, "customers/update", clock.now(), json.dumps(body).encode())
            ids = {"workspaceId": str(workspace.id)}
            answers = four.at_once(
                [
                    record({**ids, "storeId": str(hooks.store.id)}, "shop"),
                    record({**ids, "storeId": other}, "other"),
                    record(webhook.payload(), "webhook"),
                    request("POST", "/profiles", owner, {"email": email, "anonymousId": f"a-{n}"}),
                ],
                function=[IMPORTS, IMPORTS, WEBHOOKS, API],
                again=["conflict"],
                within_seconds=APART[n % 3],
            )
            *workers, api = answers
            assert workers == [{"batchItemFailures": []}] * 3
            assert api.status in {200, 201}
            (one,) = profiles(owner, email=email)
            assert sorted(one["storeIds"]) == sorted([str(hooks.store.id), other])
            assert (one["phone"], one["emailMarketingConsent"]) == (phone, "subscribed")
            assert hooks.customer(n).last_name == "Newest"
            names = owner.call("GET", f"/profiles/{one['id']}/identities").json
            assert {(each["type"], each["value"]) for each in names["items"]} == {
                ("platform_customer_id", str(n)),
                ("platform_customer_id", f"c-{n}"),
                ("email", email),
                ("phone", phone),
                ("anonymous_id", f"a-{n}"),
            }
    assert len(profiles(owner)) == ROUNDS
    assert four.refused["TransactWriteItems"] > 0
    print(f"\n{ROUNDS} people told of by four at once: {dict(four.refused)}, {dict(four.again)}")
