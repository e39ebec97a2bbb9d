"""A custom store that sends batches, and the results."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from local.events.pumps import reader_of
from local.functions import invoke
from storepost.orders.trees import OrderList
from storepost.people.profiles.lists import ProfileLists
from storepost.platform.messaging.outbox import PARTITION, Message, OutboxItem
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.stores.imports.repository import TurnsRepository
from storepost.stores.imports.turns import Turns
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World
from tests.orders.sample import eur

QUEUE = "StoreImportQueue"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
type Body = dict[str, Any]


def moment(minutes: int) -> str:
    """The moment so many minutes after `START`, as text."""
    return clock.to_text(START + timedelta(minutes=minutes))


def customer(number: int, updated: int = 0, /, **more: object) -> Body:
    """A customer of a batch, updated at that minute."""
    return {
        "externalId": f"c-{number}",
        "email": f"buyer{number}.{CANARY}@example.com",
        "firstName": f"Ann{number}",
        "externalCreatedAt": moment(-1000),
        "externalUpdatedAt": moment(updated),
        **more,
    }


def buyer(number: int) -> Body:
    """An order's buyer: the same person as the customer of that number."""
    return {"externalId": f"c-{number}", "email": f"buyer{number}.{CANARY}@example.com"}


def order(number: int, updated: int = 0, /, **more: object) -> Body:
    """An order of a batch, placed at the minute of its number, with its own buyer."""
    names = ("total", "subtotal", "totalDiscounts", "totalShipping", "totalTax", "totalRefunded")
    return {
        "externalId": f"o-{number}",
        "number": f"#{number}",
        "placedAt": moment(number),
        "updatedAt": moment(updated),
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "customer": buyer(number),
        **{name: eur(100 + number) for name in names},
        "totalRefunded": eur(0),
        "lineItems": [
            {"title": "Tea", "quantity": 1, "unitPrice": eur(100), "totalDiscount": eur(0)}
        ],
        **more,
    }


def orders(count: int, first: int = 0) -> list[Body]:
    """So many orders by `placedAt`, of as many people."""
    return [order(number) for number in range(first, first + count)]


@dataclass
class Shop:
    """A workspace's store, and its owner."""

    world: World
    owner: Someone
    workspace: WorkspaceScope
    store: str

    @property
    def store_id(self) -> UUID:
        """The store's id."""
        return UUID(self.store)

    @property
    def path(self) -> str:
        """The store's address."""
        return f"/stores/{self.store}"

    @property
    def message(self) -> str:
        """The queue's message for the store."""
        return f'{{"workspaceId":"{self.workspace.id}","storeId":"{self.store}"}}'

    def send(self, *, token: str | None = None, key: str | None = None, **body: object) -> Answer:
        """Sends a batch."""
        by = token or self.owner.token
        return self.world.call("POST", f"{self.path}/batches", token=by, json_body=body, key=key)

    def queue(self, **body: Any) -> str:
        """Sends a batch that is accepted: the import's id."""
        answer = self.send(**body)
        assert answer.status == 202, answer.body
        return str(answer.json["id"])

    def import_batch(self, **body: Any) -> Body:
        """Sends a batch and waits until its import has ended: the import."""
        queued = self.queue(**body)
        self.world.deliver()
        return self.read(queued)

    def get(self, path: str, **query: object) -> Any:
        """The answer to the owner's read."""
        answer = self.owner.call("GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def read(self, import_id: str) -> Body:
        """One import."""
        return dict(self.get(f"{self.path}/imports/{import_id}"))

    def problems(self, import_id: str, **query: object) -> list[Body]:
        """An import's problems."""
        return list(self.get(f"{self.path}/imports/{import_id}/problems", **query)["items"])

    def numbers(self) -> list[str]:
        """The numbers of the workspace's orders, the oldest first."""
        found = self.get("/orders", sort="placedAt", pageSize=100)
        assert found["total"] <= 100
        return [row["number"] for row in found["items"]]

    def do(self, method: str, path: str, body: object = None) -> Answer:
        """Sends a request of the owner about the store."""
        return self.owner.call(method, f"{self.path}{path}", body)

    def change(self, **attributes: Any) -> None:
        """Changes the store's row, as only its platform could."""
        repository, changes = StoreRepository(self.workspace), Changes()
        stored = repository.get(self.store_id)
        assert stored is not None
        repository.save(changes, replace(stored, **attributes))
        changes.commit()

    def messages(self) -> list[Message]:
        """The worker's messages in the outbox."""
        rows = [row for row in self.world.rows(PARTITION) if isinstance(row, OutboxItem)]
        assert {row.queue for row in rows} <= {"store_imports"}
        return [message for row in rows for message in row.messages]

    def disconnect(self) -> None:
        """Disconnects the store."""
        assert self.do("POST", "/disconnect").status == 200

    def connect_again(self) -> None:
        """Connects it again under its own id."""
        known = self.get(self.path)
        names = ("platform", "name", "externalId", "currency", "primaryLocale", "adminUrl")
        body = {name: known[name] for name in names}
        answer = self.owner.call("POST", "/stores", body)
        assert (answer.status, answer.json["id"]) == (200, self.store)

    def turns(self) -> Turns:
        """The stored turns of the store's imports."""
        return TurnsRepository(self.workspace).get(self.store_id)

    def run_worker(self, tries: int = 1, message: str | None = None) -> list[str]:
        """Hands the worker a message; the failed ones."""
        record = {
            "messageId": "m-1",
            "receiptHandle": "r",
            "body": message or self.message,
            "attributes": {"ApproximateReceiveCount": str(tries), "MessageGroupId": self.store},
            "messageAttributes": {},
            "md5OfBody": "",
            "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:StoreImportQueue.fifo",
            "awsRegion": "eu-central-1",
        }
        answer = invoke(reader_of(QUEUE), {"Records": [record]})
        return [failed["itemIdentifier"] for failed in answer["batchItemFailures"]]

    def check_lists(self) -> None:
        """Checks every list to which an import writes."""
        lists = ProfileLists(self.workspace)
        for tree in (
            OrderList(self.workspace).tree,
            OrderList(self.workspace, self.store_id).tree,
            lists.by_first_seen,
            lists.by_name,
            lists.by_email,
            lists.of_store(self.store_id),
        ):
            assert faults(tree) == []


def open_shop(world: World) -> Shop:
    """A new workspace with one store."""
    owner = world.person()
    workspace = world.workspace(owner)
    return Shop(world, owner, workspace, world.store(owner))
