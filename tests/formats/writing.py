"""Makes the content of a release's folder by running the story on this release."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from pynamodb.attributes import Attribute, BooleanAttribute
from pynamodb.models import Model

from storepost.platform.persistence import objects as s3
from storepost.platform.persistence.deflated import Deflated
from storepost.platform.persistence.item import (
    KIND,
    Identifier,
    UtcDateTimeAttribute,
    dynamodb_client,
)
from storepost.platform.persistence.records import Json, Record, Records
from storepost.platform.persistence.sealed_tokens import seal_token
from storepost.platform.persistence.sealing import Purpose, seal
from storepost.values.settings import settings
from tests.formats.corpus import MOMENT
from tests.formats.frozen import HERE
from tests.formats.planting import planted_story
from tests.formats.raw import Raw, kind_of
from tests.formats.recorded import as_json, object_kind
from tests.harness.world import World
from tests.platform.messaging.test_messages import SENT

_OF_A_KIND = 3


def recorded_rows() -> tuple[list[Raw], list[Raw], list[tuple[str, str]]]:
    """Returns the rows before the story's last chapter, rows of all other kinds, and objects.

    An object is a pair of its name and its content in base64.
    """
    with passing_rows() as passed, stored_objects() as found, planted_story() as story:
        standing = [as_json(row) for row in story.rows]
        kinds = story.kinds()
        for _ in story.end():
            pass
    others = [row for row in passed if kind_of(row) not in kinds]
    missing = KIND.known.keys() - kinds - {kind_of(row) for row in others}
    made = [made_up(KIND.known[kind]) for kind in sorted(missing) if is_stored(KIND.known[kind])]
    objects = [(name, b64encode(content).decode()) for name, content in sorted(found.items())]
    return standing, [as_json(row) for row in (*others, *made)], objects


@contextmanager
def stored_objects() -> Iterator[dict[str, bytes]]:
    """Collects the first S3 object of each kind that is put inside the block, by name."""
    plain, found, kinds = s3._s3, dict[str, bytes](), set[str]()

    class Client:
        """Keeps the objects that are put."""

        def __getattr__(self, name: str) -> Any:
            return getattr(plain(), name)

        def put_object(self, *, Bucket: str, Key: str, Body: Any) -> Any:  # noqa: N803 - AWS's
            content = Body if isinstance(Body, bytes) else Body.read()
            if object_kind(Key) not in kinds:
                kinds.add(object_kind(Key))
                found[Key] = content
            return plain().put_object(Bucket=Bucket, Key=Key, Body=content)

    with mock.patch.object(s3, "_s3", Client):
        yield found


def is_stored(model: type[Model]) -> bool:
    """Whether it is a row of the service and not of a test."""
    return model.__module__.startswith("storepost.")


def made_up(model: type[Model]) -> Raw:
    """Makes a row of a kind that the story never puts, such as counters and rare rows."""
    row: Any = model("a partition", "a sort key")
    for name, attribute in model.get_attributes().items():
        if name not in {"pk", "sk", "kind", "expiration"}:
            setattr(row, name, _made_up(attribute))
    made: Raw = row.serialize()
    return made


def _made_up(attribute: Attribute[Any]) -> object:
    match attribute:
        case Record():
            record = [None] * len(attribute.elements)
            return [record] if isinstance(attribute, Records) else record
        case UtcDateTimeAttribute():
            return MOMENT
        case Identifier():
            return HERE.id
        case BooleanAttribute():
            return True
        case Json() | Deflated():
            return []
    return {"S": "text", "N": 1, "B": b"binary"}[attribute.attr_type]


def answers() -> list[Raw]:
    """Returns the stored answers of a request with an idempotency key."""
    world = World()
    try:
        owner = world.person()
        made = owner.call("POST", "/workspaces", {"name": "Second"}, key="a key")
        assert made.status == 201, made.body
        found = dynamodb_client().scan(TableName=settings().idempotency_table)["Items"]
        return [as_json(row) for row in found if "answer" in row]
    finally:
        world.close()


@contextmanager
def passing_rows() -> Iterator[list[Raw]]:
    """Collects the first rows of each kind put inside the block, one per set of attributes."""
    client: Any = dynamodb_client()
    plain, seen, rows = client._make_api_call, set[tuple[str, ...]](), list[Raw]()

    def call(operation: str, parameters: Any) -> Any:
        answer = plain(operation, parameters)
        for row in _put_in(operation, parameters):
            named = (kind_of(row), *sorted(row))
            of_kind = sum(each[0] == named[0] for each in seen)
            if named not in seen and of_kind < _OF_A_KIND:
                seen.add(named)
                rows.append(row)
        return answer

    with mock.patch.object(client, "_make_api_call", call):
        yield rows


def _put_in(operation: str, parameters: Any) -> Iterator[Raw]:
    puts = [parameters] if operation == "PutItem" else []
    if operation == "TransactWriteItems":
        puts = [each["Put"] for each in parameters["TransactItems"] if "Put" in each]
    for put in puts:
        if "kind" in put["Item"]:
            yield put["Item"]


def messages() -> list[list[str | None]]:
    """Returns each message's queue, body and group."""
    return [[queue.value, body, group] for _, queue, body, group in SENT]


def sealed() -> dict[str, list[str]]:
    """Returns a sealed secret and a link's token, by purpose."""
    return {
        purpose.value: [
            seal(b"a secret", purpose, "a context"),
            seal_token(b"what a link says", HERE, purpose),
        ]
        for purpose in Purpose
    }
