"""SES's events about emails to shoppers suppress the address in that workspace only."""

import json
from datetime import datetime, timedelta
from functools import partial
from itertools import permutations
from typing import Any

import pytest

from local.aws import ses_events
from local.aws.ses_events import Event, SentEmail
from storepost.people.email_feedback import service
from storepost.people.email_feedback.repository import AddressEmailsItem
from storepost.values import clock
from storepost.values.ids import new_id
from tests.harness.crash_points import crashes
from tests.harness.engines import engine
from tests.harness.world import CANARY
from tests.people.email_feedback.ses_events import say, sent
from tests.people.matching.scenario import ANN, Scenario
from tests.people.opt_in.requested import somebody

SIMULATED = f"bounce+ann.{CANARY}@simulator.amazonses.com"


def email_of(
    scenario: Scenario, number: int = 0, at: datetime | None = None, to: str = ANN
) -> SentEmail:
    """An email that asks for an opt-in, as SES accepted it."""
    tags = {"kind": "opt_in", "id": str(new_id()), "workspace": str(scenario.workspace.id)}
    return SentEmail(
        f"email-{number}",
        to,
        "storepost@example.com",
        "EmailConfiguration",
        tags,
        at or clock.now(),
    )


def suppressions(scenario: Scenario) -> list[tuple[str, str]]:
    """Reason and source of each that holds."""
    found = scenario.get("/suppressions")["items"]
    assert all(each["address"] == ANN for each in found)
    return sorted((each["reason"], each["source"]) for each in found)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ses_events.delivery, []),
        (ses_events.bounce, [("hard_bounce", "ses")]),
        (lambda email: ses_events.bounce(email, "Permanent", "NoEmail"), [("hard_bounce", "ses")]),
        (lambda email: ses_events.bounce(email, "Transient", "MailboxFull"), []),
        (lambda email: ses_events.bounce(email, "Undetermined", "Undetermined"), []),
        (ses_events.complaint, [("complaint", "ses")]),
        (lambda email: ses_events.complaint(email, "not-spam"), []),
        (lambda email: ses_events.event(email, "Reject", {"reason": "Bad content"}), []),
    ],
)
def test_event_decides_suppression(
    scenario: Scenario, event: Any, expected: list[tuple[str, str]]
) -> None:
    ann = somebody(scenario)
    ann.request_link()
    [email] = sent(scenario.world)
    assert (email.tags["kind"], email.tags["workspace"]) == ("opt_in", str(scenario.workspace.id))
    say(scenario.world, event(email))
    assert suppressions(scenario) == expected


def test_ses_simulator_address_is_suppressed_end_to_end(scenario: Scenario) -> None:
    somebody(scenario, SIMULATED).request_link()
    [found] = scenario.get("/suppressions")["items"]
    assert (found["address"], found["reason"], found["source"]) == (SIMULATED, "hard_bounce", "ses")


def test_complaint_unsubscribes(scenario: Scenario) -> None:
    ann = somebody(scenario)
    scenario.consent(ann.id, "subscribed", proof={"reference": "a form"})
    say(scenario.world, ses_events.complaint(email_of(scenario)))
    assert ann.state == "unsubscribed"
    assert ann.changes[0]["source"] == "import"
    assert ann.changes[0]["proof"]["reference"] == "complaint"


def test_suppression_applies_to_one_workspace_only(scenario: Scenario) -> None:
    other = Scenario(scenario.world)
    for each in (scenario, other):
        somebody(each)
    say(
        scenario.world,
        ses_events.complaint(email_of(scenario)),
        ses_events.bounce(email_of(scenario)),
    )
    assert len(suppressions(scenario)) == 2
    assert suppressions(other) == []


def test_events_of_account_emails_do_not_suppress_shoppers(scenario: Scenario) -> None:
    somebody(scenario, scenario.owner.email)
    body = {"email": scenario.owner.email}
    assert scenario.world.call("POST", "/auth/password/forgot", json_body=body).status == 202
    scenario.world.deliver()
    [email] = sent(scenario.world)
    say(scenario.world, ses_events.bounce(email), ses_events.complaint(email))
    assert suppressions(scenario) == []


def test_duplicate_event_after_lift_does_not_suppress_again(scenario: Scenario) -> None:
    somebody(scenario)
    event = ses_events.bounce(email_of(scenario))
    say(scenario.world, event, event)
    [found] = scenario.get("/suppressions")["items"]
    path = f"/suppressions/{found['id']}"
    lifted = scenario.call("DELETE", path, query={"note": "The mailbox is there again."})
    assert lifted.status == 204, lifted.body
    say(scenario.world, event)
    assert suppressions(scenario) == []
    say(scenario.world, ses_events.bounce(email_of(scenario, 1)))
    assert suppressions(scenario) == [("hard_bounce", "ses")]


def returned(scenario: Scenario, number: int) -> tuple[list[Event], datetime]:
    """Events of as many emails that bounced, one a day, and when the last did."""
    first = clock.now() - timedelta(days=number)
    emails = [email_of(scenario, n, first + timedelta(days=n)) for n in range(number)]
    return [ses_events.bounce(each, "Transient") for each in emails], emails[-1].sent_at


def test_seven_transient_bounces_suppress_for_180_days(scenario: Scenario) -> None:
    somebody(scenario)
    events, last = returned(scenario, 7)
    say(scenario.world, *events[:6])
    assert suppressions(scenario) == []
    say(scenario.world, events[6])
    [found] = scenario.get("/suppressions")["items"]
    assert found["endsAt"] == clock.to_text(last + timedelta(days=180))
    scenario.world.advance(days=178)
    scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
    assert suppressions(scenario) == [("hard_bounce", "ses")]
    scenario.world.advance(days=2)
    body = {"addresses": [{"channel": "email", "address": ANN}]}
    [checked] = scenario.call("POST", "/suppressions/check", body).json["items"]
    assert checked["suppressed"] is False


def test_later_transient_bounce_does_not_lift_suppression(scenario: Scenario) -> None:
    """The seven emails are remembered for as long as their suppression lasts."""
    somebody(scenario)
    events, _ = returned(scenario, 7)
    say(scenario.world, *events)
    scenario.world.advance(days=100)
    say(scenario.world, ses_events.bounce(email_of(scenario, 90), "Transient"))
    scenario.token, _ = scenario.world.sign_in(scenario.owner.id, scenario.workspace)
    assert suppressions(scenario) == [("hard_bounce", "ses")]


def test_seven_bounces_are_stored_until_suppression_ends(scenario: Scenario) -> None:
    somebody(scenario)
    events, last = returned(scenario, 7)
    say(scenario.world, *events)
    [row] = [each for each in scenario.world.rows() if isinstance(each, AddressEmailsItem)]
    assert row.expiration is not None
    assert row.expiration > last + timedelta(days=180)


def test_order_of_late_events_does_not_change_result(scenario: Scenario) -> None:
    """Seven bounced, but one that was delivered was sent between them."""
    somebody(scenario)
    events, _ = returned(scenario, 7)
    first = clock.now() - timedelta(days=4.5)
    arrived = ses_events.delivery(email_of(scenario, 90, first))
    say(scenario.world, *events[:5])
    put_back = scenario.world.checkpoint()
    for order in permutations([events[5], events[6], arrived]):
        put_back()
        say(scenario.world, *order)
        assert suppressions(scenario) == []
    put_back()
    # A hard bounce stays, whatever the other events mean.
    say(scenario.world, events[5], events[6], ses_events.bounce(email_of(scenario, 91)), arrived)
    [found] = scenario.get("/suppressions")["items"]
    assert (found["reason"], found["endsAt"]) == ("hard_bounce", None)


def test_killed_at_any_call_and_redelivered(scenario: Scenario) -> None:
    somebody(scenario)
    events, _ = returned(scenario, 7)
    say(scenario.world, *events[:6])
    arrived = ses_events.delivery(email_of(scenario, 90, clock.now() - timedelta(days=4.5)))
    for event, expected in ((events[6], [("hard_bounce", "ses")]), (arrived, [])):
        work = partial(service.work_on, json.dumps(event))
        found = crashes(scenario.world, work)
        assert any(place.may_have_written for place in found.positions)
        scenario.world.deliver()
        done = scenario.world.checkpoint()
        for positions in found:
            work()
            scenario.world.deliver()
            assert suppressions(scenario) == expected, positions
        done()


def test_event_for_deleted_workspace_writes_nothing(scenario: Scenario) -> None:
    for row in scenario.world.rows(scenario.workspace.key):
        row.delete()
    before = engine().stored()
    say(
        scenario.world,
        ses_events.bounce(email_of(scenario)),
        ses_events.complaint(email_of(scenario, 1)),
    )
    assert engine().stored() == before


def erased_with_an_email_on_its_way(scenario: Scenario) -> SentEmail:
    """Requests an opt-in email and erases the person before SES's event about it."""
    ann = somebody(scenario)
    ann.request_link()
    [email] = sent(scenario.world)
    assert scenario.call("DELETE", f"/profiles/{ann.id}").status == 204
    scenario.world.deliver()
    return email


def checked(scenario: Scenario) -> tuple[bool, str | None]:
    """Whether the address is suppressed, and why."""
    body: dict[str, Any] = {"addresses": [{"channel": "email", "address": ANN}]}
    [found] = scenario.call("POST", "/suppressions/check", body).json["items"]
    return found["suppressed"], found["reason"]


def test_event_for_erased_person_does_not_store_address(scenario: Scenario) -> None:
    email = erased_with_an_email_on_its_way(scenario)
    say(scenario.world, ses_events.bounce(email), ses_events.complaint(email))
    rows = [row for row in scenario.world.rows() if ANN in str(row.to_dynamodb_dict())]
    assert rows == []
    assert checked(scenario) == (True, "complaint")


def test_upsert_with_erased_address_is_suppressed_by_concurrent_bounce(scenario: Scenario) -> None:
    event = json.dumps(ses_events.bounce(erased_with_an_email_on_its_way(scenario)))
    with scenario.world.meanwhile(lambda _: service.work_on(event)):
        ben = scenario.upsert(email=ANN)
    assert checked(scenario) == (True, "hard_bounce")
    scenario.consent(ben["id"], "subscribed", proof={"reference": "a form"})
    assert scenario.get("/profiles", reachable="email")["items"] == []


def test_bounce_of_erased_address_suppresses_concurrently_created_profile(
    scenario: Scenario,
) -> None:
    event = json.dumps(ses_events.bounce(erased_with_an_email_on_its_way(scenario)))
    made = list[dict[str, Any]]()
    with scenario.world.meanwhile(lambda _: made.append(scenario.upsert(email=ANN))):
        service.work_on(event)
    [ben] = made
    scenario.consent(ben["id"], "subscribed", proof={"reference": "a form"})
    assert scenario.get("/profiles", reachable="email")["items"] == []
    [shown] = scenario.get("/suppressions")["items"]
    assert shown["address"] == ANN


def test_bounce_before_erasure_worker_runs_does_not_store_address(scenario: Scenario) -> None:
    ann = somebody(scenario)
    ann.request_link()
    [email] = sent(scenario.world)
    assert scenario.call("DELETE", f"/profiles/{ann.id}").status == 204
    service.work_on(json.dumps(ses_events.bounce(email)))
    scenario.world.deliver()
    rows = [row for row in scenario.world.rows() if ANN in str(row.to_dynamodb_dict())]
    assert rows == []
    assert checked(scenario) == (True, "hard_bounce")


def test_stored_events_have_no_address_and_expire(scenario: Scenario) -> None:
    somebody(scenario)
    say(scenario.world, ses_events.delivery(email_of(scenario)))
    [row] = [each for each in scenario.world.rows() if isinstance(each, AddressEmailsItem)]
    assert ANN not in str(row.to_dynamodb_dict())
    assert row.expiration is not None
    assert row.expiration > clock.now() + timedelta(days=90)
