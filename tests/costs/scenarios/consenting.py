"""Consent: changed one by one, by a link, imported 500 at once, read, and written back again."""

from collections.abc import Iterable, Mapping
from functools import partial

from tests.costs.scenario import CUSTOMERS, PROFILES, Request, Shop, email_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
MOST, NEW = 500, 1000


def _write_back(shop: Shop) -> None:
    """Lets the store get somebody else's write-back, which it notes once a minute."""
    path = {"id": shop.profile_of(email_of(6))}
    shop.send("consent.putEmail", Request(shop.key, {"state": "unsubscribed"}, path=path))
    shop.world.deliver()


def _unsubscribing(shop: Shop, key: str | None = None) -> Request:
    _write_back(shop)
    body = {"state": "unsubscribed", "proof": {"reference": "preference centre"}}
    return Request(shop.key, body, path={"id": shop.subscriber}, key=key)


SCENARIOS.plain("consent.putEmail", _unsubscribing, "one write-back")
SCENARIOS.plain(
    "consent.putEmail",
    lambda shop: _unsubscribing(shop, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11"),
    "one write-back, with an idempotency key",
)


@SCENARIOS.of("consent.putEmail", "nothing new")
def same_consent(shop: Shop) -> Request:
    return Request(shop.key, {"state": "subscribed"}, path={"id": shop.subscriber})


def _history(shop: Shop, changes: int, profile: str) -> str:
    """A profile's consent is changed so often; the last change's id."""
    for number in range(changes):
        state = ("unsubscribed", "subscribed")[number % 2]
        body = {"state": state, "proof": {"reference": "preference centre"}}
        last = shop.send("consent.putEmail", Request(shop.key, body, path={"id": profile}))
    shop.world.deliver()
    return str(last.json["id"])


@SCENARIOS.of("consent.getEmail")
def get_email(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.subscriber})


@SCENARIOS.of("consent.getSms", "nobody said anything")
def get_sms(shop: Shop) -> Request:
    return Request(shop.key, path={"id": shop.subscriber})


@SCENARIOS.of("consent.listChanges", "3 changes")
def list_changes(shop: Shop) -> Request:
    _history(shop, 2, shop.subscriber)
    return Request(shop.key, path={"id": shop.subscriber})


@SCENARIOS.of("consent.listChanges", "page 1 of 50 changes")
def list_many_changes(shop: Shop) -> Request:
    visitor = shop.profile_of(email_of(CUSTOMERS))
    _history(shop, 50, visitor)
    return Request(shop.key, path={"id": visitor})


@SCENARIOS.of("consent.getChange")
def get_change(shop: Shop) -> Request:
    return Request(
        shop.key, path={"id": shop.subscriber, "changeId": _history(shop, 1, shop.subscriber)}
    )


@SCENARIOS.of("consent.retryWriteBack")
def retry_write_back(shop: Shop) -> Request:
    _write_back(shop)
    shop.outside.status = 400
    change = _history(shop, 1, shop.subscriber)
    shop.outside.status = 204
    path = {"id": shop.subscriber, "changeId": change, "storeId": shop.store}
    return Request(shop.key, path=path)


def _failed(shop: Shop, count: int) -> None:
    """So many write-backs that the store refused, each of another person."""
    shop.outside.status = 400
    for number in range(count):
        path = {"id": shop.profile_of(email_of(number + 1))}
        shop.send("consent.putEmail", Request(shop.key, {"state": "unsubscribed"}, path=path))
    shop.world.deliver()
    shop.outside.status = 204


@SCENARIOS.of("writeBacks.list", "page 1 of 50")
def list_write_backs(shop: Shop) -> Request:
    _history(shop, 50, shop.subscriber)
    return Request(shop.key)


@SCENARIOS.of("writeBacks.list", "3 that failed")
def list_failed(shop: Shop) -> Request:
    _failed(shop, 3)
    return Request(shop.key, query={"status": "failed"})


@SCENARIOS.of("writeBacks.retry", "3 that failed")
def retry_failed(shop: Shop) -> Request:
    _failed(shop, 3)
    return Request(shop.key, {"storeId": shop.store})


@SCENARIOS.of("consent.putSms", "one write-back")
def change_sms(shop: Shop) -> Request:
    _write_back(shop)
    body = {"state": "subscribed", "proof": {"reference": "preference centre"}}
    return Request(shop.key, body, path={"id": shop.subscriber})


def _proven(number: int) -> dict[str, object]:
    return {
        "state": "subscribed",
        "proof": {"reference": f"form {number}", "ip": "203.0.113.9", "userAgent": "Browser/1"},
        "evidence": {"text": "I want news by email.", "url": "https://shop.example.com/form"},
    }


@SCENARIOS.of("consent.putEmail", "nothing new but a proof")
def better_proof(shop: Shop) -> Request:
    path = {"id": shop.subscriber}
    shop.send("consent.putEmail", Request(shop.key, _proven(0), path=path))
    return Request(shop.key, _proven(1), path=path)


@SCENARIOS.of("consent.listEvidence", "page 1 of 50 statements")
def list_evidence(shop: Shop) -> Request:
    path = {"id": shop.profile_of(email_of(CUSTOMERS))}
    for number in range(50):
        shop.send("consent.putEmail", Request(shop.key, _proven(number), path=path))
    return Request(shop.key, path=path)


@SCENARIOS.of("consent.getSettings")
def get_settings(shop: Shop) -> Request:
    return Request(shop.key)


@SCENARIOS.of("consent.putSettings")
def change_settings(shop: Shop) -> Request:
    return Request(shop.owner.token, {"evidenceRetentionDays": 30})


@SCENARIOS.of("consent.openErasedEvidence", "1 statement")
def open_erased_evidence(shop: Shop) -> Request:
    shop.send("consent.putSettings", change_settings(shop))
    path = {"id": shop.subscriber}
    address = shop.send("profiles.get", Request(shop.key, path=path)).json["email"]
    shop.send("profiles.delete", Request(shop.owner.token, path=path))
    shop.world.deliver()
    return Request(shop.owner.token, {"channel": "email", "address": address})


def _link(shop: Shop, key: str | None = None) -> Request:
    return Request(shop.key, {"reference": "spring sale"}, path={"id": shop.subscriber}, key=key)


def _following(shop: Shop) -> Mapping[str, str]:
    """The path of a link, once the container has its key."""
    url = shop.send("unsubscribeLinks.create", _link(shop)).json["url"]
    return {"token": str(url).rsplit("/", 1)[1]}


@SCENARIOS.of("unsubscribeLinks.create")
def make_link(shop: Shop) -> Request:
    _following(shop)
    return _link(shop)


@SCENARIOS.of("unsubscribeLinks.create", "with an idempotency key")
def make_link_with_key(shop: Shop) -> Request:
    _following(shop)
    return _link(shop, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11")


@SCENARIOS.of("unsubscribe.get")
def open_link(shop: Shop) -> Request:
    return Request(path=_following(shop))


@SCENARIOS.of("unsubscribe.confirm", "one write-back")
def unsubscribe(shop: Shop) -> Request:
    _write_back(shop)
    return Request(path=_following(shop), form={"List-Unsubscribe": "One-Click"})


@SCENARIOS.of("unsubscribe.confirm", "nothing new")
def unsubscribe_again(shop: Shop) -> Request:
    request = unsubscribe(shop)
    shop.send("unsubscribe.confirm", request)
    shop.world.deliver()
    return request


def _opt_in_request(shop: Shop, key: str | None = None) -> Request:
    """Asks a customer of one store who has stated nothing, after another one was asked."""
    form = {"proof": {"reference": "newsletter form", "ip": "203.0.113.7"}}
    path = {"id": shop.profile_of(email_of(6))}
    shop.send("optInRequests.create", Request(shop.key, form, path=path))
    shop.world.deliver()
    return Request(shop.key, form, path={"id": shop.buyer}, key=key)


def _opt_in_path(shop: Shop) -> Mapping[str, str]:
    """The path of the link in the email."""
    shop.send("optInRequests.create", _opt_in_request(shop))
    link = shop.world.emails()[-1].links[0]
    return {"token": link.rsplit("/", 1)[1]}


SCENARIOS.plain("optInRequests.create", _opt_in_request, "one write-back")
SCENARIOS.plain(
    "optInRequests.create",
    lambda shop: _opt_in_request(shop, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11"),
    "one write-back, with an idempotency key",
)


def _simulator_request(shop: Shop, name: str) -> Request:
    """A request to SES's mailbox simulator, which reports what became of the email."""
    email = f"{name}@simulator.amazonses.com"
    made = shop.send("profiles.upsert", Request(shop.key, {"email": email}))
    shop.world.deliver()
    return Request(shop.key, {"proof": {"reference": "form"}}, path={"id": str(made.json["id"])})


for _name, _case in (
    ("success", "no store, the email arrives"),
    ("bounce", "no store, the email bounces: suppressed"),
    ("complaint", "no store, reported as spam: suppressed and unsubscribed"),
):
    SCENARIOS.plain("optInRequests.create", partial(_simulator_request, name=_name), _case)


@SCENARIOS.of("optInRequests.list", "1 request")
def list_opt_in(shop: Shop) -> Request:
    shop.send("optInRequests.create", _opt_in_request(shop))
    return Request(shop.key, path={"id": shop.buyer})


@SCENARIOS.of("optIn.get")
def open_opt_in(shop: Shop) -> Request:
    return Request(path=_opt_in_path(shop))


@SCENARIOS.of("optIn.confirm", "one write-back")
def confirm_opt_in(shop: Shop) -> Request:
    return Request(path=_opt_in_path(shop), form={"answer": "subscribe"})


@SCENARIOS.of("optIn.confirm", "nothing new")
def confirm_opt_in_again(shop: Shop) -> Request:
    request = confirm_opt_in(shop)
    shop.send("optIn.confirm", request)
    shop.world.deliver()
    return request


def _changes(numbers: Iterable[int]) -> dict[str, object]:
    moment = "2025-12-01T09:00:00.000Z"
    fields = {"state": "subscribed", "occurredAt": moment}
    return {"changes": [{"email": email_of(number), **fields} for number in numbers]}


def _import(case: str, *numbers: int) -> None:
    SCENARIOS.plain("consent.import", lambda shop: Request(shop.key, _changes(numbers)), case)


_import("1 known person, no store", PROFILES - 1)
_import("1 new person", NEW)
_import("500 new people", *range(NEW, NEW + MOST))
