"""What SES says of emails to shoppers suppresses the address in that workspace, and no other."""

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
from tests.harness.world import CANARY, World
from tests.people.email_feedback.said import say, sent
from tests.people.matching.scenario import ANN, Town
from tests.people.opt_in.asked import somebody

SIMULATED = f"bounce+ann.{CANARY}@simulator.amazonses.com"


@pytest.fixture
def town(world: World) -> Town:
    """A workspace without stores or people."""
    return Town(world)


def email_of(town: Town, number: int = 0, at: datetime | None = None, to: str = ANN) -> SentEmail:
    """An email that asks for an opt-in, as SES took it."""
    tags = {"kind": "opt_in", "id": str(new_id()), "workspace": str(town.workspace.id)}
    return SentEmail(
        f"email-{number}",
        to,
        "storepost@example.com",
        "EmailConfiguration",
        tags,
        at or clock.now(),
    )


def suppressions(town: Town) -> list[tuple[str, str]]:
    """Reason and source of each that holds."""
    found = town.get("/suppressions")["items"]
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
def test_by_one_event(town: Town, event: Any, expected: list[tuple[str, str]]) -> None:
    ann = somebody(town)
    ann.asked()
    [email] = sent(town.world)
    assert (email.tags["kind"], email.tags["workspace"]) == ("opt_in", str(town.workspace.id))
    say(town.world, event(email))
    assert suppressions(town) == expected


def test_the_simulator_s_address_goes_all_the_way(town: Town) -> None:
    somebody(town, SIMULATED).asked()
    [found] = town.get("/suppressions")["items"]
    assert (found["address"], found["reason"], found["source"]) == (SIMULATED, "hard_bounce", "ses")


def test_a_complaint_unsubscribes(town: Town) -> None:
    ann = somebody(town)
    town.consent(ann.id, "subscribed", proof={"reference": "a form"})
    say(town.world, ses_events.complaint(email_of(town)))
    assert ann.state == "unsubscribed"
    assert ann.changes[0]["source"] == "import"
    assert ann.changes[0]["proof"]["reference"] == "complaint"


def test_it_holds_in_that_workspace_alone(town: Town) -> None:
    other = Town(town.world)
    for each in (town, other):
        somebody(each)
    say(town.world, ses_events.complaint(email_of(town)), ses_events.bounce(email_of(town)))
    assert len(suppressions(town)) == 2
    assert suppressions(other) == []


def test_an_account_s_email_says_nothing_of_shoppers(town: Town) -> None:
    somebody(town, town.owner.email)
    body = {"email": town.owner.email}
    assert town.world.call("POST", "/auth/password/forgot", json_body=body).status == 202
    town.world.deliver()
    [email] = sent(town.world)
    say(town.world, ses_events.bounce(email), ses_events.complaint(email))
    assert suppressions(town) == []


def test_an_event_that_comes_again_after_a_lift_suppresses_nobody(town: Town) -> None:
    somebody(town)
    event = ses_events.bounce(email_of(town))
    say(town.world, event, event)
    [found] = town.get("/suppressions")["items"]
    path = f"/suppressions/{found['id']}"
    lifted = town.call("DELETE", path, query={"note": "The mailbox is there again."})
    assert lifted.status == 204, lifted.body
    say(town.world, event)
    assert suppressions(town) == []
    say(town.world, ses_events.bounce(email_of(town, 1)))
    assert suppressions(town) == [("hard_bounce", "ses")]


def returned(town: Town, number: int) -> tuple[list[Event], datetime]:
    """Events of as many emails that came back, one a day, and when the last did."""
    first = clock.now() - timedelta(days=number)
    emails = [email_of(town, n, first + timedelta(days=n)) for n in range(number)]
    return [ses_events.bounce(each, "Transient") for each in emails], emails[-1].sent_at


def test_seven_in_a_row_count_as_a_hard_bounce_for_half_a_year(town: Town) -> None:
    somebody(town)
    events, last = returned(town, 7)
    say(town.world, *events[:6])
    assert suppressions(town) == []
    say(town.world, events[6])
    [found] = town.get("/suppressions")["items"]
    assert found["endsAt"] == clock.to_text(last + timedelta(days=180))
    town.world.advance(days=178)
    town.token, _ = town.world.sign_in(town.owner.id, town.workspace)
    assert suppressions(town) == [("hard_bounce", "ses")]
    town.world.advance(days=2)
    asked = {"addresses": [{"channel": "email", "address": ANN}]}
    [checked] = town.call("POST", "/suppressions/check", asked).json["items"]
    assert checked["suppressed"] is False


def test_an_email_that_comes_back_months_later_lifts_nothing(town: Town) -> None:
    """The seven are known as long as what they have brought lasts."""
    somebody(town)
    events, _ = returned(town, 7)
    say(town.world, *events)
    town.world.advance(days=100)
    say(town.world, ses_events.bounce(email_of(town, 90), "Transient"))
    town.token, _ = town.world.sign_in(town.owner.id, town.workspace)
    assert suppressions(town) == [("hard_bounce", "ses")]


def test_what_seven_have_brought_is_known_until_it_ends(town: Town) -> None:
    somebody(town)
    events, last = returned(town, 7)
    say(town.world, *events)
    [row] = [each for each in town.world.rows() if isinstance(each, AddressEmailsItem)]
    assert row.expiration is not None
    assert row.expiration > last + timedelta(days=180)


def test_any_order_of_late_events_is_one_state(town: Town) -> None:
    """Seven came back, but one that arrived was sent between them."""
    somebody(town)
    events, _ = returned(town, 7)
    first = clock.now() - timedelta(days=4.5)
    arrived = ses_events.delivery(email_of(town, 90, first))
    say(town.world, *events[:5])
    put_back = town.world.checkpoint()
    for order in permutations([events[5], events[6], arrived]):
        put_back()
        say(town.world, *order)
        assert suppressions(town) == []
    put_back()
    # A hard one, besides, stays whatever the others mean.
    say(town.world, events[5], events[6], ses_events.bounce(email_of(town, 91)), arrived)
    [found] = town.get("/suppressions")["items"]
    assert (found["reason"], found["endsAt"]) == ("hard_bounce", None)


def test_killed_anywhere_and_brought_again_it_is_as_if_it_had_never_been(town: Town) -> None:
    somebody(town)
    events, _ = returned(town, 7)
    say(town.world, *events[:6])
    arrived = ses_events.delivery(email_of(town, 90, clock.now() - timedelta(days=4.5)))
    for event, expected in ((events[6], [("hard_bounce", "ses")]), (arrived, [])):
        work = partial(service.work_on, json.dumps(event))
        found = crashes(town.world, work)
        assert any(place.may_have_written for place in found.places)
        town.world.deliver()
        done = town.world.checkpoint()
        for places in found:
            work()
            town.world.deliver()
            assert suppressions(town) == expected, places
        done()


def test_a_deleted_workspaces_event_leaves_nothing(town: Town) -> None:
    for row in town.world.rows(town.workspace.key):
        row.delete()
    before = engine().stored()
    say(town.world, ses_events.bounce(email_of(town)), ses_events.complaint(email_of(town, 1)))
    assert engine().stored() == before


def erased_with_an_email_on_its_way(town: Town) -> SentEmail:
    """Somebody is asked for an opt-in and erased before SES says what became of the email."""
    ann = somebody(town)
    ann.asked()
    [email] = sent(town.world)
    assert town.call("DELETE", f"/profiles/{ann.id}").status == 204
    town.world.deliver()
    return email


def checked(town: Town) -> tuple[bool, str | None]:
    """Whether the address is suppressed, and why."""
    asked: dict[str, Any] = {"addresses": [{"channel": "email", "address": ANN}]}
    [found] = town.call("POST", "/suppressions/check", asked).json["items"]
    return found["suppressed"], found["reason"]


def test_an_erased_persons_address_stands_nowhere(town: Town) -> None:
    email = erased_with_an_email_on_its_way(town)
    say(town.world, ses_events.bounce(email), ses_events.complaint(email))
    rows = [row for row in town.world.rows() if ANN in str(row.to_dynamodb_dict())]
    assert rows == []
    assert checked(town) == (True, "complaint")


def test_whoever_takes_an_erased_persons_address_meanwhile_knows_that_it_bounced(
    town: Town,
) -> None:
    event = json.dumps(ses_events.bounce(erased_with_an_email_on_its_way(town)))
    with town.world.meanwhile(lambda _: service.work_on(event)):
        ben = town.upsert(email=ANN)
    assert checked(town) == (True, "hard_bounce")
    town.consent(ben["id"], "subscribed", proof={"reference": "a form"})
    assert town.get("/profiles", reachable="email")["items"] == []


def test_a_bounce_knows_of_whoever_takes_an_erased_persons_address_meanwhile(town: Town) -> None:
    event = json.dumps(ses_events.bounce(erased_with_an_email_on_its_way(town)))
    made = list[dict[str, Any]]()
    with town.world.meanwhile(lambda _: made.append(town.upsert(email=ANN))):
        service.work_on(event)
    [ben] = made
    town.consent(ben["id"], "subscribed", proof={"reference": "a form"})
    assert town.get("/profiles", reachable="email")["items"] == []
    [shown] = town.get("/suppressions")["items"]
    assert shown["address"] == ANN


def test_before_the_erasure_s_worker_has_come_a_bounce_writes_the_address_nowhere(
    town: Town,
) -> None:
    ann = somebody(town)
    ann.asked()
    [email] = sent(town.world)
    assert town.call("DELETE", f"/profiles/{ann.id}").status == 204
    service.work_on(json.dumps(ses_events.bounce(email)))
    town.world.deliver()
    rows = [row for row in town.world.rows() if ANN in str(row.to_dynamodb_dict())]
    assert rows == []
    assert checked(town) == (True, "hard_bounce")


def test_what_is_kept_names_nobody_and_ends_by_itself(town: Town) -> None:
    somebody(town)
    say(town.world, ses_events.delivery(email_of(town)))
    [row] = [each for each in town.world.rows() if isinstance(each, AddressEmailsItem)]
    assert ANN not in str(row.to_dynamodb_dict())
    assert row.expiration is not None
    assert row.expiration > clock.now() + timedelta(days=90)
