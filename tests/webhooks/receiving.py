"""A workspace with webhook endpoints, and the messages to them, without a network."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from local import aws
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.model import Resource, WebhookEvent
from tests.harness import later_attempts
from tests.harness.receiver import Received
from tests.harness.world import Answer as Response
from tests.harness.world import Someone, World

HOOK = "127.0.0.1:9778"
URL = f"http://{HOOK}/hooks?token=canary"
RETRIES = "WebhookRetryQueue"
DELIVERIES = "WebhookDeliveryQueue"


@dataclass
class Hooks:
    """A workspace with endpoints, and its owner."""

    world: World
    owner: Someone
    workspace: WorkspaceScope

    def call(self, method: str, path: str = "", **options: Any) -> Response:
        """A request of the owner's about endpoints."""
        path = f"/webhook-endpoints{path}"
        return self.owner.call(method, path, **options)

    def made(self, events: list[str] | None = None, **fields: object) -> dict[str, Any]:
        """A new endpoint with its secret."""
        answer = self.call("POST", json_body={"url": URL, "events": events or ["*"], **fields})
        assert answer.status == 201, answer.body
        return dict(answer.json)

    def endpoint(self, events: list[str] | None = None, **fields: object) -> str:
        """The id of a new endpoint."""
        return str(self.made(events, **fields)["endpoint"]["id"])

    def shown(self, endpoint: str) -> dict[str, Any]:
        """The endpoint as it is answered."""
        answer = self.call("GET", f"/{endpoint}")
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def tested(self, endpoint: str, **body: object) -> dict[str, Any]:
        """The delivery of a test that was just requested."""
        answer = self.call("POST", f"/{endpoint}/test", json_body=body or None)
        assert answer.status == 202, answer.body
        return dict(answer.json)

    def delivery(self, endpoint: str, delivery: str) -> dict[str, Any]:
        """A delivery as it is answered."""
        answer = self.call("GET", f"/{endpoint}/deliveries/{delivery}")
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def deliveries(self, endpoint: str, **query: object) -> list[dict[str, Any]]:
        """The first page of an endpoint's deliveries."""
        answer = self.call("GET", f"/{endpoint}/deliveries", query=query)
        assert answer.status == 200, answer.body
        return list(answer.json["items"])

    def event(self, type: str = "order.created", **fields: Any) -> WebhookEvent:
        """An event of now."""
        attributes = {"resource": Resource("order", new_id()), **fields}
        return WebhookEvent(type, new_id(), clock.now(), **attributes)

    def advance(self, by: timedelta) -> None:
        """Moves the time, also that of SQS's delays, and runs the schedule of later attempts."""
        later_attempts.advance(by)

    def schedule(self) -> None:
        """Runs the schedule of later attempts, and the messages that it queues."""
        later_attempts.run_due()


def is_signed_with(secret: str, sent: Received) -> bool:
    """Whether the signature is of this secret, as Standard Webhooks' own library says."""
    webhook: Any = Webhook(secret)
    # The library only knows the machine's clock, and this one may have been moved. The moment
    # returned here is the one that the library takes for the signed one.
    webhook._Webhook__verify_timestamp = lambda sent_at: datetime.fromtimestamp(int(sent_at), UTC)
    try:
        webhook.verify(sent.body.decode(), sent.headers)
    except WebhookVerificationError:
        return False
    return True


def waiting(queue: str) -> list[Any]:
    """The messages that SQS holds in a queue, delayed or not."""
    queues = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues
    return list(queues[aws.queue_url(queue).rpartition("/")[2]]._messages)
