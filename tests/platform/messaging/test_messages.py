"""Messages in queues: sent ones stay the same byte for byte, and are read leniently.

Earlier versions of the service read what newer ones send, and the other way round; so the messages
below are a promise, not a copy of what the code does.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unittest import mock
from uuid import UUID

import pytest

from storepost.accounts.emails.outgoing import SealedEmail
from storepost.accounts.me.messages import AccountErasureMessage
from storepost.catalog.products.jobs import Job, JobKind
from storepost.coupons.messages import CouponMessage
from storepost.feeds.feeds.messages import FeedImportMessage
from storepost.lifecycle.erasures.messages import ProfileErasureMessage
from storepost.lifecycle.workspaces.messages import WorkspaceDeletionMessage
from storepost.orders.messages import ProductSalesMessage
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.platform.attempts.forwarding import ForwardMessage
from storepost.platform.messaging.messages import QueueMessage, send
from storepost.platform.messaging.outbox import OutboxItem, Queue
from storepost.platform.migrations.messages import MigrationMessage
from storepost.platform.persistence.changes import Changes
from storepost.stores.imports.messages import StoreImportMessage
from storepost.sync.webhooks import messages as webhook_messages
from storepost.sync.webhooks.messages import MAX_INLINE_BYTES, ResumePoint, Webhook
from storepost.webhooks.deliveries.messages import (
    DeliveryMessage,
    EndpointCheckMessage,
    ReplayMessage,
    RetryMessage,
)

A, B, C = (UUID(f"0192f0a0-0000-7000-8000-00000000000{n}") for n in (1, 2, 3))
WORKSPACE = '{"workspaceId":"0192f0a0-0000-7000-8000-000000000001"'
AT = "2026-01-02T03:04:05.000Z"
WEBHOOK = Webhook(
    "x.myshopify.com", "orders/create", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), b'{"id":5}'
)
HEAD = '{"shop":"x.myshopify.com","topic":"orders/create","triggeredAt":"2026-01-02T03:04:05.000Z",'
BODY = '"body":"{\\"id\\":5}"}'
OF_THE_ORDER = "be77d35a7b5aebcee107ad3974ce97bcff400afff839560ac4fc711e9f7047af"
"""SHA-256 of the shop, `orders` and 5 with U+001F between them."""

SENT: list[tuple[QueueMessage, Queue, str, str | None]] = [
    (
        AccountErasureMessage(A),
        Queue.ACCOUNT_ERASURES,
        '{"personId":"0192f0a0-0000-7000-8000-000000000001"}',
        None,
    ),
    (
        StoreImportMessage(A, B),
        Queue.STORE_IMPORTS,
        f'{WORKSPACE},"storeId":"{B}"}}',
        str(B),
    ),
    (FeedImportMessage(A, B), Queue.FEED_IMPORTS, f'{WORKSPACE},"feedId":"{B}"}}', str(B)),
    (CouponMessage(A, B), Queue.COUPON_CODES, f'{WORKSPACE},"couponId":"{B}"}}', str(B)),
    (
        CouponMessage(A, B, "Not now."),
        Queue.COUPON_CODES,
        f'{WORKSPACE},"couponId":"{B}","failing":"Not now."}}',
        str(B),
    ),
    (
        Job(JobKind.NAMES, A, B, C),
        Queue.PRODUCT_JOBS,
        f'{{"job":"names","workspaceId":"{A}","storeId":"{B}","id":"{C}"}}',
        None,
    ),
    (
        Job(JobKind.PRIORITY_CHANGE, A, B, C),
        Queue.PRODUCT_JOBS,
        f'{{"job":"priority_change","workspaceId":"{A}","storeId":"{B}","id":"{C}"}}',
        None,
    ),
    (
        Job(JobKind.TERMS, A, B, B, "2026-03-14T12:00:00.000Z", "a key", is_at_removed=True),
        Queue.PRODUCT_JOBS,
        f'{{"job":"terms","workspaceId":"{A}","storeId":"{B}","id":"{B}"'
        ',"until":"2026-03-14T12:00:00.000Z","after":"a key","isAtRemoved":true}',
        None,
    ),
    (ProfileMergeMessage(A, B), Queue.PROFILE_MERGES, f'{WORKSPACE},"profileId":"{B}"}}', None),
    (
        ProfileErasureMessage(A, B),
        Queue.PROFILE_ERASURES,
        f'{WORKSPACE},"profileId":"{B}"}}',
        None,
    ),
    (WorkspaceDeletionMessage(A), Queue.WORKSPACE_DELETIONS, f"{WORKSPACE}}}", None),
    (
        MigrationMessage(A, "rebuild-search", 3),
        Queue.MIGRATIONS,
        f'{WORKSPACE},"name":"rebuild-search","run":3}}',
        None,
    ),
    (ProductSalesMessage(A, B), Queue.PRODUCT_SALES, f'{WORKSPACE},"orderId":"{B}"}}', None),
    (
        ProductSalesMessage(A, B, str(C)),
        Queue.PRODUCT_SALES,
        f'{WORKSPACE},"orderId":"{B}","storeId":"{C}"}}',
        None,
    ),
    (SealedEmail(B, "sealed"), Queue.EMAILS, f'{{"id":"{B}","sealed":"sealed"}}', None),
    (
        DeliveryMessage(A, B, C, 2),
        Queue.WEBHOOK_DELIVERY,
        f'{WORKSPACE},"endpointId":"{B}","deliveryId":"{C}","attempt":2}}',
        f"{B}#3",
    ),
    (
        DeliveryMessage(A, B, C, event={"type": "order.created", "id": str(A), "at": AT}),
        Queue.WEBHOOK_DELIVERY,
        f'{WORKSPACE},"endpointId":"{B}","deliveryId":"{C}","attempt":1,'
        f'"event":{{"type":"order.created","id":"{A}","at":"{AT}"}}}}',
        f"{B}#3",
    ),
    (
        RetryMessage(A, B, C, 3),
        Queue.WEBHOOK_RETRY,
        f'{WORKSPACE},"endpointId":"{B}","deliveryId":"{C}","attempt":3}}',
        None,
    ),
    (
        ForwardMessage(Queue.WRITE_BACKS, {"storeId": str(B), "attempt": 3}, "group", "id", B),
        Queue.WEBHOOK_RETRY,
        f'{{"forwardTo":"write_backs","message":{{"storeId":"{B}","attempt":3}},'
        f'"fifoGroup":"group","deduplicationId":"id","tenantId":"{B}"}}',
        None,
    ),
    (
        EndpointCheckMessage(A, B, AT),
        Queue.WEBHOOK_RETRY,
        f'{WORKSPACE},"endpointId":"{B}","failingSince":"{AT}"}}',
        None,
    ),
    (
        ReplayMessage(A, B, AT, AT, ["order.created"]),
        Queue.WEBHOOK_RETRY,
        f'{WORKSPACE},"endpointId":"{B}","createdFrom":"{AT}","createdTo":"{AT}",'
        '"types":["order.created"]}',
        None,
    ),
    (WEBHOOK, Queue.WEBHOOKS, HEAD + BODY, OF_THE_ORDER),
    (
        replace(WEBHOOK, resume_point=ResumePoint(B, "k", is_more=True)),
        Queue.WEBHOOKS,
        f'{HEAD}"reached":["{B}","k",true],{BODY}',
        OF_THE_ORDER,
    ),
]
"""Each kind of message as Storepost has always sent it: its queue, its JSON, its FIFO group."""


def rows_of(message: QueueMessage) -> list[OutboxItem]:
    """The outbox rows of a unit of work that sends the message."""
    rows: list[OutboxItem] = []
    with mock.patch.object(Changes, "create", lambda _changes, row: rows.append(row)):
        send(Changes(), message)
    return rows


def kinds(of: type[QueueMessage] = QueueMessage) -> Iterable[type[QueueMessage]]:
    """All kinds of messages."""
    for kind in of.__subclasses__():
        yield from kinds(kind)
        if hasattr(kind, "queue"):
            yield kind


@pytest.mark.parametrize(("message", "queue", "text", "group"), SENT)
def test_outbox_stores_the_recorded_bytes(
    message: QueueMessage, queue: Queue, text: str, group: str | None
) -> None:
    [row] = rows_of(message)
    assert (row.queue, row.sent) == (queue, [[text, group]])


@pytest.mark.parametrize(("message", "text"), [(message, text) for message, _, text, _ in SENT])
def test_message_round_trips_and_ignores_unknown_fields(message: QueueMessage, text: str) -> None:
    assert type(message).of(text) == message
    longer = json.dumps(json.loads(text) | {"addedLater": {"by": ["a newer version"]}})
    assert type(message).of(longer) == message


def test_every_message_kind_is_recorded() -> None:
    assert set(kinds()) == {type(message) for message, *_ in SENT}


def test_missing_or_invalid_id_is_refused() -> None:
    with pytest.raises(TypeError):
        ProfileMergeMessage.of(f"{WORKSPACE}}}")
    with pytest.raises(ValueError, match="UUID"):
        ProfileMergeMessage.of(f'{WORKSPACE},"profileId":"7"}}')
    later = Job.of(f'{{"job":"rest","workspaceId":"{A}","storeId":"{B}","id":"{C}"}}')
    assert (later.job.name, later.job.value) == ("UNKNOWN", "rest")


def test_large_webhook_is_sent_as_an_s3_object(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = dict[str, bytes]()
    monkeypatch.setattr(webhook_messages, "put_object", objects.__setitem__)
    get: Callable[[str], Any] = objects.__getitem__
    monkeypatch.setattr(webhook_messages, "get_object", get)
    large = replace(WEBHOOK, raw=b'{"id":5,"note":"' + b"n" * MAX_INLINE_BYTES + b'"}')
    [row] = rows_of(large)
    [name] = objects
    assert row.sent == [[f'{HEAD}"object":"{name}"}}', OF_THE_ORDER]]
    assert Webhook.of(row.sent[0][0]) == large
