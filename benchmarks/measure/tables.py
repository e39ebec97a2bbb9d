"""The service's tables on dynoxide, for benchmarks that count what DynamoDB would bill."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from local import aws
from local.aws.dynoxide import Dynoxide
from local.template import TABLE, resources
from storepost.platform.persistence.client import make_client
from storepost.platform.persistence.item import connection
from storepost.values.settings import settings

PATIENCE_SECONDS = 60
"""The read timeout: dynoxide takes seconds for a page of 1 MB on a busy machine."""


@contextmanager
def tables(database: Path | None = None) -> Iterator[Dynoxide]:
    """Has the service in this process store its rows in dynoxide, in a file if one is named.

    The caller must import `benchmarks.measure.environment` before any module of the service.
    """
    with Dynoxide(database) as engine:
        aws.keep_tables_at(engine.url)
        # The service's client was made on import, for another engine or for none.
        connection._client = None
        connection._read_timeout_seconds = PATIENCE_SECONDS
        make_client(connection)
        _create_missing()
        yield engine


def start_other_services() -> None:
    """Starts queues, keys and buckets in this process, beside the tables in another one."""
    aws.start()
    aws.create_resources()
    settings.cache_clear()  # the settings were read before these resources existed


def _create_missing() -> None:
    """Creates missing tables, without their streams, which have no readers here."""
    dynamodb = aws.client("dynamodb")
    existing = dynamodb.list_tables()["TableNames"]
    for name, table in resources(TABLE).items():
        if name not in existing:
            dynamodb.create_table(
                TableName=name,
                BillingMode=table["BillingMode"],
                AttributeDefinitions=table["AttributeDefinitions"],
                KeySchema=table["KeySchema"],
            )
