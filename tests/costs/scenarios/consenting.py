"""Consent: asked for one by one, by a link, brought 500 at once, read, and told again."""

from collections.abc import Iterable, Mapping
from functools import partial

from tests.costs.scenario import CUSTOMERS, PROFILES, Ask, Town, email_of
from tests.costs.scenarios.registry import Scenarios

SCENARIOS = Scenarios()
MOST, NEW = 500, 1000


def _tell(town: Town) -> None:
    """Has the store told of somebody else, which it notes once a minute."""
    path = {"id": town.profile_of(email_of(6))}
    town.ask("consent.putEmail", Ask(town.key, {"state": "unsubscribed"}, path=path))
    town.world.deliver()


def _unsubscribing(town: Town, key: str | None = None) -> Ask:
    _tell(town)
    body = {"state": "unsubscribed", "proof": {"reference": "preference centre"}}
    return Ask(town.key, body, path={"id": town.subscriber}, key=key)


SCENARIOS.plain("consent.putEmail", _unsubscribing, "one store told")
SCENARIOS.plain(
    "consent.putEmail",
    lambda town: _unsubscribing(town, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11"),
    "one store told, with an idempotency key",
)


@SCENARIOS.of("consent.putEmail", "nothing new")
def same_consent(town: Town) -> Ask:
    return Ask(town.key, {"state": "subscribed"}, path={"id": town.subscriber})


def _history(town: Town, changes: int, profile: str) -> str:
    """A profile's consent is changed so often; the last change's id."""
    for number in range(changes):
        state = ("unsubscribed", "subscribed")[number % 2]
        body = {"state": state, "proof": {"reference": "preference centre"}}
        last = town.ask("consent.putEmail", Ask(town.key, body, path={"id": profile}))
    town.world.deliver()
    return str(last.json["id"])


@SCENARIOS.of("consent.getEmail")
def get_email(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.subscriber})


@SCENARIOS.of("consent.getSms", "nobody said anything")
def get_sms(town: Town) -> Ask:
    return Ask(town.key, path={"id": town.subscriber})


@SCENARIOS.of("consent.listChanges", "3 changes")
def list_changes(town: Town) -> Ask:
    _history(town, 2, town.subscriber)
    return Ask(town.key, path={"id": town.subscriber})


@SCENARIOS.of("consent.listChanges", "page 1 of 50 changes")
def list_many_changes(town: Town) -> Ask:
    visitor = town.profile_of(email_of(CUSTOMERS))
    _history(town, 50, visitor)
    return Ask(town.key, path={"id": visitor})


@SCENARIOS.of("consent.getChange")
def get_change(town: Town) -> Ask:
    return Ask(
        town.key, path={"id": town.subscriber, "changeId": _history(town, 1, town.subscriber)}
    )


@SCENARIOS.of("consent.retryWriteBack")
def retry_write_back(town: Town) -> Ask:
    _tell(town)
    town.outside.status = 400
    change = _history(town, 1, town.subscriber)
    town.outside.status = 204
    path = {"id": town.subscriber, "changeId": change, "storeId": town.store}
    return Ask(town.key, path=path)


def _failed(town: Town, count: int) -> None:
    """So many write-backs that the store refused, each of somebody else."""
    town.outside.status = 400
    for number in range(count):
        path = {"id": town.profile_of(email_of(number + 1))}
        town.ask("consent.putEmail", Ask(town.key, {"state": "unsubscribed"}, path=path))
    town.world.deliver()
    town.outside.status = 204


@SCENARIOS.of("writeBacks.list", "page 1 of 50")
def list_write_backs(town: Town) -> Ask:
    _history(town, 50, town.subscriber)
    return Ask(town.key)


@SCENARIOS.of("writeBacks.list", "3 that failed")
def list_failed(town: Town) -> Ask:
    _failed(town, 3)
    return Ask(town.key, query={"status": "failed"})


@SCENARIOS.of("writeBacks.retry", "3 that failed")
def retry_failed(town: Town) -> Ask:
    _failed(town, 3)
    return Ask(town.key, {"storeId": town.store})


@SCENARIOS.of("consent.putSms", "one store told")
def change_sms(town: Town) -> Ask:
    _tell(town)
    body = {"state": "subscribed", "proof": {"reference": "preference centre"}}
    return Ask(town.key, body, path={"id": town.subscriber})


def _proven(number: int) -> dict[str, object]:
    return {
        "state": "subscribed",
        "proof": {"reference": f"form {number}", "ip": "203.0.113.9", "userAgent": "Browser/1"},
        "evidence": {"text": "I want news by email.", "url": "https://shop.example.com/form"},
    }


@SCENARIOS.of("consent.putEmail", "nothing new but a proof")
def better_proof(town: Town) -> Ask:
    path = {"id": town.subscriber}
    town.ask("consent.putEmail", Ask(town.key, _proven(0), path=path))
    return Ask(town.key, _proven(1), path=path)


@SCENARIOS.of("consent.listEvidence", "page 1 of 50 statements")
def list_evidence(town: Town) -> Ask:
    path = {"id": town.profile_of(email_of(CUSTOMERS))}
    for number in range(50):
        town.ask("consent.putEmail", Ask(town.key, _proven(number), path=path))
    return Ask(town.key, path=path)


@SCENARIOS.of("consent.getSettings")
def get_settings(town: Town) -> Ask:
    return Ask(town.key)


@SCENARIOS.of("consent.putSettings")
def change_settings(town: Town) -> Ask:
    return Ask(town.owner.token, {"evidenceRetentionDays": 30})


@SCENARIOS.of("consent.openErasedEvidence", "1 statement")
def open_erased_evidence(town: Town) -> Ask:
    town.ask("consent.putSettings", change_settings(town))
    path = {"id": town.subscriber}
    address = town.ask("profiles.get", Ask(town.key, path=path)).json["email"]
    town.ask("profiles.delete", Ask(town.owner.token, path=path))
    town.world.deliver()
    return Ask(town.owner.token, {"channel": "email", "address": address})


def _link(town: Town, key: str | None = None) -> Ask:
    return Ask(town.key, {"reference": "spring sale"}, path={"id": town.subscriber}, key=key)


def _following(town: Town) -> Mapping[str, str]:
    """The path of a link, once its key is known to the container."""
    url = town.ask("unsubscribeLinks.create", _link(town)).json["url"]
    return {"token": str(url).rsplit("/", 1)[1]}


@SCENARIOS.of("unsubscribeLinks.create")
def make_link(town: Town) -> Ask:
    _following(town)
    return _link(town)


@SCENARIOS.of("unsubscribeLinks.create", "with an idempotency key")
def make_link_with_key(town: Town) -> Ask:
    _following(town)
    return _link(town, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11")


@SCENARIOS.of("unsubscribe.get")
def follow(town: Town) -> Ask:
    return Ask(path=_following(town))


@SCENARIOS.of("unsubscribe.confirm", "one store told")
def unsubscribe(town: Town) -> Ask:
    _tell(town)
    return Ask(path=_following(town), form={"List-Unsubscribe": "One-Click"})


@SCENARIOS.of("unsubscribe.confirm", "nothing new")
def unsubscribe_again(town: Town) -> Ask:
    asked = unsubscribe(town)
    town.ask("unsubscribe.confirm", asked)
    town.world.deliver()
    return asked


def _asking(town: Town, key: str | None = None) -> Ask:
    """Asks somebody of one store who has never said anything, once another one was asked."""
    form = {"proof": {"reference": "newsletter form", "ip": "203.0.113.7"}}
    path = {"id": town.profile_of(email_of(6))}
    town.ask("optInRequests.create", Ask(town.key, form, path=path))
    town.world.deliver()
    return Ask(town.key, form, path={"id": town.buyer}, key=key)


def _asked(town: Town) -> Mapping[str, str]:
    """The path of the link in the email."""
    town.ask("optInRequests.create", _asking(town))
    link = town.world.emails()[-1].links[0]
    return {"token": link.rsplit("/", 1)[1]}


SCENARIOS.plain("optInRequests.create", _asking, "one store told")
SCENARIOS.plain(
    "optInRequests.create",
    lambda town: _asking(town, "0b8f3f0e-6a5c-4c39-9d0c-2f9f3c1f7a11"),
    "one store told, with an idempotency key",
)


def _asking_simulator(town: Town, name: str) -> Ask:
    """A request to somebody at SES's mailbox simulator, which says what became of the email."""
    email = f"{name}@simulator.amazonses.com"
    made = town.ask("profiles.upsert", Ask(town.key, {"email": email}))
    town.world.deliver()
    return Ask(town.key, {"proof": {"reference": "form"}}, path={"id": str(made.json["id"])})


for _name, _case in (
    ("success", "no store, the email arrives"),
    ("bounce", "no store, the email bounces: suppressed"),
    ("complaint", "no store, reported as spam: suppressed and unsubscribed"),
):
    SCENARIOS.plain("optInRequests.create", partial(_asking_simulator, name=_name), _case)


@SCENARIOS.of("optInRequests.list", "1 request")
def list_opt_in(town: Town) -> Ask:
    town.ask("optInRequests.create", _asking(town))
    return Ask(town.key, path={"id": town.buyer})


@SCENARIOS.of("optIn.get")
def open_opt_in(town: Town) -> Ask:
    return Ask(path=_asked(town))


@SCENARIOS.of("optIn.confirm", "one store told")
def confirm_opt_in(town: Town) -> Ask:
    return Ask(path=_asked(town), form={"answer": "subscribe"})


@SCENARIOS.of("optIn.confirm", "nothing new")
def confirm_opt_in_again(town: Town) -> Ask:
    asked = confirm_opt_in(town)
    town.ask("optIn.confirm", asked)
    town.world.deliver()
    return asked


def _changes(numbers: Iterable[int]) -> dict[str, object]:
    moment = "2025-12-01T09:00:00.000Z"
    given = {"state": "subscribed", "occurredAt": moment}
    return {"changes": [{"email": email_of(number), **given} for number in numbers]}


def _import(case: str, *numbers: int) -> None:
    SCENARIOS.plain("consent.import", lambda town: Ask(town.key, _changes(numbers)), case)


_import("1 known person, no store", PROFILES - 1)
_import("1 new person", NEW)
_import("500 new people", *range(NEW, NEW + MOST))
