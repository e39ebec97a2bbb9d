"""The service's tables on dynoxide, for benchmarks that count what DynamoDB would bill."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local import aws
from local.dynoxide import Dynoxide
from local.template import TABLE, resources


@contextmanager
def tables(database: Path | None = None) -> Iterator[Dynoxide]:
    """Has the service in this process keep its rows in dynoxide; in a file where one is named.

    Nothing of `storepost` may have been imported before: it reads its environment when it is.
    """
    with Dynoxide(database) as engine:
        aws.prepare_environment()
        aws.keep_tables_at(engine.url)
        _create_missing()
        yield engine


def _create_missing() -> None:
    """Without their streams, which nobody reads here."""
    dynamodb = aws.client("dynamodb")
    there = dynamodb.list_tables()["TableNames"]
    for name, table in resources(TABLE).items():
        if name not in there:
            dynamodb.create_table(
                TableName=name,
                BillingMode=table["BillingMode"],
                AttributeDefinitions=table["AttributeDefinitions"],
                KeySchema=table["KeySchema"],
            )
