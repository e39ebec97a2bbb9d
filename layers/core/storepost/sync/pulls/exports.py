"""A bulk operation at a shop: starts it, polls it, and fetches its file."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from storepost.platform.fetching import FetchFailed, UrlNotAllowed, download
from storepost.shopify import documents
from storepost.shopify.admin import AdminClient
from storepost.shopify.details import granted_scopes
from storepost.shopify.documents import Document
from storepost.shopify.errors import MutationRefused, ShopUnavailable
from storepost.shopify.scopes import covers
from storepost.stores.imports.model import ImportStage
from storepost.stores.stores.model import Store
from storepost.sync.pulls.spool import DISK_FACTOR, Spool
from storepost.sync.records.product_nodes import TRANSLATIONS
from storepost.sync.records.reading import moment_of
from storepost.values.logs import logger

DISK_BYTES = 10_240 * 1024**2
"""The worker's ephemeral storage, as in template.yaml."""
MAX_BYTES = int(DISK_BYTES * 0.95 / DISK_FACTOR)
"""The most bytes of an export: its spool then fits on the disk, with a twentieth to spare."""
_ALL = 'query: "id:>0"'
_TRANSLATED = """{
          locale
          key
          value
        }"""
_BUSY = frozenset({"OPERATION_IN_PROGRESS", "LIMIT_REACHED"})
_WAITING = frozenset({"CREATED", "RUNNING", "CANCELING"})
_ONE_LINE_EACH = frozenset({ImportStage.CUSTOMERS})
"""Stages whose records are complete in one line each. An order's lines and a product's variants may
be anywhere in the file, so a partial file doesn't tell which records lack some."""

EXPORTED: dict[ImportStage, Document] = {
    ImportStage.CUSTOMERS: documents.BULK_CUSTOMERS,
    ImportStage.ORDERS: documents.BULK_ORDERS,
    ImportStage.PRODUCTS: documents.BULK_PRODUCTS,
}


class ExportOutcome(Enum):
    """Says whether an export has all records."""

    COMPLETE = auto()
    PARTIAL = auto()
    """It broke off. Its file has the customers exported by then; of other records none are used."""


@dataclass(frozen=True)
class Export:
    """An export that has ended: the address of its file, and its number of records."""

    outcome: ExportOutcome
    url: str | None
    """None where it is empty."""
    records: int
    started_at: datetime | None = None
    """By the shop's own clock."""


def begin_export(
    admin: AdminClient, store: Store, stage: ImportStage, after: str | None
) -> str | None:
    """Returns the id of a new operation; None while the shop is busy with others.

    Raises ShopifyError.
    """
    query = _query(store, stage, after)
    try:
        answer = admin.run(documents.BULK_RUN, query=query)["bulkOperationRunQuery"]
    except MutationRefused as refused:
        if any(error.code in _BUSY for error in refused.errors):
            return None
        raise
    return str(answer["bulkOperation"]["id"])


def _query(store: Store, stage: ImportStage, after: str | None) -> str:
    """Returns the query for records after the id `after`, with products in all locales."""
    query = EXPORTED[stage].text.replace(_ALL, f'query: "id:>{after or 0}"')
    translated = [row.locale for row in store.locales if not row.is_primary]
    aliases = [
        f'{TRANSLATIONS}{number}: translations(locale: "{locale}") {_TRANSLATED}'
        for number, locale in enumerate(translated)
    ]
    return query.replace(f'translations(locale: "en") {_TRANSLATED}', " ".join(aliases))


def shows_all(admin: AdminClient, stage: ImportStage) -> bool:
    """Returns whether the shop exports all its records.

    Without a further scope, it exports only orders of the last 60 days. The shop is queried: it may
    have revoked the scope, and the webhook about it may be late. Raises ShopifyError.
    """
    return stage is not ImportStage.ORDERS or covers(granted_scopes(admin), "read_all_orders")


def poll_export(admin: AdminClient, stage: ImportStage, operation: str) -> Export | None:
    """Returns the stage's export once it has ended, else None.

    An operation that the shop doesn't know any more counts as partial and empty.
    """
    found = admin.run(documents.BULK_STATUS, id=operation)["bulkOperation"]
    if found is None:
        return Export(ExportOutcome.PARTIAL, None, 0)
    if found["status"] in _WAITING:
        return None
    if found["status"] == "COMPLETED":
        started_at = moment_of(found["createdAt"])
        count = int(found["rootObjectCount"])
        return Export(ExportOutcome.COMPLETE, found["url"], count, started_at)
    if stage not in _ONE_LINE_EACH:
        return Export(ExportOutcome.PARTIAL, None, 0)
    return Export(ExportOutcome.PARTIAL, found["partialDataUrl"], int(found["rootObjectCount"]))


def fetch(export: Export, spool: Spool, seconds: float) -> None:
    """Writes the export's file to the spool. Raises ShopUnavailable, also for missing records.

    A partial export may have fewer records than were counted. A record that can't be read isn't
    missing: the next file would have it in the same form.
    """
    if export.url is not None:
        try:
            with download(export.url, timeout=seconds, max_bytes=MAX_BYTES) as file:
                spool.fill(file.pieces)
        except (FetchFailed, UrlNotAllowed) as error:
            raise ShopUnavailable(f"the export's file: {error.reason}") from error
    if export.outcome is ExportOutcome.COMPLETE and len(spool) + spool.unreadable < export.records:
        raise ShopUnavailable("the export's file lacks records")
    if spool.unreadable:
        logger.warning("lines of an export can't be read", extra={"lines": spool.unreadable})
