"""A workspace with stores and customers, written as rows; a store that listens."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

from local import aws
from local.events.pumps import reader_of
from local.functions import invoke
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_index import IndexedChangeItem
from storepost.people.consent.write_back_relay import outgoing_of_change
from storepost.people.customers.model import Customer
from storepost.people.customers.repository import CustomerRepository
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.messaging.outbox import PARTITION, OutboxItem, Queue
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.ids import derived_id, new_id
from storepost.values.scope import WorkspaceScope
from tests.harness.world import CANARY, Someone, World

EMAIL = f"erika.{CANARY}@example.com"
PHONE = "+436601234567"
HOOK = "127.0.0.1:9777"
URL = f"http://{HOOK}/consent"


@dataclass
class Shop:
    """A workspace, its owner, and its people."""

    world: World
    owner: Someone
    workspace: WorkspaceScope

    def store(self, *, listens: bool = True) -> UUID:
        """A custom store, with an address for write-backs if it listens."""
        store_id = self.world.store(self.owner)
        if listens:
            self.secret(store_id)
        return UUID(store_id)

    def secret(self, store_id: UUID | str) -> str:
        """The signing secret of a store whose address is set for the first time."""
        answer = self.owner.call("PUT", f"/stores/{store_id}/write-back", {"url": URL})
        assert answer.status == 200, answer.body
        return str(answer.json["secret"])

    def person(
        self, *stores: UUID, email: str | None = EMAIL, phone: str | None = PHONE
    ) -> Profile:
        """Somebody with an email address and a phone, a customer of each of the stores."""
        now = clock.now()
        profile = Profile(uuid4(), self.workspace, now, now, email=email, phone=phone)
        for store_id in stores:
            customer = Identity(IdentityType.PLATFORM_CUSTOMER_ID, f"c-{CANARY}", store_id)
            profile = profile.identified({customer: (now,)})
            profile = profile.linked(store_id, customers=1)
        self.save(None, profile)
        for store_id in stores:
            self.customer(profile, store_id)
        return self.profile(profile.id)

    def known_to(self, person: Profile, store_id: UUID) -> Profile:
        """Makes the person a customer of one more store."""
        before = self.profile(person.id)
        customer = Identity(IdentityType.PLATFORM_CUSTOMER_ID, f"c-{CANARY}", store_id)
        after = before.identified({customer: (clock.now(),)})
        self.save(before, after.linked(store_id, customers=1))
        self.customer(after, store_id)
        return self.profile(before.id)

    def save(self, before: Profile | None, after: Profile) -> None:
        """Writes the person."""
        changes = Changes()
        ProfileRepository(self.workspace).save(changes, before, after)
        changes.commit()

    def profile(self, profile_id: UUID) -> Profile:
        """The person as stored."""
        profile = ProfileRepository(self.workspace).get(profile_id)
        assert profile is not None
        return profile

    def customer(self, profile: Profile, store_id: UUID, **overrides: Any) -> Customer:
        """The person's customer in a store, written with these values in the stored ones' place."""
        repository, external_id = CustomerRepository(self.workspace), f"c-{CANARY}"
        now = clock.now()
        customer = repository.get(store_id, external_id) or Customer(
            id=derived_id(store_id, "customer", external_id),
            store_id=store_id,
            external_id=external_id,
            profile_id=profile.id,
            admin_url="https://admin.example.com/",
            first_name=None,
            last_name=None,
            email=profile.email,
            phone=profile.phone,
            locale=None,
            email_consent=ConsentState.NOT_SUBSCRIBED,
            sms_consent=ConsentState.NOT_SUBSCRIBED,
            external_created_at=now,
            external_updated_at=now,
            deleted_at=None,
        )
        customer = replace(customer, profile_id=profile.id, **overrides)
        changes = Changes()
        repository.save(changes, customer)
        changes.commit()
        return customer

    def store_consent(self, store_id: UUID) -> ConsentState:
        """The state that counts as given by a store for the person's email."""
        customer = CustomerRepository(self.workspace).get(store_id, f"c-{CANARY}")
        assert customer is not None
        return customer.email_consent

    def change(
        self, profile: Profile, state: str, *, channel: str = "email", **body: object
    ) -> dict[str, Any]:
        """The answer to a change of the person's consent."""
        answer = self.owner.call(
            "PUT", f"/profiles/{profile.id}/consent/{channel}", {"state": state, **body}
        )
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def read(self, profile: Profile, change: Mapping[str, Any]) -> dict[str, Any]:
        """A change as it is now."""
        answer = self.owner.call("GET", f"/profiles/{profile.id}/consent/{change['id']}")
        assert answer.status == 200, answer.body
        return dict(answer.json)

    def outcome(self, profile: Profile, change: Mapping[str, Any], store_id: UUID) -> str:
        """The outcome of a write-back to a store: the status, or why it was skipped."""
        for each in self.read(profile, change)["writeBacks"]:
            if each["store"]["id"] == str(store_id):
                return str(each["skipReason"] or each["status"])
        raise LookupError(store_id)

    def queued(self) -> list[dict[str, str]]:
        """The messages of write-backs that the relay has yet to send, oldest first."""
        rows = [row for row in self.world.rows(PARTITION) if isinstance(row, OutboxItem)]
        rows.sort(key=lambda row: row.sk)
        rows_due = [row for row in rows if row.queue == Queue.WRITE_BACKS and row.is_due]
        begun_again = [(row.sk, message.body) for row in rows_due for message in row.messages]
        new = [
            (clock.to_text(row.recorded_at), message.body)
            for row in self.world.waiting_in_stream()
            if isinstance(row, IndexedChangeItem)
            for message, _ in outgoing_of_change(row).messages
        ]
        return [json.loads(body) for _, body in sorted([*begun_again, *new])]


def open_shop(world: World) -> Shop:
    """A new workspace."""
    owner = world.person()
    return Shop(world, owner, world.workspace(owner))


def hand_over(message: Mapping[str, Any], tries: int = 1) -> bool:
    """Hands the worker a message as the queue's n-th try; whether the worker is done with it."""
    record = {
        "messageId": str(new_id()),
        "receiptHandle": "handle",
        "body": json.dumps(message),
        "attributes": {"ApproximateReceiveCount": str(tries), "MessageGroupId": "group"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{aws.REGION}:123456789012:WriteBackQueue.fifo",
        "awsRegion": aws.REGION,
    }
    answer = invoke(reader_of("WriteBackQueue"), {"Records": [record]})
    failures = answer["batchItemFailures"]
    assert failures in ([], [{"itemIdentifier": record["messageId"]}])
    return not failures
