"""Reads a batch's records one by one: an unreadable record is a problem, the others continue."""

from collections.abc import Sequence

from pydantic import ValidationError

from storepost.stores.imports.model import ImportStage
from storepost.sync.batches.records import (
    CustomerRecord,
    OrderRecord,
    ProductRecord,
    Record,
    Sender,
    UnreadableRecord,
)
from storepost.sync.batches.schemas import BatchCustomer, BatchOrder, BatchProduct, StoreBatch
from storepost.values.field_errors import errors_of_record
from storepost.values.logs import log_unexpected
from storepost.values.problems import ValidationFailed
from storepost.values.wire import TEXT_LENGTH, RequestBody

_KINDS: dict[ImportStage, type[RequestBody]] = {
    ImportStage.CUSTOMERS: BatchCustomer,
    ImportStage.ORDERS: BatchOrder,
    ImportStage.PRODUCTS: BatchProduct,
}


def records_of(batch: StoreBatch, sender: Sender) -> Sequence[Record]:
    """Returns the batch's records in order; each keeps its index in its own array."""
    arrays = {
        ImportStage.CUSTOMERS: batch.customers,
        ImportStage.ORDERS: batch.orders,
        ImportStage.PRODUCTS: batch.products,
    }
    return [
        _record(sender, stage, index, sent)
        for stage, array in arrays.items()
        for index, sent in enumerate(array)
    ]


def _record(sender: Sender, stage: ImportStage, index: int, sent: object) -> Record:
    try:
        return _made(sender, index, _KINDS[stage].model_validate(sent))
    except ValidationError as error:
        errors = errors_of_record(error.errors(include_url=False), sent, _KINDS[stage])
        problem = ValidationFailed(errors=errors)
    except ValidationFailed as error:
        problem = error
    except Exception as error:
        # Any other error in a validator is this record's fault, not the other records'.
        log_unexpected(error)
        problem = ValidationFailed("The record can't be read.")
    return UnreadableRecord(stage, index, _external_id(sent), problem)


def _made(sender: Sender, index: int, body: RequestBody) -> Record:
    size = len(body.model_dump_json(exclude_unset=True).encode())
    match body:
        case BatchCustomer():
            return CustomerRecord(sender, index, body.external_id, size, body.value(sender.store))
        case BatchOrder():
            order = body.value(sender.store, body.external_id)
            return OrderRecord(sender, index, body.external_id, size, order)
        case BatchProduct():
            product = body.product(body.external_id)
            return ProductRecord(sender, index, body.external_id, size, product)
    raise TypeError(type(body))


def _external_id(sent: object) -> str | None:
    """The store's id of the record, if it can be read."""
    found = sent.get("externalId") if isinstance(sent, dict) else None
    if not isinstance(found, str) or not 1 <= len(found) <= TEXT_LENGTH:
        return None
    return found if found.encode(errors="ignore").decode() == found else None
