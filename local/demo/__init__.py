"""The demo's data, created only through the API, as an example of its operations.

People sign up and confirm their addresses. The owner creates a workspace, invites the others,
creates keys and connects a custom store, and the store sends its customers and orders. Then the
owner connects a shop of the pretend Shopify, as in a browser, and the store records visits to its
shop window. A key proposes a segment, which the owner approves, and a change of it.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from local import gateway
from local.aws import mail
from local.demo import shop
from local.demo.seeded import seeded
from local.gateway import Answer
from local.shopify.oauth import approve
from local.template import ROOT

if TYPE_CHECKING:  # they import the service, which reads its environment when it is imported
    from local.running import LocalRun
    from local.shopify.web import PretendShopify

CREDENTIALS = ROOT / ".local" / "credentials.json"
PASSWORD = "correct horse battery staple"  # noqa: S105 - everybody of the demo has it
WORKSPACE = "Birch & Loom"
OWNER, ADMIN, MEMBER = "olive@example.com", "anton@example.com", "mira@example.com"
INVITED = "newcomer@example.com"
NAMES = {OWNER: "Olive Owner", ADMIN: "Anton Admin", MEMBER: "Mira Member"}
SCOPES = ("read", "propose", "write")
SHOPIFY_SHOP, OTHER_SHOPIFY_SHOP = "birch-loom.myshopify.com", "linden-house.myshopify.com"
"""The shop that the demo connects, and the one that the developer may connect."""


_NAMES = {
    "base_url": "baseUrl",
    "api_keys": "apiKeys",
    "workspace_id": "workspaceId",
    "store_id": "storeId",
}


class DemoRefused(Exception):  # noqa: N818 - it is what happened
    """The API answered a step with a problem."""


@dataclass(frozen=True)
class Credentials:
    """Credentials for first calls; written to `.local/credentials.json` under these names."""

    base_url: str
    api_keys: dict[str, str]
    sessions: dict[str, str]
    workspace_id: str
    store_id: str

    def as_json(self) -> dict[str, Any]:
        """Returns the file's content."""
        return {_NAMES.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "Credentials":
        """What `as_json` returned."""
        return cls(**{f.name: content[_NAMES.get(f.name, f.name)] for f in fields(cls)})

    def write(self, path: Path) -> None:
        """Writes the file, which only this user may read."""
        path.parent.mkdir(mode=0o700, exist_ok=True)
        # An existing file would keep its mode, so it is deleted first.
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(json.dumps(self.as_json(), indent=2) + "\n")

    def remove(self, path: Path) -> None:
        """Deletes the file, unless another run has written its own there since."""
        if path.exists() and json.loads(path.read_text("utf-8")) == self.as_json():
            path.unlink()


@dataclass(frozen=True)
class Demo:
    """The demo's created records."""

    credentials: Credentials
    subscriber_id: str
    """The id of a profile that is subscribed to emails."""
    unsubscribe_url: str
    """The unsubscribe link of an email to that person; empty if none can be made any more."""
    connect_link_id: str = ""
    """The connect link that was used for the shop; the API returns it for an hour."""

    def as_json(self) -> dict[str, Any]:
        """Returns what a run with kept rows stores for the next run."""
        return {"credentials": self.credentials.as_json(), "subscriberId": self.subscriber_id}

    @classmethod
    def of_json(cls, content: dict[str, Any]) -> "Demo":
        """What `as_json` returned."""
        return cls(Credentials.of_json(content["credentials"]), content["subscriberId"], "")


class Api:
    """A client of the API that calls it in this process."""

    def __init__(self, base_url: str) -> None:
        """`base_url` is the base address of links in emails."""
        self._domain = urlsplit(base_url).netloc

    def call(self, method: str, path: str, token: str | None = None, body: object = None) -> Any:  # noqa: ANN401 - JSON
        """Returns the answer's JSON, None without a body. Raises DemoRefused unless it succeeds."""
        answer = self.answer(method, path, token, body)
        return json.loads(answer.body) if answer.body else None

    def answer(
        self, method: str, path: str, token: str | None = None, body: object = None
    ) -> Answer:
        """Returns the answer. Raises DemoRefused unless it succeeds."""
        headers = {"x-forwarded-proto": "http"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if body is not None:
            headers["content-type"] = "application/json"
        answer = gateway.handle(
            gateway.http_event(
                method,
                f"/v1{path.partition('?')[0]}",
                query=path.partition("?")[2],
                headers=headers,
                body=b"" if body is None else json.dumps(body).encode(),
                source_ip="127.0.0.1",
                domain=self._domain,
            )
        )
        if answer.status >= 400:
            content = json.loads(answer.body) if answer.body else None
            raise DemoRefused(f"{method} {path.partition('?')[0]}: {answer.status} {content}")
        return answer


def load(run: "LocalRun") -> Demo:
    """Creates everything, with the same ids each time, in a run that serves but has no pumps."""
    with seeded():
        return make(run)


def make(run: "LocalRun") -> Demo:
    """Creates everything, with new ids."""
    api, deliver = Api(run.base_url), run.deliver
    registrations = {email: _sign_up(api, email) for email in NAMES}
    deliver()
    sessions = {email: _verify(api, email, of) for email, of in registrations.items()}
    owner = sessions[OWNER]
    workspace = api.call("POST", "/workspaces", owner, {"name": WORKSPACE})
    for email, role in ((ADMIN, "admin"), (MEMBER, "member"), (INVITED, "member")):
        api.call("POST", "/invitations", owner, {"email": email, "role": role})
    deliver()
    for email in (ADMIN, MEMBER):
        api.call("POST", f"/invitations/{_invitation_of(email)}/accept", sessions[email])
    keys = {scope: _make_key(api, owner, scope) for scope in SCOPES}
    for locale in ({"code": "en"}, {"code": "fr", "label": "French (planned)"}):
        api.call("POST", "/locales", keys["write"], locale)
    store_id = _connect_store(api, owner, run.write_back_url)
    _send_shop(api, keys["write"], store_id)
    _add_feed(api, keys["write"], store_id, run.catalogue_url)
    link = connect_shopify(api, run.shopify, SHOPIFY_SHOP, owner, workspace["id"])
    deliver()
    subscriber_id = _subscriber(api, keys["read"])
    _define_segment(api, keys["propose"], owner)
    api.call("POST", "/events/bulk", keys["write"], {"events": shop.visits(store_id)})
    _make_coupons(api, keys["write"], store_id, subscriber_id)
    deliver()
    return Demo(
        Credentials(
            base_url=run.base_url,
            api_keys=keys,
            sessions={"owner": owner, "admin": sessions[ADMIN], "member": sessions[MEMBER]},
            workspace_id=workspace["id"],
            store_id=store_id,
        ),
        subscriber_id=subscriber_id,
        unsubscribe_url=_unsubscribe_url(api, keys["write"], subscriber_id),
        connect_link_id=link,
    )


def resume(made: Demo, base_url: str, write_back_path: str) -> Demo:
    """Returns an earlier run's demo, at this run's address and with valid sessions.

    The developer's changes to it stay: a step that fails because of them is skipped.
    """
    api, old = Api(base_url), made.credentials
    _move_write_backs(
        api, old, _origin(old.base_url) + write_back_path, _origin(base_url) + write_back_path
    )
    emails = {"owner": OWNER, "admin": ADMIN, "member": MEMBER}
    sessions = {role: _session(api, emails[role], old.sessions[role]) for role in emails}
    subscriber_id = _any_subscriber(api, old.api_keys["read"]) or made.subscriber_id
    return Demo(
        replace(old, base_url=base_url, sessions=sessions),
        subscriber_id,
        _unsubscribe_url(api, old.api_keys["write"], subscriber_id),
    )


def _any_subscriber(api: Api, key: str) -> str | None:
    with suppress(DemoRefused):
        listed = api.call("GET", "/profiles?emailMarketingConsent=subscribed", key)["items"]
        return next((str(profile["id"]) for profile in listed), None)
    return None


def _unsubscribe_url(api: Api, key: str, profile_id: str) -> str:
    with suppress(DemoRefused):
        made = api.call("POST", f"/profiles/{profile_id}/unsubscribe-links", key)
        return str(made["url"])
    return ""


def _origin(base_url: str) -> str:
    return base_url.removesuffix("/v1")


def _move_write_backs(api: Api, credentials: Credentials, before: str, now: str) -> None:
    """Moves the store's write-back URL to this run's, if it still is the earlier run's."""
    path, key = f"/stores/{credentials.store_id}/write-back", credentials.api_keys["write"]
    with suppress(DemoRefused):
        if before != now and api.call("GET", path, key)["url"] == before:
            api.call("PUT", path, key, {"url": now})


def _session(api: Api, email: str, token: str) -> str:
    """Returns a session token: the old one if it is valid or if signing in yields no other."""
    with suppress(DemoRefused):
        api.call("GET", "/me", token)
        return token
    with suppress(DemoRefused):
        body = {"email": email, "password": PASSWORD}
        return str(api.call("POST", "/auth/sign-in", body=body).get("token", token))
    return token


def _sign_up(api: Api, email: str) -> str:
    """Signs a person up; returns the registration's id. The email with its code is queued."""
    body = {"name": NAMES[email], "email": email, "password": PASSWORD}
    return str(api.call("POST", "/auth/sign-up", body=body)["registration"])


def _verify(api: Api, email: str, registration: str) -> str:
    """Confirms the address; returns the person's session token."""
    (code,) = latest_email(email).codes
    body = {"registration": registration, "code": code}
    return str(api.call("POST", "/auth/verify-email", body=body)["token"])


def _invitation_of(email: str) -> str:
    """Returns the id in the link of the invitation email."""
    (link,) = latest_email(email).links
    return urlsplit(link).fragment


def latest_email(to: str) -> mail.Email:
    return [email for email in mail.sent_emails() if email.to == to][-1]


def _make_key(api: Api, owner: str, scope: str) -> str:
    made = api.call("POST", "/api-keys", owner, {"name": f"Demo {scope}", "scope": scope})
    return str(made["key"])


def _define_segment(api: Api, key: str, owner: str) -> None:
    """Creates a segment that a key proposes and the owner approves, and a pending change."""
    made = api.call("POST", "/change-proposals", key, shop.SEGMENT)
    approved = api.call("POST", f"/change-proposals/{made['id']}/approve", owner)
    change = {
        "definitionId": approved["definitionId"],
        "baseVersionId": approved["resultVersionId"],
        **shop.SEGMENT_CHANGE,
    }
    api.call("POST", "/change-proposals", key, change)


def _connect_store(api: Api, owner: str, write_back_url: str) -> str:
    """Connects a store whose write-backs go to the local run's pretend store; returns its id."""
    store_id = str(api.call("POST", "/stores", owner, shop.STORE)["id"])
    api.call("PUT", f"/stores/{store_id}/locales", owner, shop.STORE_LOCALES)
    api.call("PUT", f"/stores/{store_id}/write-back", owner, {"url": write_back_url})
    return store_id


def connect_shopify(
    api: Api, shopify: "PretendShopify", shop_name: str, token: str, workspace_id: str
) -> str:
    """Starts an install, approves it in the shop, and chooses the shop's workspace.

    Returns the id of the connect link that it used.
    """
    install = api.call("POST", "/connections", token, {"type": "shopify", "shop": shop_name})
    query = dict(parse_qsl(urlsplit(install["path"]).query))
    callback = approve(shopify.app, shopify.shops[shop_name], query)
    path = "/connections/shopify/callback?" + urlsplit(callback).query
    link = urlsplit(api.answer("GET", path).headers["Location"]).fragment
    choice = {"action": "connect", "workspaceId": workspace_id}
    api.call("POST", f"/connect-links/{link}/connect", token, choice)
    return link


def _send_shop(api: Api, key: str, store_id: str) -> None:
    """Sends the shop's products, and its other records as one batch."""
    for external_id, body in shop.products().items():
        api.call("PUT", f"/stores/{store_id}/products/{external_id}", key, body)
    batch = {
        name: [{"externalId": external_id, **body} for external_id, body in records.items()]
        for name, records in (("customers", shop.customers()), ("orders", shop.orders()))
    }
    api.call("POST", f"/stores/{store_id}/batches", key, batch)


def _add_feed(api: Api, key: str, store_id: str, url: str) -> None:
    """Adds the shop's product feed, with its columns mapped as the preview suggests."""
    source = {"storeId": store_id, "url": url}
    columns = api.call("POST", "/feeds/preview", key, source)["columns"]
    mapping = {column["name"]: column["suggested"] for column in columns}
    feed = {**source, "name": shop.FEED, "mode": "add_and_enrich", "mapping": mapping}
    api.call("POST", "/feeds", key, feed)


def _make_coupons(api: Api, key: str, store_id: str, subscriber_id: str) -> None:
    """Makes a pool of codes, a coupon with personal codes, and one with codes from a file.

    The subscriber gets a code of the first two.
    """
    for coupon in shop.coupons(store_id):
        made = api.call("POST", "/coupons", key, coupon)
        api.call("POST", f"/coupons/{made['id']}/assign", key, {"profileId": subscriber_id})
    api.call("POST", "/coupons/import", key, shop.gift_cards(store_id))


def _subscriber(api: Api, key: str) -> str:
    query = urlencode({"email": shop.SUBSCRIBER})
    (profile,) = api.call("GET", f"/profiles?{query}", key)["items"]
    return str(profile["id"])
