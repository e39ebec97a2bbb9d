"""Remembers deletions, so that a repeated `DELETE` gets the same answer as the first one.

A deleted record mostly leaves nothing to find. So the deletion writes a row in its own transaction,
beside the idempotency records: a hash of the request, from which nothing can be read.
"""

import hashlib
import json
import math
from datetime import timedelta

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import dynamodb_client
from storepost.platform.persistence.row import IdempotencyRow
from storepost.values import clock

KNOWN_FOR = timedelta(days=30)
"""How long a deletion is remembered."""


class DeletionItem(IdempotencyRow):
    """A deletion that was carried out."""


def deletion_id(*request: str) -> str:
    """Returns the id of the deletion that a request asks for, derived from all its parts."""
    return "deletion#" + hashlib.sha256(json.dumps(request).encode()).hexdigest()


def keep_deletion(changes: Changes, id: str) -> None:
    """Records the deletion in its unit of work."""
    expiration = math.floor((clock.now() + KNOWN_FOR).timestamp())
    changes.save(DeletionItem(id, expiration=expiration))


def was_deleted(id: str) -> bool:
    """Returns whether the deletion was carried out within the last 30 days."""
    answer = dynamodb_client().get_item(
        TableName=DeletionItem.Meta.table_name, Key={"id": {"S": id}}, ConsistentRead=True
    )
    if "Item" not in answer:
        return False
    return bool(DeletionItem.from_raw_data(answer["Item"]).expiration > clock.now().timestamp())
