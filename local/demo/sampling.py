"""The events in `events/`, recorded from a run with the demo's data.

The demo's ids and tokens are the same in each run (`local.demo.seeded`), so that a sample fits the
next run too. A worker's event is recorded when a pump delivers it, after calls of the API that
cause it. Calls that delete use records that aren't part of the demo.
"""

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from local import aws, demo, functions, gateway
from local.aws import mail, ses_events
from local.demo import Api, Demo, shop
from local.demo.seeded import seeded
from local.events import pumps
from local.shopify.app import APP
from local.template import ROOT, Function
from local.template import functions as declared
from storepost.platform.migrations.keys import REBUILD_SEARCH

if TYPE_CHECKING:
    from local.running import LocalRun

FOLDER = ROOT / "events"
HOST = "127.0.0.1:8000"
"""The address of `make run`."""
NEW = {"name": "Zelda Zorn", "email": "zelda.zorn@example.com", "password": demo.PASSWORD}

type Event = dict[str, Any]


def path_of(function: Function) -> Path:
    """Returns the path of the function's sample."""
    _, kind, job = function.folder.split("/")
    return FOLDER / kind / f"{job}.json"


def samples() -> dict[str, Event]:
    """Returns one event per function, by logical id. AWS has been started, and is empty."""
    from local.running import LocalRun  # noqa: PLC0415 - it imports the service

    seen: dict[str, Event] = {}
    plain = functions.invoke_here

    def invoke_and_note(function: Function, event: Event) -> Any:  # noqa: ANN401 - its own answer
        if "Records" in event:
            seen[function.name] = {"Records": event["Records"][-1:]}
        return plain(function, event)

    functions.invoke_here = invoke_and_note
    try:
        with socket.create_server(("127.0.0.1", 0)) as listening, seeded():
            run = LocalRun(listening)
            run.serve()
            made = demo.make(run)
            # From here on links use `make run`'s address: a sealed email can't be corrected later.
            api = Api(f"http://{HOST}/v1")
            requests = _requests(api, made)
            _act(api, made, run.deliver)
            _act_at_endpoint(api, _keys(made)[1], run)
            run.stop()
    finally:
        functions.invoke_here = plain
    scheduled = {f.name: pumps.schedule_event(f) for f in declared() if f.events_of("ScheduleV2")}
    events = {**requests, **seen, **scheduled}
    return {name: json.loads(json.dumps(event, default=_binary)) for name, event in events.items()}


def _binary(value: bytes) -> str:
    """Encodes a binary of a stream record as Lambda does."""
    return base64.b64encode(value).decode()


def _requests(api: Api, made: Demo) -> dict[str, Event]:
    """Returns requests to the API's functions, with the demo's keys, about the demo's data."""
    known = made.credentials
    store, owner, read, write = known.store_id, known.sessions["owner"], *_keys(made)
    profile, feed = made.subscriber_id, api.call("GET", "/feeds", read)["items"][0]["id"]
    hook = _customer(706405506930370084)
    requests: list[Event] = [
        request("GET", "/me", owner),
        request("POST", "/auth/sign-in", body={"email": demo.OWNER, "password": demo.PASSWORD}),
        request("GET", "/workspaces/available-slug?name=Birch%20Barn", owner),
        request("GET", "/members", read),
        request("GET", "/invitations", read),
        request("GET", "/api-keys", owner),
        request("GET", "/search?q=ada", read),
        request("GET", "/definitions", read),
        request("GET", "/locales", read),
        request("GET", f"/stores/{store}", read),
        request("GET", f"/stores/{store}/imports", read),
        request("POST", f"/feeds/{feed}/imports", write),
        request("GET", "/connections", read),
        request("POST", "/webhooks/shopify", body=hook, headers=_signed(hook)),
        request("GET", f"/connect-links/{made.connect_link_id}/preview"),
        request("GET", f"/profiles/{profile}", read),
        request("GET", f"/profiles/{profile}/export", owner),
        request("PUT", f"/profiles/{profile}/consent/email", write, {"state": "subscribed"}),
        request("POST", "/events", write, shop.visits(store)[0]),
        request("POST", f"/profiles/{profile}/unsubscribe-links", write),
        request(
            "POST",
            f"/profiles/{profile}/opt-in-requests",
            write,
            {"proof": {"reference": "Newsletter form 4711"}},
        ),
        request("GET", "/suppressions?reason=complaint", read),
        request("GET", "/orders?pageSize=10", read),
        request("GET", "/products?pageSize=10", read),
        request("GET", f"/stores/{store}/product-priority", read),
        request("GET", "/coupons", read),
        request("GET", "/webhook-endpoints", write),
        request("GET", "/health"),
        request("GET", "/docs"),
    ]
    return {gateway.function_for(event["rawPath"]).name: event for event in requests}


def _keys(made: Demo) -> tuple[str, str]:
    return made.credentials.api_keys["read"], made.credentials.api_keys["write"]


def request(
    method: str,
    target: str,
    token: str | None = None,
    body: object = None,
    headers: dict[str, str] | None = None,
) -> Event:
    """Returns the gateway's event of a request to a path of the API."""
    sent = {"host": HOST, "user-agent": "curl/8.10.1", "x-forwarded-proto": "http"}
    if token:
        sent["authorization"] = f"Bearer {token}"
    if body is not None:
        sent["content-type"] = "application/json"
    path, _, query = target.partition("?")
    raw = body if isinstance(body, str) else "" if body is None else json.dumps(body)
    return gateway.http_event(
        method,
        f"/v1{path}",
        query=query,
        headers={**sent, **(headers or {})},
        body=raw.encode(),
        domain=HOST,
    )


def _customer(number: int) -> str:
    """Returns a customer in the form of Shopify's webhooks."""
    return json.dumps(
        {
            "id": number,
            "email": "bob.biller@example.com",
            "created_at": "2026-01-05T10:00:00-05:00",
            "updated_at": "2026-02-05T10:00:00-05:00",
            "first_name": "Bob",
            "last_name": "Biller",
            "state": "disabled",
            "note": None,
            "verified_email": True,
            "tax_exempt": False,
            "tags": "",
            "currency": "EUR",
            "phone": None,
            "addresses": [],
            "admin_graphql_api_id": f"gid://shopify/Customer/{number}",
        }
    )


def _signed(raw: str) -> dict[str, str]:
    """Returns the headers of a signed webhook of the demo's shop."""
    digest = hmac.new(APP.secret.encode(), raw.encode(), hashlib.sha256).digest()
    return {
        "x-shopify-topic": "customers/update",
        "x-shopify-shop-domain": demo.SHOPIFY_SHOP,
        "x-shopify-hmac-sha256": base64.b64encode(digest).decode(),
        "x-shopify-triggered-at": "2026-02-05T15:00:00.000Z",
        "x-shopify-webhook-id": str(uuid5(NAMESPACE_URL, raw)),
    }


def _act(api: Api, made: Demo, deliver: Callable[[], None]) -> None:
    """Causes each worker's event; the last event of a worker is its sample."""
    read, write = _keys(made)
    store = made.credentials.store_id
    product = shop.products()["product-1"]
    api.call("PUT", f"/stores/{store}/products/product-1", write, product)
    people = [
        api.call("POST", "/profiles", write, {"email": f"{name}@example.com"})["id"]
        for name in ("zoe.one", "zoe.two", "zoe.gone")
    ]
    api.call("POST", f"/profiles/{people[0]}/merge", write, {"profileId": people[1]})
    api.call("DELETE", f"/profiles/{people[2]}", write)
    coupon = api.call("POST", "/coupons", write, shop.coupons(store)[0])
    api.call("POST", f"/coupons/{coupon['id']}/codes", write, {"quantity": 1})
    priority = api.call("GET", f"/stores/{store}/product-priority", read)
    order = {"order": [each["id"] for each in priority["sources"]][::-1], "fields": {}}
    api.call("POST", f"/stores/{store}/product-priority/changes", write, order)
    hook = _customer(706405506930370085)
    gateway.handle(request("POST", "/webhooks/shopify", body=hook, headers=_signed(hook)))

    # An operator sends this message: no call of the API does.
    rebuild = {"workspaceId": made.credentials.workspace_id, "name": REBUILD_SEARCH, "run": 1}
    body = json.dumps(rebuild, separators=(",", ":"))
    aws.client("sqs").send_message(QueueUrl=aws.queue_url("MigrationQueue"), MessageBody=body)
    # A stream's records end after a day, so this sample is a message that another release may send.
    repair = json.dumps({"workspaceId": made.credentials.workspace_id}, separators=(",", ":"))
    aws.client("sqs").send_message(QueueUrl=aws.queue_url("SearchRepairQueue"), MessageBody=repair)
    deliver()
    _act_as_newcomer(api, deliver)
    for state in ("unsubscribed", "subscribed"):
        api.call("PUT", f"/profiles/{made.subscriber_id}/consent/email", write, {"state": state})
        deliver()
    api.call("POST", "/auth/password/forgot", body={"email": demo.OWNER})
    deliver()
    mail.say([ses_events.delivery(mail.sent_email(demo.latest_email(demo.OWNER)))])
    deliver()


def _act_at_endpoint(api: Api, write: str, run: "LocalRun") -> None:
    """Makes a webhook endpoint fail, so that its next message goes to the retry queue."""
    body = {"url": f"{run.webhook_url}?answer=503", "events": ["webhook.test"]}
    endpoint = api.call("POST", "/webhook-endpoints", write, body)["endpoint"]["id"]
    for _ in range(2):
        api.call("POST", f"/webhook-endpoints/{endpoint}/test", write)
        run.deliver()


def _act_as_newcomer(api: Api, deliver: Callable[[], None]) -> None:
    """Signs a person up with a workspace, then deletes the workspace and the account."""
    registration = api.call("POST", "/auth/sign-up", body=NEW)["registration"]
    deliver()
    (code,) = demo.latest_email(str(NEW["email"])).codes
    body = {"registration": registration, "code": code}
    token = api.call("POST", "/auth/verify-email", body=body)["token"]
    workspace = api.call("POST", "/workspaces", token, {"name": "Zorn"})["id"]
    password = {"password": demo.PASSWORD}
    api.call("POST", f"/workspaces/{workspace}/delete", token, password)
    api.call("POST", "/me/delete", token, password)
    deliver()
