"""Claims on idempotency keys, in Powertools' own records.

Powertools' layer alone is not exactly-once: a crash after the effect makes it run again once the
lease expires, and a late first run overwrites the second run's answer. So a claim has an owner, and
its completion is written in the transaction of the effect, on the condition that the owner is still
the same.
"""

import json
import math
import zlib
from collections.abc import Mapping
from typing import Any, cast
from uuid import uuid4

from botocore.exceptions import ClientError
from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.powertools_private import hash_of_payload, id_of_record
from storepost.platform.persistence.row import IdempotencyRow
from storepost.values import clock
from storepost.values.problems import Busy, Conflict, ValidationFailed
from storepost.values.settings import settings

STORED_SECONDS = 24 * 60 * 60
_IN_PROGRESS, _COMPLETED = "INPROGRESS", "COMPLETED"
_CONFLICT = "TransactionConflictException"

type Answer = dict[str, Any]


class IdempotencyInProgress(Conflict):
    """The first call with this key is still running."""

    code = "idempotency_in_progress"
    title = "The first request is still running"
    remedy = "Repeat the request after `Retry-After` seconds; it will get the first one's answer."

    def __init__(self) -> None:
        """Asks for a retry after a second, which is longer than nearly every operation takes."""
        super().__init__(headers={"Retry-After": "1"})


class IdempotencyKeyReused(ValidationFailed):
    """The key was used for another request."""

    code = "idempotency_key_reused"
    title = "The idempotency key was used for another request"
    remedy = "Use a new `idempotency-key` for each request that isn't a retry."


class LostClaim(Exception):  # noqa: N818 - it is what happened
    """The lease expired and another run took the claim over: this run has written nothing."""


class RecordItem(IdempotencyRow):
    """Powertools' record, as PynamoDB sees it, with the claim's owner."""

    status = UnicodeAttribute()
    in_progress_expiration = NumberAttribute(null=True)
    answer = BinaryAttribute(null=True, legacy_encoding=False)
    validation = UnicodeAttribute(null=True)
    owner = UnicodeAttribute(null=True)


class OwnedClient:
    """A client of DynamoDB that adds an owner to Powertools' puts, and uses the service's clock.

    A put is retried where its response was lost. The second put is refused because of the first,
    and the error has the stored record: if its owner is the same, the put has succeeded.

    The client has no `meta`: with it, Powertools would add another handler to the shared client for
    each claim.
    """

    def __init__(self, owner: str) -> None:
        """Makes the client; `owner` identifies this run."""
        self._client = dynamodb_client()
        self._owner = owner
        self.update_item = self._client.update_item
        self.delete_item = self._client.delete_item

    def put_item(self, **request: Any) -> Any:  # noqa: ANN401 - botocore's own shapes
        """Puts the record with its owner."""
        item, values = request["Item"], request["ExpressionAttributeValues"]
        item["owner"] = {"S": self._owner}
        offset = clock.offset().total_seconds()
        for holder, name, unit in (
            (item, "expiration", 1),
            (item, "in_progress_expiration", 1000),
            (values, ":now", 1),
            (values, ":now_in_millis", 1000),
        ):
            if name in holder:
                holder[name] = {"N": str(int(holder[name]["N"]) + int(offset * unit))}
        try:
            return self._client.put_item(**request)
        except ClientError as error:
            stored: Any = error.response.get("Item", {})
            if stored.get("owner") != item["owner"] or stored.get("status") != item["status"]:
                raise
            return {}


class Claim:
    """One request's claim on its idempotency key."""

    def __init__(self, name: Mapping[str, str], request: Mapping[str, str | None]) -> None:
        """Makes a claim by its unique name; a retry must repeat `request`."""
        # It imports boto3, and most requests have no key: 27 ms.
        from aws_lambda_powertools.utilities.idempotency import (  # noqa: PLC0415
            DynamoDBPersistenceLayer,
            IdempotencyConfig,
        )

        self._owner = uuid4().hex
        self._event = {"name": dict(name), "request": dict(request)}
        self._layer = DynamoDBPersistenceLayer(
            table_name=settings().idempotency_table,
            boto3_client=cast("Any", OwnedClient(self._owner)),
            data_attr="answer",
        )
        self._layer.configure(
            IdempotencyConfig(
                event_key_jmespath="name",
                payload_validation_jmespath="request",
                expires_after_seconds=STORED_SECONDS,
                hash_function="sha256",
            ),
            "",
            key_prefix="http",
        )

    @property
    def id(self) -> str:
        """Returns the record's id: a hash, from which nothing of the request can be read."""
        return id_of_record(self._layer, self._event)

    @property
    def request_id(self) -> str:
        """Returns a hash of the request and its content, from which nothing can be read."""
        return f"{self.id}#{hash_of_payload(self._layer, self._event)}"

    def acquire(self, lease_milliseconds: int) -> Answer | None:
        """Returns the first call's answer; None for the first call, which then has the lease.

        Raises IdempotencyInProgress and IdempotencyKeyReused.
        """
        from aws_lambda_powertools.utilities.idempotency.exceptions import (  # noqa: PLC0415
            IdempotencyItemAlreadyExistsError,
            IdempotencyValidationError,
        )

        try:
            self._layer.save_inprogress(self._event, lease_milliseconds)
        except IdempotencyValidationError as error:
            raise IdempotencyKeyReused() from error
        except IdempotencyItemAlreadyExistsError as error:
            record = error.old_data_record
            if record is None or record.status == _IN_PROGRESS or not record.response_data:
                raise IdempotencyInProgress() from error
            return unpacked(cast("Any", record.response_data).value)
        except ClientError as error:
            if error.response["Error"]["Code"] != _CONFLICT:
                raise
            # The first call's transaction, which completes the record, is in progress. An earlier
            # put of this run may have succeeded though its response was lost: release that claim.
            self.release()
            raise IdempotencyInProgress() from error
        return None

    def complete(self, changes: Changes, answer: Answer) -> None:
        """Adds the answer to the transaction of the effect."""
        changes.update(
            RecordItem(self.id),
            [
                RecordItem.status.set(_COMPLETED),
                RecordItem.answer.set(_packed(answer)),
                RecordItem.expiration.set(math.floor(clock.now().timestamp()) + STORED_SECONDS),
                RecordItem.in_progress_expiration.remove(),
            ],
            (RecordItem.owner == self._owner) & (RecordItem.status == _IN_PROGRESS),
            on_conflict=LostClaim(),
        )

    def release(self) -> None:
        """Deletes the claim after an answer that isn't kept, so that a retry runs.

        If DynamoDB is too busy for that, the key is free once the lease expires.
        """
        changes = Changes()
        changes.delete(
            RecordItem(self.id),
            (RecordItem.owner == self._owner) & (RecordItem.status == _IN_PROGRESS),
            on_conflict=LostClaim(),
        )
        try:
            changes.commit()
        except (LostClaim, Busy):
            return


def _packed(answer: Answer) -> bytes:
    """Returns the answer deflated, so that most records fit into the 1 KB of a write unit.

    An answer is UTF-8. With its letters escaped, a large one in Chinese takes more than the 400 KB
    of a row.
    """
    text = json.dumps(answer, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return zlib.compress(text.encode())


def unpacked(data: bytes) -> Answer:
    """Returns the answer that a record holds."""
    return cast("Answer", json.loads(zlib.decompress(data)))
