"""For each type of event an operation that causes it, and its resource's answer then."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from local.events import pumps
from storepost.accounts.workspaces.model import Role
from storepost.catalog.products.schemas import ProductSummary
from tests.catalog.products.sample import product
from tests.feeds.feeds import feed_store
from tests.harness.receiver import Receiver
from tests.orders.sample import eur, order
from tests.sync.batches import batch_store
from tests.webhooks.events.shop import EMAIL, Shop
from tests.webhooks.events.test_coupons import as_answered, assign, coupon
from tests.webhooks.events.test_workspace import TestApiKeys, TestProposals

type Json = dict[str, Any]
type Answered = Callable[[], Json]
"""Reads what the resource's own operations answer, as a message says it."""

LATER = "2026-03-01T11:00:00Z"


@dataclass(frozen=True)
class Scene:
    """A workspace whose endpoint asks for all types, and a server that has feeds."""

    shop: Shop
    feeds: feed_store.Shop
    receiver: Receiver
    endpoint: str

    def call(self, method: str, path: str, body: object = None) -> Json:
        """The answer to the owner's request; nothing if there is no body."""
        answer = self.shop.call(method, path, body)
        return dict(answer.json) if answer.body else {}

    def begin(self) -> None:
        """Sends all events so far, and ignores them."""
        self.shop.world.deliver()
        self.receiver.received.clear()

    def reading(self, path: str, **more: object) -> Answered:
        """Reads one resource by its own operation."""
        return lambda: {**self.shop.get(path), **more}

    def listed(self, path: str, identifier: object, **more: object) -> Answered:
        """Reads one row of a list."""

        def read() -> Json:
            [found] = [each for each in self.shop.get(path)["items"] if each["id"] == identifier]
            return {**found, **more}

        return read

    def batches(self) -> batch_store.Shop:
        """Makes the store one that sends batches."""
        shop = self.shop
        return batch_store.Shop(shop.world, shop.owner, shop.workspace, shop.store)


type Cause = Callable[[Scene], Answered]


def _profile(on: Scene, kind: str) -> Answered:
    eve = on.shop.profile()
    if kind == "updated":
        on.begin()
        on.call("PATCH", f"/profiles/{eve}", {"firstName": "Eva"})
    return on.listed("/profiles", eve)


def _merged(on: Scene) -> Answered:
    eve, other = on.shop.profile(), on.shop.profile(anonymousId="browser-1")
    on.begin()
    survivor = on.call("POST", f"/profiles/{other}/merge", {"profileId": eve})["id"]
    [gone] = {eve, other} - {survivor}
    return on.listed("/profiles", survivor, mergedProfileId=gone)


def _erased(on: Scene) -> Answered:
    eve, other = on.shop.profile(), on.shop.profile(anonymousId="browser-1")
    on.call("POST", f"/profiles/{eve}/merge", {"profileId": other})
    on.begin()
    on.call("DELETE", f"/profiles/{eve}")
    return lambda: {"id": eve, "mergedProfileIds": [other]}


def _consent(on: Scene) -> Answered:
    eve = on.shop.profile()
    on.begin()
    proof = {"ip": "198.51.100.7", "userAgent": "Mozilla/5.0", "reference": "form-1"}
    body = {"state": "unsubscribed", "proof": proof}
    made = on.call("PUT", f"/profiles/{eve}/consent/email", body)["id"]

    def read() -> Json:
        change = on.shop.get(f"/profiles/{eve}/consent/{made}")
        proof = {k: v for k, v in change["proof"].items() if k not in {"ip", "userAgent"}}
        return {**change, "proof": proof, "profileId": eve}

    return read


def _order(on: Scene, **change: object) -> Answered:
    path = f"/stores/{on.shop.store}/orders/o-1"
    made = on.call("PUT", path, order())
    if change:
        on.begin()
        on.call("PUT", path, order(updatedAt=LATER, **change))
    return on.listed("/orders", made["id"])


def _deleted_order(on: Scene) -> Answered:
    path = f"/stores/{on.shop.store}/orders/o-1"
    made = on.call("PUT", path, order())
    on.begin()
    on.call("DELETE", path)
    return lambda: {"id": made["id"], "storeId": on.shop.store}


def _product(on: Scene, kind: str) -> Answered:
    path = f"/stores/{on.shop.store}/products/p-1"
    made = on.call("PUT", path, product())
    if kind == "created":
        return on.listed("/products", made["id"])
    on.begin()
    if kind == "updated":
        on.call("PUT", path, product(handle="sencha", updatedAt=LATER))
        return on.listed("/products", made["id"])
    on.call("DELETE", path)
    names = [field.alias or name for name, field in ProductSummary.model_fields.items()]
    # No list has a removed product.
    return lambda: {name: on.shop.get(f"/products/{made['id']}")[name] for name in names}


def _coupon(on: Scene, kind: str) -> Answered:
    made = coupon(on.shop)
    if kind == "ended":
        on.begin()
        on.call("POST", f"/coupons/{made}/end")
    return on.reading(f"/coupons/{made}")


def _code(on: Scene, kind: str) -> Answered:
    validity = {"type": "days", "days": 1}
    pool = coupon(on.shop, validity=validity)
    on.begin()
    code = assign(on.shop, pool)
    if kind == "used":
        on.begin()
        on.call("PUT", f"/stores/{on.shop.store}/orders/o-1", order(discountCodes=[code["code"]]))
    if kind == "expired":
        on.begin()
        on.shop.world.advance(days=1, seconds=1)
        pumps.run_schedule("coupon_expiry")
    return lambda: as_answered(on.shop, code["id"], pool)


def _connected(on: Scene) -> Answered:
    return on.listed("/stores", on.shop.world.store(on.shop.owner))


def _disconnected(on: Scene) -> Answered:
    on.call("POST", f"/stores/{on.shop.store}/disconnect")
    return on.listed("/stores", on.shop.store)


def _needs_attention(on: Scene) -> Answered:
    _broken_batch(on)
    return on.listed("/stores", on.shop.store)


def _batch(on: Scene) -> Answered:
    made = on.batches().import_batch(orders=[batch_store.order(1)])["id"]
    return on.reading(f"/stores/{on.shop.store}/imports/{made}", storeId=on.shop.store)


def _broken_batch(on: Scene) -> Answered:
    made = on.batches().queue(orders=[batch_store.order(1)])
    on.shop.world.delete_objects(b"{")
    return on.reading(f"/stores/{on.shop.store}/imports/{made}", storeId=on.shop.store)


def _feed(on: Scene, *, works: bool) -> Answered:
    file = feed_store.csv({"id": "p-1", "title": "Tea"})
    feed = on.feeds.create(on.feeds.server.put("/feed", file, status=200 if works else 404))
    on.shop.world.deliver()
    [made] = on.shop.get(f"/feeds/{feed['id']}/imports")["items"]
    return on.reading(f"/feeds/{feed['id']}/imports/{made['id']}")


def _proposal(on: Scene, act: str = "") -> Answered:
    made = TestProposals().propose(on.shop)
    if act:
        on.begin()
        on.call("POST", f"/change-proposals/{made}/{act}")
    return on.listed("/change-proposals", made)


def _member(on: Scene, kind: str) -> Answered:
    guest = on.shop.world.person()
    made = on.call("POST", "/invitations", {"email": guest.email, "role": Role.MEMBER})["id"]
    answer = guest.call("POST", f"/invitations/{made}/accept")
    assert answer.status == 200, answer.body
    [member] = [m for m in on.shop.get("/members")["items"] if m["userId"] == str(guest.id)]
    if kind == "joined":
        return on.listed("/members", member["id"])
    on.begin()
    if kind == "role_changed":
        on.call("PATCH", f"/members/{member['id']}", {"role": Role.ADMIN})
        return on.listed("/members", member["id"])
    on.call("DELETE", f"/members/{member['id']}")
    return lambda: {"id": member["id"], "userId": member["userId"]}


def _api_key(on: Scene, act: str = "") -> Answered:
    made = TestApiKeys().create(on.shop)
    if act:
        on.begin()
        on.call("POST", f"/api-keys/{made}/{act}")
    return on.listed("/api-keys", made)


def _suppression(on: Scene, kind: str) -> Answered:
    body = {"channel": "email", "address": EMAIL, "reason": "manual"}
    made = on.call("POST", "/suppressions", body)["id"]
    if kind == "deleted":
        on.begin()
        on.call("DELETE", f"/suppressions/{made}")
    return on.reading(f"/suppressions/{made}")


def _test(on: Scene) -> Answered:
    made = on.call("POST", f"/webhook-endpoints/{on.endpoint}/test")
    assert made["resource"] is None
    types = on.shop.call("GET", "/webhook-event-types", query={"pageSize": 100}).json["items"]
    [sample] = [each["sample"] for each in types if each["type"] == made["type"]]
    return lambda: dict(sample["data"])


CAUSES: dict[str, Cause] = {
    "profile.created": partial(_profile, kind="created"),
    "profile.updated": partial(_profile, kind="updated"),
    "profile.merged": _merged,
    "profile.erased": _erased,
    "consent.changed": _consent,
    "order.created": _order,
    "order.updated": partial(_order, fulfillmentStatus="fulfilled"),
    "order.cancelled": partial(_order, cancelledAt=LATER),
    "order.refunded": partial(_order, totalRefunded=eur(100)),
    "order.deleted": _deleted_order,
    "product.created": partial(_product, kind="created"),
    "product.updated": partial(_product, kind="updated"),
    "product.removed": partial(_product, kind="removed"),
    "coupon.created": partial(_coupon, kind="created"),
    "coupon.ended": partial(_coupon, kind="ended"),
    "coupon_code.assigned": partial(_code, kind="assigned"),
    "coupon_code.used": partial(_code, kind="used"),
    "coupon_code.expired": partial(_code, kind="expired"),
    "store.connected": _connected,
    "store.disconnected": _disconnected,
    "store.needs_attention": _needs_attention,
    "store_import.completed": _batch,
    "store_import.failed": _broken_batch,
    "feed_import.completed": partial(_feed, works=True),
    "feed_import.failed": partial(_feed, works=False),
    "change_proposal.opened": _proposal,
    "change_proposal.approved": partial(_proposal, act="approve"),
    "change_proposal.rejected": partial(_proposal, act="reject"),
    "member.joined": partial(_member, kind="joined"),
    "member.role_changed": partial(_member, kind="role_changed"),
    "member.removed": partial(_member, kind="removed"),
    "api_key.created": _api_key,
    "api_key.rotated": partial(_api_key, act="rotate"),
    "api_key.revoked": partial(_api_key, act="revoke"),
    "suppression.created": partial(_suppression, kind="created"),
    "suppression.deleted": partial(_suppression, kind="deleted"),
    "webhook.test": _test,
}
