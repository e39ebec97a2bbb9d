"""Private parts of Powertools' idempotency that are used nevertheless; they have a test.

A new version that changes them fails `tests/platform/test_private_interfaces.py`.
"""

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:  # it imports boto3, and most requests have no key: 27 ms
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer


def id_of_record(layer: "DynamoDBPersistenceLayer", event: dict[str, Any]) -> str:
    """Returns the id of an event's record: a hash of the part of it that names the record."""
    return cast("str", layer._get_hashed_idempotency_key(event))


def hash_of_payload(layer: "DynamoDBPersistenceLayer", event: dict[str, Any]) -> str:
    """Returns the hash by which a record detects another request with the same key."""
    return layer._get_hashed_payload(event)
