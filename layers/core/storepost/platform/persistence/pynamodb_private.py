"""Private parts of PynamoDB that are used nevertheless: all are here, and have a test.

A new version of PynamoDB that changes them fails `tests/platform/test_private_interfaces.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pynamodb.attributes import DiscriminatorAttribute
from pynamodb.connection import Connection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite


def connection_of(model: type[Model]) -> Connection:
    """Returns the model's connection, which PynamoDB makes on first use."""
    return model._get_connection().connection


def models_by_kind(kind: DiscriminatorAttribute) -> Mapping[str, type[Any]]:
    """Returns the models that have a discriminator, by its value."""
    return kind._discriminator_map


def puts_of(transaction: TransactWrite) -> Iterable[Mapping[str, Any]]:
    """Returns the puts of a transaction that isn't sent yet, as the request will have them."""
    return transaction._put_items
