"""Checks the signatures of the pretend store's write-backs, as a real store would."""

import base64
import hashlib
import hmac
from collections.abc import Iterable
from uuid import UUID

from local.aws import client
from local.pretend_store import Received

SIGNED = "The signature is right."
WRONG = "The signature is wrong: another secret made it, or the body was changed."
UNSIGNED = "It isn't signed."
NO_STORE = "No store has this write-back's id and an address for write-backs."
_PREFIX = "whsec_"


class Signatures:
    """Checks each write-back once, with the secrets of that time, as old secrets expire."""

    def __init__(self) -> None:
        """Begins with no checked write-back."""
        self._checked: dict[int, str] = {}

    def check(self, number: int, received: Received) -> str:
        """Returns the text about the write-back, the `number`th that the store received."""
        if number not in self._checked:
            self._checked[number] = _check(received)
        return self._checked[number]


def _check(received: Received) -> str:
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    message_id, timestamp, signatures = (received.headers.get(name, "") for name in names)
    if not (message_id and timestamp and signatures):
        return UNSIGNED
    secrets = list(_secrets_of(message_id.rpartition(".")[2]))
    if not secrets:
        return NO_STORE
    signed = f"{message_id}.{timestamp}.{received.body}".encode()
    right = {_signature(secret, signed) for secret in secrets}
    return SIGNED if right & set(signatures.split()) else WRONG


def _signature(secret: str, signed: bytes) -> str:
    """Signs as Standard Webhooks says, without the service's code, as this checks that code."""
    key = base64.b64decode(secret.removeprefix(_PREFIX))
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def _secrets_of(store: str) -> Iterable[str]:
    """Returns the secrets that sign the store's write-backs now, in whichever workspace it is."""
    # The service reads its environment when it is imported.
    from storepost.platform.persistence.item import Item  # noqa: PLC0415
    from storepost.stores.stores.write_back import (  # noqa: PLC0415
        WriteBackRepository,
        write_back_key,
    )
    from storepost.values.scope import WorkspaceScope  # noqa: PLC0415

    try:
        store_id = UUID(store)
    except ValueError:
        return ()
    # The sort key is the same in each workspace.
    _, place = write_back_key(WorkspaceScope(store_id), store_id)
    pages = (
        client("dynamodb")
        .get_paginator("scan")
        .paginate(
            TableName=Item.Meta.table_name,
            FilterExpression="sk = :place",
            ExpressionAttributeValues={":place": {"S": place}},
            ProjectionExpression="pk",
        )
    )
    for row in (row for page in pages for row in page["Items"]):
        config = WriteBackRepository(WorkspaceScope.of(row["pk"]["S"])).get(store_id)
        if config:
            return config.secrets
    return ()
