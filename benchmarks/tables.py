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
        join(engine.url)
        known = set(aws.client("dynamodb").list_tables()["TableNames"])
        if not known >= set(resources(TABLE)):
            aws.create_tables()
        yield engine


def join(url: str) -> None:
    """Has the service in this process keep its rows in the engine that runs at the address."""
    aws.prepare_environment()
    aws.keep_tables_at(url)
