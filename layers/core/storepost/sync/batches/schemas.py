"""Batches on the wire: the single bodies, each with its `externalId`, which are read one by one
when their turn comes, so that a bad one fails alone."""

import json
from typing import Annotated, Any

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    ValidatorFunctionWrapHandler,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from storepost.catalog.products.bodies import ProductBody
from storepost.orders.bodies import OrderBody
from storepost.people.customers.bodies import Customer
from storepost.stores.imports.model import ImportScope
from storepost.values.external_ids import ExternalId
from storepost.values.json_reading import read_json
from storepost.values.wire import RequestBody

MAX_RECORDS = 500


class BatchCustomer(Customer):
    """A customer of a batch: the body of its own `PUT`, with `externalId`."""

    external_id: ExternalId = Field(
        description="The store's own id of the customer, kept as it is sent. Placeholders such as "
        "`0` are refused."
    )


class BatchOrder(OrderBody):
    """An order of a batch: the body of its own `PUT`, with `externalId`."""

    external_id: ExternalId = Field(
        description="The store's own id of the order, kept as it is sent."
    )


class BatchProduct(ProductBody):
    """A product of a batch: the body of its own `PUT`, with `externalId`."""

    external_id: ExternalId = Field(
        description="The store's own id of the product, kept as it is sent."
    )


def _as_sent(record: object, _read: ValidatorFunctionWrapHandler) -> object:
    return record


def _unread(kind: type[RequestBody]) -> GetPydanticSchema:
    """Describes a record, and takes whatever was sent."""

    def schema(_source: object, schema_of: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(_as_sent, schema_of(kind))

    return GetPydanticSchema(schema)


class StoreBatch(RequestBody):
    """One to 500 records of a custom store together: customers and orders, or products.

    A record that can't be read becomes one of the import's problems.
    """

    customers: list[Annotated[Any, _unread(BatchCustomer)]] = Field(
        default_factory=list,
        max_length=MAX_RECORDS,
        description="Customers, each as its own `PUT` has it, with `externalId`. They are written "
        "before the orders.",
    )
    orders: list[Annotated[Any, _unread(BatchOrder)]] = Field(
        default_factory=list,
        max_length=MAX_RECORDS,
        description="Orders, each as its own `PUT` has it, with `externalId`. They are written in "
        "the order of the body.",
    )
    products: list[Annotated[Any, _unread(BatchProduct)]] = Field(
        default_factory=list,
        max_length=MAX_RECORDS,
        examples=[[]],
        description="Products, each as its own `PUT` has it, with `externalId`. A batch with "
        "products has neither customers nor orders.",
    )

    @property
    def scope(self) -> ImportScope:
        """What the batch's import is of."""
        return ImportScope.PRODUCTS if self.products else ImportScope.CUSTOMERS_ORDERS

    @model_validator(mode="after")
    def _counted(self) -> "StoreBatch":
        if self.products and (self.customers or self.orders):
            raise ValueError("Must have either customers and orders, or products")
        records = len(self.customers) + len(self.orders) + len(self.products)
        if not 1 <= records <= MAX_RECORDS:
            raise ValueError(f"Must have 1 to {MAX_RECORDS} records in all, not {records}")
        return self

    def to_text(self) -> bytes:
        """The records as they are kept: as JSON, and as they were sent."""
        records = {name: getattr(self, name) for name in self.model_fields_set}
        # Half a pair of surrogates is its record's fault, which is found when that is read.
        return json.dumps(records, ensure_ascii=False).encode(errors="surrogatepass")

    @classmethod
    def of_text(cls, text: bytes) -> "StoreBatch":
        """The batch that was kept. Raises ValueError where it is none."""
        return cls.model_validate(read_json(text.decode(errors="surrogatepass")))
