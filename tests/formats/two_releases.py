"""Runs a later release beside this one, on the same table and queues, chosen at random per call.

The later release is this one with five compatible changes. They are added to its writes on their
way to the table and to the queues. Its reads run this release's code, as it would know its own
changes and answer as this one does.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest import mock

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType

from local import aws, functions
from local.template import Function
from storepost.platform.messaging import outbox
from storepost.platform.persistence.item import dynamodb_client
from tests.formats.planting import FURTHER, records_of, with_further_elements
from tests.formats.raw import Raw

LATER = "laterRelease"
"""The attribute that this release doesn't know, and the field of each message."""
KEPT = {"S": "kept"}
PREFIX = "later_"
"""The beginning of values that this release doesn't know."""
NEW_VALUES = {
    ("consent_change", "source"),
    ("consent_evidence", "source"),
    ("profile_merge", "source"),
    ("suppression", "source"),
}
"""Attributes, by kind, to which the later release writes new values."""
MAX_ITEMS = 100
SEED = 8
"""With it, no list of the story is filtered by a value that the later release replaced."""

type Place = tuple[str, str, str | None]
"""A table, and a key of it."""


@dataclass
class Releases:
    """Chooses the release that runs each invocation, and counts the later one's changes."""

    is_later: bool = False
    is_over: bool = False
    """Whether the later release was rolled back, so that only this one runs."""
    runs: Counter[str] = field(default_factory=Counter)
    """The number of invocations of each function."""
    invoked: Counter[bool] = field(default_factory=Counter)
    """The number of invocations of the later release (True) and of this one."""
    planted: Counter[str] = field(default_factory=Counter)
    """The number of writes of each of the later release's changes."""
    preserved: Counter[str] = field(default_factory=Counter)
    """How often, by kind, a row kept the attribute when this release saved it."""
    lost: Counter[str] = field(default_factory=Counter)
    """How often, by kind, it lost the attribute."""
    elements_lost: Counter[str] = field(default_factory=Counter)
    """How often a record, by kind and attribute, lost its added element in such a save."""

    @contextmanager
    def deployed(self) -> Iterator[None]:
        """Runs both releases inside the block."""
        client: Any = dynamodb_client()
        plain, invoke = client._make_api_call, functions.invoke_here

        def invoke_one(function: Function, event: Any) -> Any:
            before = self.is_later
            self.is_later = not self.is_over and self._draws_later(function)
            self.invoked[self.is_later] += 1
            try:
                return invoke(function, event)
            finally:
                self.is_later = before

        def call(operation: str, parameters: Any) -> Any:
            return self._call(plain, operation, parameters)

        with (
            mock.patch.object(client, "_make_api_call", call),
            mock.patch.object(functions, "invoke_here", invoke_one),
            mock.patch.object(outbox, "body_of", self._body_of),
        ):
            yield

    def _draws_later(self, function: Function) -> bool:
        """Returns whether the later release runs this invocation of the function.

        Each function has choices of its own, so that a change of one changes no other's.
        """
        self.runs[function.name] += 1
        return Random(f"{SEED} {function.name} {self.runs[function.name]}").random() < 0.5

    def _body_of(self, payload: dict[str, object]) -> str:
        if self.is_later:
            self.planted["a field of a message"] += 1
            payload = {**payload, LATER: {"by": ["a later release"]}}
        return json.dumps(payload, separators=(",", ":"))

    def _call(self, plain: Any, operation: str, parameters: Any) -> Any:
        if self.is_later:
            answer = plain(operation, self._as_later(operation, parameters))
            for place in written(operation, parameters, {"Update"}):
                self._add_attribute(place)
            return answer
        before = [(place, row_at(place)) for place in written(operation, parameters)]
        answer = plain(operation, parameters)
        for place, row in before:
            self._compare(row, row_at(place))
        return answer

    def _as_later(self, operation: str, parameters: Any) -> Any:
        """Returns the call as the later release makes it."""
        if operation == "PutItem":
            return {**parameters, "Item": self._row_as_later(parameters["Item"])}
        if operation != "TransactWriteItems":
            return parameters
        items = [
            {"Put": {**each["Put"], "Item": self._row_as_later(each["Put"]["Item"])}}
            if "Put" in each
            else each
            for each in parameters["TransactItems"]
        ]
        return {**parameters, "TransactItems": [*items, *self._new_rows(items)][:MAX_ITEMS]}

    def _row_as_later(self, row: Raw) -> Raw:
        after = {**row, LATER: KEPT}
        self.planted["an attribute"] += 1
        if "kind" not in row:
            return after
        if records_of(row):
            after = with_further_elements(after)
            self.planted["an element"] += 1
        kind = row["kind"]["S"]
        for name in row.keys() & {name for of, name in NEW_VALUES if of == kind}:
            value = row[name]["S"]
            after[name] = {"S": PREFIX + value.removeprefix(PREFIX)}
            self.planted["a value"] += 1
        return after

    def _new_rows(self, items: list[Any]) -> Iterator[Any]:
        """Yields a row of a new kind in the workspace's own partition, beside each new store."""
        for put in (each["Put"] for each in items if "Put" in each):
            row = put["Item"]
            if row.get("kind") == {"S": "store"}:
                self.planted["a kind of row"] += 1
                new = {"pk": row["pk"], "sk": {"S": "later"}, "kind": {"S": "of_a_later_release"}}
                yield {"Put": {"TableName": put["TableName"], "Item": new}}

    def _add_attribute(self, place: Place) -> None:
        row = row_at(place)
        if row is not None:
            _stored(place).attrs[LATER] = DynamoType(KEPT)
            self.planted["an attribute"] += 1

    def _compare(self, before: Raw | None, after: Raw | None) -> None:
        """Counts what a save by this release keeps of a row that the later one wrote."""
        if before is None or after is None or LATER not in before:
            return
        kind = before.get("kind", {"S": "idempotency record"})["S"]
        if kind == after.get("kind", {"S": kind})["S"]:
            found = self.preserved if LATER in after else self.lost
            found[kind] += 1
            if LATER in after:
                self.elements_lost.update(lost_elements(before, after))


def lost_elements(before: Raw, after: Raw) -> Iterator[str]:
    """Yields the attributes with a record that still exists, but lost its added element."""
    if "kind" not in before:
        return
    attributes = records_of(after)
    for name, attribute in attributes.items():
        if name in before:
            was, now = (dict(attribute.records(json.loads(r[name]["S"]))) for r in (before, after))
            for key in was.keys() & now.keys():
                if FURTHER in was[key] and FURTHER not in now[key]:
                    yield f"{before['kind']['S']}.{name}"


def written(
    operation: str, parameters: dict[str, Any], verbs: set[str] | None = None
) -> Iterator[Place]:
    """Yields the rows that a call puts or updates."""
    match operation:
        case "TransactWriteItems":
            for each in parameters["TransactItems"]:
                for verb in each.keys() & (verbs or {"Put", "Update"}):
                    yield _place(each[verb])
        case "PutItem" | "UpdateItem":
            if not verbs or operation.removesuffix("Item") in verbs:
                yield _place(parameters)


def _place(write: dict[str, Any]) -> Place:
    named = write.get("Key") or write["Item"]
    if "id" in named and "pk" not in named:
        return write["TableName"], named["id"]["S"], None
    return write["TableName"], named["pk"]["S"], named["sk"]["S"]


def row_at(place: Place) -> Raw | None:
    """Returns the current row with that key."""
    row = _stored(place)
    return None if row is None else {name: value.to_json() for name, value in row.attrs.items()}


def _stored(place: Place) -> Any:
    table, first, second = place
    stored = dynamodb_backends[DEFAULT_ACCOUNT_ID][aws.REGION].tables[table].items
    row: Any = stored.get(DynamoType({"S": first}))
    if row is None or second is None:
        return row
    return row.get(DynamoType({"S": second}))
