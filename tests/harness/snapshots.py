"""Snapshots of all of AWS, taken without a call, to compare and to restore them."""

import pickle
from collections.abc import MutableMapping, MutableSequence, Sequence
from dataclasses import dataclass, replace
from typing import Any

import boto3
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.sqs.models import sqs_backends

from local import aws
from local.aws import mail
from storepost.values import clock
from tests.harness.engines import StoredTables, engine
from tests.harness.world import BUCKET, World

type Outside = MutableMapping[Any, Any] | MutableSequence[Any]
"""The state of a pretend service outside AWS, changed in place."""


@dataclass(frozen=True)
class Snapshot:
    """Tables, streams, queues, objects, emails, time, and the state outside AWS."""

    tables: StoredTables
    queues: bytes
    objects: tuple[tuple[str, bytes], ...]
    emails: tuple[Any, ...]
    clock_offset: Any
    outside: tuple[bytes, ...]

    @classmethod
    def of_now(cls, outside: Sequence[Outside] = ()) -> "Snapshot":
        """Returns a snapshot of the current state."""
        return cls(
            engine().stored(),
            pickle.dumps({name: _messages(queue) for name, queue in _queues().items()}),
            tuple((name, key.value) for name, key in _objects().items()),
            tuple(mail.ses().sent_messages),
            clock.offset(),
            tuple(pickle.dumps(each) for each in outside),
        )

    def with_outside(self, outside: Sequence[Outside]) -> "Snapshot":
        """Returns the same snapshot of AWS, with the current time and state outside AWS."""
        pickled = tuple(pickle.dumps(each) for each in outside)
        return replace(self, clock_offset=clock.offset(), outside=pickled)

    def restore(self, world: World, outside: Sequence[Outside] = ()) -> None:
        """Restores it; `outside` are the objects that it was taken of."""
        world.close()
        clock.advance(self.clock_offset)
        engine().put_back(self.tables, streams=True)
        for name, messages in pickle.loads(self.queues).items():
            queue = _queues()[name]
            queue._messages, queue._pending_messages, queue.deleted_messages = messages
        for name, content in self.objects:
            boto3.client("s3").put_object(Bucket=BUCKET, Key=name, Body=content)
        mail.ses().sent_messages[:] = self.emails
        for each, pickled in zip(outside, self.outside, strict=True):
            each.clear()
            if isinstance(each, MutableMapping):
                each.update(pickle.loads(pickled))
            else:
                each.extend(pickle.loads(pickled))


def _queues() -> dict[str, Any]:
    queues: dict[str, Any] = sqs_backends[DEFAULT_ACCOUNT_ID][aws.REGION].queues
    return queues


def _messages(queue: Any) -> tuple[Any, ...]:
    return queue._messages, queue._pending_messages, queue.deleted_messages


def _objects() -> dict[str, Any]:
    keys: dict[str, Any] = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys
    return keys
