"""A later release beside this one: whatever this one writes, the later one adds an attribute to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType

from local import aws
from storepost.platform.persistence.item import dynamodb_client

LATER = "laterRelease"
"""The attribute that this release doesn't know."""
KEPT = {"S": "kept"}


class LaterRelease:
    """Adds its attribute to each row once it is there, and sees whether it stays."""

    def __init__(self) -> None:
        """Nothing was written yet."""
        self.lost = dict[str, int]()
        """How often a row of a kind lost the attribute by a save, by kind."""
        self.kept = dict[str, int]()
        """How often it stayed."""

    @contextmanager
    def deployed(self) -> Iterator[None]:
        """Runs beside this release."""
        client: Any = dynamodb_client()
        plain = client._make_api_call

        def call(operation: str, parameters: Any) -> Any:
            places = [*_written(operation, parameters)]
            before = [(place, _kind(place), _has(place)) for place in places]
            answer = plain(operation, parameters)
            for place, kind, had in before:
                self._look_at(place, kind, had=had)
            return answer

        with mock.patch.object(client, "_make_api_call", call):
            yield

    def _look_at(self, place: "Place", kind: str | None, *, had: bool) -> None:
        after = _kind(place)
        if after is None:
            return
        if had and after == kind:
            found = self.kept if _has(place) else self.lost
            found[after] = found.get(after, 0) + 1
        _row(place).attrs[LATER] = DynamoType(KEPT)


type Place = tuple[str, str, str | None]
"""A table, and a key of it."""


def _written(operation: str, parameters: dict[str, Any]) -> Iterator[Place]:
    """The rows that a call writes, where it writes them whole or changes them."""
    match operation:
        case "TransactWriteItems":
            for each in parameters["TransactItems"]:
                for verb in each.keys() & {"Put", "Update"}:
                    yield _place(each[verb])
        case "PutItem" | "UpdateItem":
            yield _place(parameters)


def _place(write: dict[str, Any]) -> Place:
    named = write.get("Key") or write["Item"]
    if "id" in named and "pk" not in named:
        return write["TableName"], named["id"]["S"], None
    return write["TableName"], named["pk"]["S"], named["sk"]["S"]


def _row(place: Place) -> Any:
    table, first, second = place
    stored = dynamodb_backends[DEFAULT_ACCOUNT_ID][aws.REGION].tables[table].items
    row: Any = stored.get(DynamoType({"S": first}))
    if row is None or second is None:
        return row
    return row.get(DynamoType({"S": second}))


def _kind(place: Place) -> str | None:
    row = _row(place)
    if row is None:
        return None
    return str(row.attrs["kind"].value) if "kind" in row.attrs else "idempotency record"


def _has(place: Place) -> bool:
    row = _row(place)
    return row is not None and LATER in row.attrs
