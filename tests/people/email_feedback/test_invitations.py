"""SES's events about an invitation's emails: the workspace sees an undeliverable one."""

import json
from itertools import permutations
from typing import Any

import pytest

from local import aws
from local.aws import ses_events
from local.aws.ses_events import SentEmail
from local.events import pumps
from tests.accounts.invitations.test_invitations import invited
from tests.harness.engines import engine
from tests.harness.world import Someone, World
from tests.people.email_feedback.ses_events import say, sent


@pytest.fixture
def owner(world: World) -> Someone:
    """The owner of a workspace."""
    person = world.person("Olive Owner")
    world.workspace(person, "Olive's Shop")
    return person


def is_undeliverable(by: Someone, invitation: dict[str, Any]) -> bool:
    """What the workspace sees in the list and in the invitation itself."""
    [listed] = by.call("GET", "/invitations").json["items"]
    alone = by.call("GET", f"/invitations/{invitation['id']}").json
    assert listed == alone
    return bool(alone["undeliverable"])


def send_two(world: World, by: Someone) -> tuple[dict[str, Any], SentEmail, SentEmail]:
    """An invitation that was sent, and sent again an hour later."""
    invitation = invited(by)
    world.deliver()
    world.advance(hours=1)
    assert by.call("POST", f"/invitations/{invitation['id']}/resend").status == 204
    world.deliver()
    one, two = sent(world)
    return invitation, one, two


def test_invitation_without_event_is_not_undeliverable(world: World, owner: Someone) -> None:
    invitation = invited(owner)
    world.deliver()
    assert is_undeliverable(owner, invitation) is False


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ses_events.delivery, False),
        (ses_events.bounce, True),
        (lambda email: ses_events.bounce(email, "Permanent", "NoEmail"), True),
        (lambda email: ses_events.bounce(email, "Permanent", "OnAccountSuppressionList"), True),
        (lambda email: ses_events.bounce(email, "Undetermined", "Undetermined"), True),
        (lambda email: ses_events.bounce(email, "Transient", "MailboxFull"), True),
        (ses_events.complaint, True),
        (lambda email: ses_events.complaint(email, "not-spam"), False),
        (lambda email: ses_events.complaint(email, "auth-failure"), False),
        (
            lambda email: ses_events.event(
                email,
                "DeliveryDelay",
                {"delayType": "MailboxFull", "delayedRecipients": [{"emailAddress": email.to}]},
            ),
            False,
        ),
        (lambda email: ses_events.event(email, "Reject", {"reason": "Bad content"}), False),
    ],
)
def test_event_decides_whether_invitation_is_undeliverable(
    world: World, owner: Someone, event: Any, expected: bool
) -> None:
    invitation = invited(owner)
    world.deliver()
    [email] = sent(world)
    assert email.tags["kind"] == "invitation"
    say(world, event(email))
    assert is_undeliverable(owner, invitation) is expected


def test_automatic_reply_counts_as_delivery_in_either_order(world: World, owner: Someone) -> None:
    invitation = invited(owner)
    world.deliver()
    [email] = sent(world)
    answer, delivery = ses_events.bounce(email, "Transient"), ses_events.delivery(email)
    put_back = world.checkpoint()
    for order in permutations([answer, delivery]):
        put_back()
        say(world, *order)
        assert is_undeliverable(owner, invitation) is False


def test_newest_email_decides_in_any_event_order_with_duplicates(
    world: World, owner: Someone
) -> None:
    invitation, one, two = send_two(world, owner)
    refused, delivered = ses_events.bounce(one), ses_events.delivery(two)
    put_back = world.checkpoint()
    for order in permutations([refused, refused, delivered, delivered]):
        put_back()
        say(world, *order)
        assert is_undeliverable(owner, invitation) is False
    put_back()
    say(world, ses_events.delivery(one), ses_events.bounce(two), ses_events.delivery(one))
    assert is_undeliverable(owner, invitation) is True


def test_invitation_is_undeliverable_until_resent_email_is_delivered(
    world: World, owner: Someone
) -> None:
    invitation = invited(owner)
    world.deliver()
    say(world, *map(ses_events.bounce, sent(world)))
    world.advance(hours=1)
    assert owner.call("POST", f"/invitations/{invitation['id']}/resend").status == 204
    world.deliver()
    assert is_undeliverable(owner, invitation) is True
    say(world, ses_events.delivery(sent(world)[-1]))
    assert is_undeliverable(owner, invitation) is False


def test_event_before_email_is_marked_as_sent(world: World, owner: Someone) -> None:
    """SES's simulator sends the event while the sender still waits for SES's answer."""
    invitation = invited(owner, "bounce+guest.canary@simulator.amazonses.com")
    world.deliver()
    assert [email.events for email in world.emails()] == [["Bounce Permanent General"]]
    assert is_undeliverable(owner, invitation) is True


def test_event_for_deleted_invitation_or_workspace_is_ignored(world: World, owner: Someone) -> None:
    invitation = invited(owner)
    world.deliver()
    [email] = sent(world)
    path = f"/invitations/{invitation['id']}"
    assert owner.call("DELETE", path).status == 204
    say(world, ses_events.bounce(email))
    assert world.call("GET", f"{path}/preview").json["status"] == "canceled"
    for row in world.rows("w#"):
        row.delete()
    before = engine().stored()
    say(world, ses_events.bounce(email))
    assert engine().stored() == before
    assert world.queue_depth("SesFeedbackQueue") == 0


def test_event_of_other_configuration_set_is_ignored(world: World, owner: Someone) -> None:
    invitation = invited(owner)
    world.deliver()
    [email] = sent(world)
    event = ses_events.bounce(email)
    event["detail"]["mail"]["tags"]["ses:configuration-set"] = ["another"]
    say(world, event)
    assert is_undeliverable(owner, invitation) is False


def test_malformed_messages_go_to_dead_letter_queue(world: World) -> None:
    client = aws.client("sqs")
    for body in ("{}", "[]", "no JSON", json.dumps({"detail": {"mail": {}}})):
        client.send_message(QueueUrl=aws.queue_url("SesFeedbackQueue"), MessageBody=body)
    for _ in range(8):
        while pumps.pump_queue("SesFeedbackQueue", 0):
            pass
        world.advance(minutes=20)
    assert world.queue_depth("SesFeedbackDeadLetters") == 4
