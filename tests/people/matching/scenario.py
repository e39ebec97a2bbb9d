"""A workspace with stores whose people are created by the interface, and what it shows of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.people.consent.missed_write_backs import MissedWriteBackItem
from storepost.people.consent.owed_opt_outs import OwedOptOutItem
from storepost.people.profiles.lists import ProfileLists
from storepost.people.profiles.rows import IdentityItem, MergedProfileItem, ProfileItem
from storepost.platform.persistence.counted_tree.checking import faults
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Answer, Someone, World

ANN, BOB, CAT = (f"{name}.{CANARY}@example.com" for name in ("ann", "bob", "cat"))
PHONE, OTHER_PHONE = "+14155550123", "+14155550124"
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: float) -> str:
    """A moment so many days after the new year."""
    return clock.to_text(NEW_YEAR + timedelta(days=number))


class Scenario:
    """A workspace and its owner."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.owner: Someone = world.person()
        self.workspace: WorkspaceScope = world.workspace(self.owner)
        self.token = self.owner.token
        """Of whoever calls."""

    def store(self, name: str = "Shop") -> str:
        """A custom store of the workspace."""
        return self.world.store(self.owner, name=name)

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """Sends a request, as the owner unless another caller is given."""
        return self.world.call(method, path, token=self.token, json_body=body, **more)

    def get(self, path: str, **query: object) -> Any:
        """The answer to a read."""
        answer = self.call("GET", path, query=query)
        assert answer.status == 200, answer.body
        return answer.json

    def upsert(self, **body: object) -> dict[str, Any]:
        """A profile that was just created or updated."""
        answer = self.call("POST", "/profiles", body)
        assert answer.status in {200, 201}, answer.body
        made: dict[str, Any] = answer.json
        return made

    def customer(self, store: str, external_id: str, at: float = 0, **body: object) -> Answer:
        """Puts a customer, updated on a day."""
        moments = {"externalCreatedAt": day(at), "externalUpdatedAt": day(at)}
        return self.call("PUT", f"/stores/{store}/customers/{external_id}", {**moments, **body})

    def order(self, store: str, external_id: str, at: float = 0, **body: object) -> Answer:
        """Puts an order of 10 euros that was placed on a day; `buyer` is who bought it."""
        path, buyer = f"/stores/{store}/orders/{external_id}", body.pop("buyer", None)
        return self.call("PUT", path, {**order_body(at), "customer": buyer, **body})

    def merge(self, into: str, other: str, **more: Any) -> Answer:
        """Merges the other profile into the first."""
        return self.call("POST", f"/profiles/{into}/merge", {"profileId": other}, **more)

    def find_profile(self, **named: object) -> dict[str, Any]:
        """The one profile that the list finds, whole."""
        found = self.get("/profiles", **named)
        assert found["total"] == len(found["items"]) == 1, found
        profile: dict[str, Any] = self.get(f"/profiles/{found['items'][0]['id']}")
        assert profile["id"] == found["items"][0]["id"]
        return profile

    def consent(self, profile: str, state: str, **more: object) -> Answer:
        """Changes the consent of the address that a profile shows."""
        return self.call("PUT", f"/profiles/{profile}/consent/email", {"state": state, **more})

    def ids(self, path: str, field: str = "id", **query: object) -> list[str]:
        """The ids of a list, on its only page."""
        found = self.get(path, pageSize=100, **query)
        assert found["total"] == len(found["items"])
        return [row[field] for row in found["items"]]

    def identities(self, profile: str) -> set[tuple[str, str]]:
        """The identities of a profile."""
        rows = self.get(f"/profiles/{profile}/identities", pageSize=100)["items"]
        return {(row["type"], row["value"]) for row in rows}

    def run_merge(self, profile_id: UUID | str) -> None:
        """Runs the worker for one profile, as a message of any age would."""
        payload = {"workspaceId": str(self.workspace.id), "profileId": str(profile_id)}
        work(payload)

    def run_erasure(self, profile_id: UUID | str) -> None:
        """Runs the worker for one erased profile, as a message of any age would."""
        payload = {"workspaceId": str(self.workspace.id), "profileId": str(profile_id)}
        work(payload, "ProfileErasureQueue")

    def check_gone(self, profile_ids: list[str]) -> None:
        """No row of the workspace names these people, except opt-outs that a store is still owed.

        That a store has missed a change is kept as well, by ids alone: until the store is connected
        again, or first gets an address, as those of these histories never do.
        """
        names = [name for each in profile_ids for name in (each, short(UUID(each)))]
        for row in self.world.rows(self.workspace.key):
            if isinstance(row, OwedOptOutItem | MissedWriteBackItem):
                continue
            stored = repr((row.pk, row.sk, row.attribute_values))
            assert not [name for name in names if name in stored], stored

    def check_rows(self) -> None:
        """Checks what must hold of the rows once no worker has anything to do."""
        rows = self.world.rows(self.workspace.key)
        live = {row.id for row in rows if isinstance(row, ProfileItem)}
        assert {row.profile_id for row in rows if isinstance(row, IdentityItem)} <= live
        for row in rows:
            if isinstance(row, MergedProfileItem):
                assert row.into in live
                assert row.identities is None
                kinds = {kind_of(each.sk) for each in rows if each.pk == row.pk}
                assert kinds <= {"profile", "consent", "evidence", "opt_in"}, kinds
            if isinstance(row, ProfileItem):
                assert row.pending_sources is None
                assert not [link for link in row.links.values() if link[3]]
            of = getattr(row, "profile_id", None)
            if of is not None and kind_of(row.sk) in {"customer", "order", "claim"}:
                assert of in live
        self.check_lists()

    def check_lists(self) -> None:
        """The lists' nodes are the sums of what is below them."""
        lists = ProfileLists(self.workspace)
        assert [
            f for tree in (lists.by_first_seen, lists.by_name, lists.by_email) for f in faults(tree)
        ] == []


def work(payload: dict[str, str], queue: str = "ProfileMergeQueue") -> None:
    """Hands the worker one message."""
    record = {
        "messageId": "m",
        "receiptHandle": "handle",
        "body": json.dumps(payload),
        "attributes": {"ApproximateReceiveCount": "1"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:{queue}",
        "awsRegion": aws.REGION,
    }
    assert invoke(reader_of(queue), {"Records": [record]}) == {"batchItemFailures": []}


def kind_of(sort_key: str) -> str:
    """The kind of a row, read from its sort key."""
    return sort_key.partition("#")[0]


def order_body(at: float) -> dict[str, Any]:
    """An order of 10 euros that was placed on a day, as its body says it."""

    def eur(amount: int) -> dict[str, Any]:
        return {"amount": amount, "currency": "EUR"}

    return {
        "number": "#1",
        "placedAt": day(at),
        "updatedAt": day(at),
        "financialStatus": "paid",
        "fulfillmentStatus": "unfulfilled",
        "total": eur(1000),
        "subtotal": eur(1000),
        "totalDiscounts": eur(0),
        "totalShipping": eur(0),
        "totalTax": eur(0),
        "totalRefunded": eur(0),
        "lineItems": [],
        "discountCodes": [],
    }
