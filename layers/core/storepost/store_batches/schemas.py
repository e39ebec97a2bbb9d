"""Batches on the wire: the single bodies, each with its `externalId`."""

from typing import Annotated, Any

from pydantic import (
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from storepost.customers.bodies import Customer, CustomerExternalId
from storepost.orders.bodies import ExternalId, OrderBody
from storepost.products.bodies import ProductBody
from storepost.store_imports.model import ImportScope
from storepost.wire import RequestBody

MOST_RECORDS = 500
ENOUGH_ERRORS = 100
"""With so many, the records that follow are not looked at: nobody reads more, and a batch of wrong
records could have half a million."""


class BatchCustomer(Customer):
    """A customer of a batch."""

    external_id: CustomerExternalId


class BatchOrder(OrderBody):
    """An order of a batch."""

    external_id: ExternalId


class BatchProduct(ProductBody):
    """A product of a batch."""

    external_id: ExternalId


def _one_by_one(values: object, check: ValidatorFunctionWrapHandler) -> list[Any]:
    """The records, each checked by itself until there are enough errors."""
    if not isinstance(values, list) or len(values) > MOST_RECORDS:
        return list(check(values))
    taken: list[Any] = []
    errors: list[InitErrorDetails] = []
    for index, value in enumerate(values):
        try:
            taken += check([value])
        except ValidationError as error:
            errors += _at(index, error)
            if len(errors) >= ENOUGH_ERRORS:
                break
    if errors:
        raise ValidationError.from_exception_data("StoreBatch", errors)
    return taken


def _at(index: int, error: ValidationError) -> list[InitErrorDetails]:
    """The errors of the one record that was checked, at its place among the others."""
    return [
        InitErrorDetails(
            type=PydanticCustomError("record", each["msg"]),
            loc=(index, *each["loc"][1:]),
            input=each["input"],
        )
        for each in error.errors(include_url=False, include_context=False)
    ]


class StoreBatch(RequestBody):
    """Up to 500 records together, at least one: customers, which are dealt with first, and orders;
    or products.
    """

    customers: Annotated[
        list[BatchCustomer], Field(max_length=MOST_RECORDS), WrapValidator(_one_by_one)
    ] = Field(default_factory=list)
    orders: Annotated[
        list[BatchOrder], Field(max_length=MOST_RECORDS), WrapValidator(_one_by_one)
    ] = Field(default_factory=list)
    products: Annotated[
        list[BatchProduct],
        Field(max_length=MOST_RECORDS, examples=[[]]),
        WrapValidator(_one_by_one),
    ] = Field(default_factory=list)

    @property
    def scope(self) -> ImportScope:
        """What the batch's import is of."""
        return ImportScope.PRODUCTS if self.products else ImportScope.CUSTOMERS_ORDERS

    @model_validator(mode="after")
    def _counted(self) -> "StoreBatch":
        if self.products and (self.customers or self.orders):
            raise ValueError("A batch has customers and orders, or products")
        records = len(self.customers) + len(self.orders) + len(self.products)
        if not 1 <= records <= MOST_RECORDS:
            raise ValueError(f"A batch has 1 to {MOST_RECORDS} records together, not {records}")
        return self
