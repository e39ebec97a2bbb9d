"""SES's refusals: of a recipient, of the sender, and temporary ones."""

import time
from typing import Any
from uuid import UUID

import pytest
from botocore.exceptions import ClientError

from local.functions import handler_of
from local.template import functions
from storepost.platform.messaging import ses
from storepost.platform.messaging.email_tags import account_tags
from storepost.platform.messaging.ses import Pace
from tests.harness.world import World

UNVERIFIED = (
    "Email address is not verified. The following identities failed the check in region"
    " EU-CENTRAL-1: ann.canary@example.com"
)
TAGS = account_tags(UUID(int=7))
OURS = [
    # The sandbox, a sender that isn't verified, and a region that has neither.
    ("MessageRejected", UNVERIFIED, 400),
    ("MessageRejected", "Sending suspended for this account.", 400),
    ("MailFromDomainNotVerifiedException", "The domain isn't verified.", 400),
    ("AccountSuspendedException", "", 400),
    ("SendingPausedException", "Email sending is disabled for your account.", 400),
    ("NotFoundException", "Configuration set <x> does not exist.", 404),
    ("AccessDeniedException", "not authorized to perform `ses:SendEmail'", 403),
    ("BadRequestException", "Configuration set name is invalid.", 400),
    ("InvalidClientTokenId", "The security token is invalid.", 403),
]
RECIPIENTS = [
    "Missing final '@domain'",
    "Domain contains illegal character",
    "Domain ends with dot",
    "Local address contains control or whitespace",
    "Illegal address",
    "Invalid domain name: 'a'.",
]
FOR_NOW = [
    ("TooManyRequestsException", "Too many requests", 429),
    ("ThrottlingException", "Maximum sending rate exceeded.", 400),
    ("LimitExceededException", "Daily message quota exceeded.", 400),
    ("InternalFailure", "", 500),
]


class Ses:
    """Refuses with the error that it is given."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.refusal: ClientError | None = None

    def refuses(self, code: str, message: str, status: int) -> None:
        answer = {
            "Error": {"Code": code, "Message": message},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }
        self.refusal = ClientError(answer, "SendEmail")  # type: ignore[arg-type]

    def send_email(self, **call: Any) -> None:
        self.calls.append(call)
        if self.refusal:
            raise self.refusal


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Ses:
    """In SES's place."""
    fake = Ses()
    handler_of("EmailSenderFunction")
    monkeypatch.setattr(ses, "_ses", lambda: fake)
    return fake


def queue_email(world: World) -> None:
    """A sign-up, until its message is in the queue of emails."""
    body = {"name": "Ann", "email": "ann.canary@example.com", "password": "correct horse battery"}
    assert world.call("POST", "/auth/sign-up", json_body=body).status == 202
    world.deliver_outbox()
    assert world.queue_depth("EmailQueue") == 1


class TestRefusals:
    @pytest.mark.parametrize(("code", "message", "status"), OURS)
    def test_sender_refused_leaves_the_email_in_the_queue(
        self, world: World, refusing: Ses, code: str, message: str, status: int
    ) -> None:
        queue_email(world)
        refusing.refuses(code, message, status)
        world.deliver()
        assert len(refusing.calls) == 1
        assert world.queue_depth("EmailQueue") == 1
        with pytest.raises(ses.SenderRefused) as raised:
            ses.send_email("ann.canary@example.com", "Subject", "text", "<p>html</p>", "Shop", TAGS)
        assert str(raised.value) == code

    def test_sender_refused_is_counted_in_a_metric(
        self, refusing: Ses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counted: list[str] = []
        monkeypatch.setattr(ses, "count", counted.append)
        refusing.refuses(*OURS[0])
        with pytest.raises(ses.SenderRefused):
            ses.send_email("ann.canary@example.com", "Subject", "text", "<p>html</p>", "Shop", TAGS)
        assert counted == ["EmailsRefusedBySes"]

    @pytest.mark.parametrize("message", RECIPIENTS)
    def test_recipient_refused_deletes_the_message(
        self, world: World, refusing: Ses, message: str
    ) -> None:
        queue_email(world)
        refusing.refuses("BadRequestException", message, 400)
        world.deliver()
        assert len(refusing.calls) == 1
        assert world.queue_depth("EmailQueue") == 0

    @pytest.mark.parametrize(("code", "message", "status"), FOR_NOW)
    def test_temporary_refusal_is_retried(
        self, world: World, refusing: Ses, code: str, message: str, status: int
    ) -> None:
        queue_email(world)
        refusing.refuses(code, message, status)
        world.deliver()
        assert world.queue_depth("EmailQueue") == 1
        with pytest.raises(ClientError):
            ses.send_email("ann.canary@example.com", "Subject", "text", "<p>html</p>", "Shop", TAGS)


def test_email_is_sent_with_the_configuration_set(world: World, refusing: Ses) -> None:
    queue_email(world)
    world.deliver()
    (call,) = refusing.calls
    assert call["ConfigurationSetName"] == "EmailConfiguration"


class TestPace:
    @pytest.fixture
    def slept(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """How long each call waited; only that moves the time."""
        waits: list[float] = []
        monkeypatch.setattr(time, "sleep", waits.append)
        monkeypatch.setattr(time, "monotonic", lambda: sum(waits))
        return waits

    def test_containers_share_the_send_rate(self, slept: list[float]) -> None:
        pace = Pace(4)
        for _ in range(9):
            pace.wait()
        assert sum(slept) == 8 * ses.CONTAINERS / 4

    def test_no_rate_means_no_wait(self, slept: list[float]) -> None:
        pace = Pace(0)
        for _ in range(9):
            pace.wait()
        assert slept == []

    def test_worker_concurrency_equals_the_containers_sharing_the_rate(self) -> None:
        [sender] = [f for f in functions() if f.name == "EmailSenderFunction"]
        [source] = sender.events_of("SQS")
        assert source["ScalingConfig"] == {"MaximumConcurrency": ses.CONTAINERS}
        # At the slowest rate, the sandbox's, a whole batch ends in time.
        assert source["BatchSize"] * ses.CONTAINERS / 1 <= sender.timeout_seconds / 2
