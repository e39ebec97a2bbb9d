"""A workspace with a person who left traces everywhere, and the search for their traces."""

import json
from typing import Any
from uuid import UUID

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.people.profiles.keys import profile_key
from storepost.platform.messaging.outbox import OutboxItem
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.sealing import clear_key_cache
from storepost.values.settings import settings
from tests.harness.world import Answer, World
from tests.people.matching.scenario import ANN, BOB, CAT, OTHER_PHONE, PHONE, Scenario, day

TRACES = ("Annabel", "Steinmetz", "198.51.100.7", "Netscape", "form-2026", "cust-ann", "cust-cat")
"""What was said of the person beside their addresses: names, proofs, and stores' ids."""


class Place(Scenario):
    """The workspace, with one store."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.shop = self.store()

    def somebody(self) -> str:
        """A person with a row of each kind: their profile's id."""
        names: dict[str, Any] = {"firstName": "Annabel", "lastName": "Steinmetz"}
        self.customer(self.shop, "cust-ann", email=ANN, phone=PHONE, **names)
        buyer = {"externalId": "cust-ann", "email": ANN, **names}
        self.order(self.shop, "1", buyer=buyer)
        self.order(self.shop, "2", 1, buyer=buyer)
        person = str(self.find_profile(email=ANN)["id"])
        proof = {"reference": "form-2026", "ip": "198.51.100.7", "userAgent": "Netscape 4"}
        assert self.consent(person, "subscribed", proof=proof).status == 200
        other = self.upsert(email=CAT, phone=OTHER_PHONE, anonymousId="browser-ann")
        self.customer(self.store("Outlet"), "cust-cat", 2, email=CAT)
        assert self.consent(other["id"], "unsubscribed").status == 200
        assert self.merge(person, other["id"]).status == 200
        return person

    def erase(self, person: str, **more: Any) -> Answer:
        """Asks for the erasure."""
        return self.call("DELETE", f"/profiles/{person}", **more)

    def traces(self, *more: str, but_owed: bool = False) -> list[str]:
        """The attributes of both tables, and the objects, that still name the person.

        With `but_owed`, without the ids by which stores are still to be sent the person's opt-out.
        """
        words = [word.casefold() for word in (ANN, CAT, PHONE, OTHER_PHONE, *TRACES, *more)]
        words += [word.lstrip("+") for word in (PHONE, OTHER_PHONE)]
        found = [
            f"{row['pk' if 'pk' in row else 'id']} {name}"
            for row in raw_rows()
            if not (but_owed and row.get("kind") == {"S": "owed_refusal"})
            for name, value in row.items()
            if any(word in json.dumps(value, default=str).casefold() for word in words)
        ]
        objects = self.world.objects().items()
        return found + [
            name
            for name, content in objects
            if any(w in content.decode().casefold() for w in words)
        ]

    def work(self, person: UUID | str) -> None:
        """Runs the worker for one profile in a new container, as a message of any age would."""
        clear_key_cache()
        message = {"workspaceId": str(self.workspace.id), "profileId": str(person)}
        record = {
            "messageId": "m",
            "receiptHandle": "handle",
            "body": json.dumps(message),
            "attributes": {"ApproximateReceiveCount": "1"},
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:ProfileErasureQueue",
            "awsRegion": aws.REGION,
        }
        answer = invoke(reader_of("ProfileErasureQueue"), {"Records": [record]})
        assert answer == {"batchItemFailures": []}

    def partition_of(self, person: str) -> list[Any]:
        """The rows of a profile's own partition."""
        return self.world.rows(profile_key(self.workspace, UUID(person))[0])

    def messages(self) -> list[dict[str, str]]:
        """The worker's messages in the outbox."""
        rows = [row for row in OutboxItem.scan() if isinstance(row, OutboxItem)]
        return [
            json.loads(message.body)
            for row in rows
            if row.queue == "profile_erasures"
            for message in row.messages
        ]


def raw_rows() -> list[dict[str, Any]]:
    """Every row of both tables, as DynamoDB has them."""
    client, rows = dynamodb_client(), list[dict[str, Any]]()
    for table in (settings().table, settings().idempotency_table):
        for page in client.get_paginator("scan").paginate(TableName=table):
            rows += page["Items"]
    return rows


__all__ = ["ANN", "BOB", "CAT", "OTHER_PHONE", "PHONE", "Place", "day", "raw_rows"]
