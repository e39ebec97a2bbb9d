"""What PynamoDB keeps to itself and is used nevertheless: all of it is here, and has a test.

A new version of PynamoDB that changes it fails `tests/platform/test_private_interfaces.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pynamodb.attributes import DiscriminatorAttribute
from pynamodb.connection import Connection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite


def connection_of(model: type[Model]) -> Connection:
    """Returns the model's connection, which PynamoDB makes with the first use."""
    return model._get_connection().connection


def models_by_kind(kind: DiscriminatorAttribute) -> Mapping[str, type[Any]]:
    """Returns the models that have a discriminator, by that."""
    return kind._discriminator_map


def puts_of(transaction: TransactWrite) -> Iterable[Mapping[str, Any]]:
    """Returns the puts of a transaction that isn't sent yet, as the request will have them."""
    return transaction._put_items
