"""One email, under a lease: the lease's holder recognises it though DynamoDB's answer got lost."""

import json
from typing import Any

import boto3
import pytest

from local import aws, functions
from local.events import pumps
from storepost.accounts.emails.messages import Invitation
from storepost.accounts.emails.outgoing import SealedEmail, send_email
from storepost.platform.messaging.email_tags import EmailKind, EmailTags
from storepost.platform.messaging.messages import send
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.sealing import Purpose, seal
from storepost.values.ids import new_id
from tests.accounts.emails.examples import INVITATION_LINK, WHEN
from tests.harness.call_interruption import Killed, Side, around_calls
from tests.harness.faults import FAULT, faults, lost_answer
from tests.harness.world import CANARY, World

TO = f"guest.{CANARY}@example.com"


@pytest.fixture
def event(world: World) -> dict[str, Any]:
    """The batch with one invitation."""
    changes = Changes()
    email = Invitation("Nordlicht", "Jane", "member", INVITATION_LINK, WHEN)
    send_email(changes, TO, email, EmailTags(EmailKind.INVITATION, new_id(), new_id()))
    changes.commit()
    world.deliver_outbox()
    [message] = boto3.client("sqs").receive_message(
        QueueUrl=aws.queue_url("EmailQueue"), AttributeNames=["All"]
    )["Messages"]
    return {"Records": [pumps._queue_record(dict(message), "EmailQueue")]}


def hand_over(event: dict[str, Any]) -> int:
    """How many of the batch's messages failed."""
    return len(functions.invoke(pumps.reader_of("EmailQueue"), event)["batchItemFailures"])


def test_lost_response_does_not_block_the_lease_owner(world: World, event: dict[str, Any]) -> None:
    with lost_answer("PutItem"):
        assert hand_over(event) == 0
    assert [email.to for email in world.emails()] == [TO]


def test_lease_of_killed_run_blocks_retries_until_it_expires(
    world: World, event: dict[str, Any]
) -> None:
    """The killed run may have sent the email. Its lease ends when the run's time would have."""

    def kill(_number: int, operation: str, moment: Side) -> None:
        if (operation, moment) == ("SendEmail", Side.BEFORE):
            raise Killed

    with pytest.raises(Killed), around_calls(kill):
        hand_over(event)
    with lost_answer("PutItem"):
        assert hand_over(event) == 1
    assert world.emails() == []
    world.advance(minutes=1)
    assert hand_over(event) == 0
    assert [email.to for email in world.emails()] == [TO]


def test_message_queued_by_earlier_version_is_sent_without_tags(world: World) -> None:
    content = {"to": TO, "template": "sign_in_code", "params": {"name": "Jane", "code": "123456"}}
    email_id = new_id()
    sealed = seal(json.dumps(content).encode(), Purpose.OUTGOING_EMAIL, str(email_id))
    changes = Changes()
    send(changes, SealedEmail(email_id, sealed))
    changes.commit()
    world.deliver()
    assert [(email.to, email.tags) for email in world.emails()] == [(TO, {})]


def test_throttling_while_marking_as_sent_causes_no_second_email(
    world: World, event: dict[str, Any]
) -> None:
    with faults(FAULT, "UpdateItem", 3):
        assert hand_over(event) == 0
    assert hand_over(event) == 0
    assert len(world.emails()) == 1
