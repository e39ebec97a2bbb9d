"""`make bench-webhooks`: an endpoint's delays beside one that hangs and one that refuses.

Each attempt runs the worker's own code on a table in dynoxide. The endpoints' answer times, SQS and
Lambda are simulated (`simulation/`). `EVENTS=500` makes it shorter.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from typing import Any
from unittest import mock
from uuid import UUID

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import start_other_services, tables
from benchmarks.simulation.queues import Read, Readers
from benchmarks.simulation.timeline import Timeline
from local.aws.dynoxide import VERSION
from local.template import parameter_defaults
from storepost.platform.attempts import posting
from storepost.platform.attempts.posting import TIMEOUT_SECONDS
from storepost.platform.fetching import Answer, Failure, FetchFailed
from storepost.platform.jobs.runs import Run
from storepost.platform.messaging import queues
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.changes import commit_anew
from storepost.stores.stores.signing_secrets import SealedSecrets, new_secret
from storepost.values import clock
from storepost.values.ids import new_id
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.deliveries import worker
from storepost.webhooks.deliveries.messages import DeliveryMessage, RetryMessage
from storepost.webhooks.deliveries.queueing import outgoing_deliveries
from storepost.webhooks.endpoints.model import WebhookEndpoint
from storepost.webhooks.endpoints.repository import EndpointRepository
from storepost.webhooks.events.model import WebhookEvent

EVENTS = int(os.environ.get("EVENTS", "5000"))
MAX_READERS = int(parameter_defaults()["WebhookConcurrency"])
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
OWN_SECONDS = 0.03
"""An attempt's own time: three calls of DynamoDB, and the CPU time with 256 MB."""
ANSWERS, HANGS, REFUSES, BLIPS = "answers", "hangs", "refuses", "fails once"
SECONDS = {ANSWERS: 0.1, HANGS: TIMEOUT_SECONDS, REFUSES: 0.002, BLIPS: 0.1}
"""The answer times of each kind of endpoint."""
EVENLY, AT_ONCE = "20 a second", "all at once"
PACES: Mapping[str, float] = {EVENLY: 20.0, AT_ONCE: 1e6}
CASES = ((EVENLY, ANSWERS), (AT_ONCE, ANSWERS), (EVENLY, BLIPS))
MAX_RATIO = 1.1
COLUMNS = (
    Column("events"),
    Column("endpoints"),
    Column("median", "ms"),
    Column("p95", "ms"),
    Column("longest", "ms"),
    Column("beside alone", "p95", 2, most=MAX_RATIO),
    Column("attempts", "at the others"),
)
NOTES = (
    f"{EVENTS:,} events, told to each endpoint: from the queue to one that answers in 100 ms.",
    "One hangs for the 10 s that an attempt waits, one refuses the connection. The last rows are",
    "of one that fails at one attempt: what comes meanwhile goes where later attempts go.",
    f"Simulated: {OWN_SECONDS * 1000:.0f} ms of an attempt's own, what endpoints take, SQS, and",
    f"Lambda's readers of a queue, which begin with five and become {MAX_READERS}. Left out: the",
    "stream before the queue, cold starts, other workspaces, and how fair a fair queue is: here",
    "it brings first what belongs to the endpoint with the fewest readers.",
)


@dataclass
class Integrators:
    """The endpoints: each takes its time, and answers as its URL says."""

    time: Timeline
    received: dict[str, float] = field(default_factory=dict)
    """The time at which the measured endpoint received each delivery."""
    attempts_elsewhere: int = 0
    has_failed: bool = False

    def post(self, url: str, *, headers: Mapping[str, str], **_options: object) -> Answer:
        """Replaces `fetching.post`."""
        kind = url.removeprefix("https://").partition(".")[0].replace("-", " ")
        is_first_failure = kind == BLIPS and not self.has_failed
        if kind in {ANSWERS, BLIPS} and not is_first_failure:
            self.received.setdefault(headers["webhook-id"], self.time.now)
        elif kind != BLIPS:
            self.attempts_elsewhere += 1
        self.has_failed |= is_first_failure
        self.time.wait(SECONDS[kind] + OWN_SECONDS)
        if kind == HANGS:
            raise FetchFailed(Failure.TIMED_OUT)
        if kind == REFUSES:
            raise FetchFailed(Failure.UNREACHABLE)
        return Answer(503 if is_first_failure else 204, {}, b"")


@dataclass
class Service:
    """The two queues of deliveries with their readers; it replaces SQS's client."""

    time: Timeline
    first: Readers = field(init=False)
    retries: Readers = field(init=False)

    def __post_init__(self) -> None:
        self.first = Readers(self.time, _reads(DeliveryMessage), MAX_READERS, is_fifo=True)
        self.retries = Readers(self.time, _reads(RetryMessage), MAX_READERS, is_fifo=False)

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> object:  # noqa: N803
        """Sends later attempts, as the worker does."""
        if QueueUrl != queues.address_of(Queue.WEBHOOK_RETRY):
            raise RuntimeError(QueueUrl)
        for each in Entries:
            self.retries.send(each["MessageBody"], each["MessageGroupId"], each["DelaySeconds"])
        return {}

    def publish(self, workspace: WorkspaceScope) -> dict[UUID, str]:
        """Publishes an event now; returns the id of its delivery to each endpoint."""
        event = WebhookEvent("order.created", new_id(), clock.now(), None)
        outgoing = outgoing_deliveries({None: [(workspace, event)]})[None]
        for message, _ in outgoing.messages:
            self.first.send(message.body, message.group or "")
        sent = (DeliveryMessage.of(message.body) for message, _ in outgoing.messages)
        return {each.endpoint_id: str(each.delivery_id) for each in sent}


def _reads[M: DeliveryMessage](message: type[M]) -> Read:
    return lambda body: worker.deliver(Run(message.of(body), 1, lambda: 30_000))


@contextmanager
def simulated(time: Timeline, integrators: Integrators, service: Service) -> Iterator[None]:
    """Replaces the service's clock, posts and queues by the simulation's."""
    with ExitStack() as stack:
        for place, name, value in (
            (clock, "now", lambda: clock.to_milliseconds(BEGINNING + timedelta(seconds=time.now))),
            (posting, "post", integrators.post),
            (queues, "client", lambda: service),
            (worker, "count", lambda _name: None),
        ):
            stack.enter_context(mock.patch.object(place, name, value))
        yield


def endpoint(workspace: WorkspaceScope, kind: str) -> WebhookEndpoint:
    """Creates an endpoint that behaves as its URL says."""
    repository, endpoint_id = EndpointRepository(workspace), new_id()
    made = WebhookEndpoint(
        id=endpoint_id,
        workspace=workspace,
        url=f"https://{kind.replace(' ', '-')}.example.com/",
        description=None,
        events=("*",),
        include_imports=False,
        disabled_reason=None,
        maker_id=None,
        created_at=clock.now(),
        secrets=SealedSecrets(repository.sealed(endpoint_id, new_secret())),
    )
    commit_anew(lambda changes: repository.add(changes, made))
    return made


def waits(kinds: tuple[str, ...], pace: float) -> tuple[list[float], int]:
    """Returns the seconds from queue to first endpoint, and the number of other attempts."""
    time = Timeline()
    integrators, service = Integrators(time), Service(time)
    workspace = WorkspaceScope(new_id())
    queued: dict[str, float] = {}
    with simulated(time, integrators, service):
        measured, *_ = [endpoint(workspace, kind).id for kind in kinds]

        def publish() -> None:
            queued[service.publish(workspace)[measured]] = time.now

        for number in range(EVENTS):
            time.at(number / pace, publish)
        time.run(until=lambda: len(integrators.received) == EVENTS)
    found = [at - queued[each] for each, at in integrators.received.items()]
    return found, integrators.attempts_elsewhere


def rows() -> Iterator[list[Cell]]:
    """Measures, for each case, an endpoint alone and beside the others."""
    for pace, kind in CASES:
        alone: float | None = None
        for others in ((), (HANGS, REFUSES)):
            found, attempts = waits((kind, *others), PACES[pace])
            p95 = quantiles(found, n=20)[-1]
            figures = [1000 * each for each in (median(found), p95, max(found))]
            ratio = None if alone is None else p95 / alone
            alone = alone or p95
            yield [pace, ", ".join((kind, *others)), *figures, ratio, attempts]


def main() -> None:
    """Measures and publishes."""
    table = Table("webhooks", "Webhooks", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        start_other_services()
        for cells in rows():
            table.show(*cells)
    table.publish()


if __name__ == "__main__":
    main()
