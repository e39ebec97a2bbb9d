"""A store that sends batches of orders, and completes each import."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data import large_shop
from local import aws, gateway
from local.events import pumps
from storepost.platform.messaging.outbox import SHARDS, due
from storepost.platform.messaging.relay import relay
from storepost.values import clock

QUEUE = "StoreImportQueue"
BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Shop:
    """A new workspace's store."""

    key: str
    store: str

    def call(self, path: str, body: object) -> Any:  # noqa: ANN401 - JSON
        """Sends a POST; returns its answer."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        sent = json.dumps(body).encode()
        answer = gateway.handle(
            gateway.http_event("POST", f"/v1{path}", headers=headers, body=sent)
        )
        if answer.status >= 400:
            raise RuntimeError(answer.body.decode())
        return json.loads(answer.body)

    def import_orders(self, orders: list[dict[str, Any]]) -> None:
        """Sends a batch and runs its import to the end."""
        self.call(f"/stores/{self.store}/batches", {"orders": orders})
        for shard in range(SHARDS):
            for row in due(shard, clock.now() + timedelta(seconds=1)):
                relay(row)
        while pumps.pump_queue(QUEUE):
            pass


def open_shop(name: str) -> Shop:
    """Creates a workspace of that name, with a key and a store."""
    opened = large_shop.shop(name)
    return Shop(large_shop.open_shop(opened), str(opened.stores[0]))


def order(number: int, buyer: int | None) -> dict[str, Any]:
    """Returns an order of two lines, a minute after the previous one."""
    at = clock.to_text(BEGINNING + timedelta(minutes=number))
    names = ("total", "subtotal", "totalDiscounts", "totalShipping", "totalTax", "totalRefunded")
    line = {"quantity": 1, "unitPrice": _eur(4990), "totalDiscount": _eur(0)}
    return {
        "externalId": f"order-{number}",
        "number": f"#{1000 + number}",
        "placedAt": at,
        "updatedAt": at,
        "financialStatus": "paid",
        "fulfillmentStatus": "fulfilled" if number % 7 else "unfulfilled",
        "locale": "de-AT",
        **dict.fromkeys(names, _eur(9980)),
        "lineItems": [{**line, "title": title, "sku": title.upper()} for title in ("Tea", "Cup")],
        **({} if buyer is None else {"customer": person(buyer)}),
    }


def person(number: int) -> dict[str, str]:
    """Returns a buyer; names are in no order."""
    mixed = number * 2_654_435_761 % 2**32
    return {
        "externalId": f"customer-{number}",
        "email": f"{mixed:08x}@example.com",
        "phone": f"+4366{10_000_000 + number}",
        "firstName": f"Ann{mixed % 977}",
        "lastName": f"Lind{mixed % 7919}",
    }


def _eur(amount: int) -> dict[str, object]:
    return {"amount": amount, "currency": "EUR"}


def delete_objects() -> None:
    """Deletes S3's objects, which moto keeps in this process, so as the worker's memory."""
    s3 = aws.client("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        for stored in s3.list_objects_v2(Bucket=bucket["Name"]).get("Contents", []):
            s3.delete_object(Bucket=bucket["Name"], Key=stored["Key"])
