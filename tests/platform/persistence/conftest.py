"""moto and dynoxide, for comparisons."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.config import Config

from tests.local.test_moto_transactions import LISTS, PLAIN
from tests.platform.persistence.two_engines import MOTO, Engine


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[Engine, Engine]]:
    """moto and dynoxide."""
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    made = []
    for urls in (MOTO, dict.fromkeys(MOTO)):
        tables, streams = (
            boto3.client(name, endpoint_url=url, config=config)  # type: ignore[call-overload]
            for name, url in urls.items()
        )
        for table, keys in ((LISTS, ["pk", "sk"]), (PLAIN, ["id"])):
            tables.create_table(
                TableName=table,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": k, "AttributeType": "S"} for k in keys],
                KeySchema=[
                    {"AttributeName": key, "KeyType": kind}
                    for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
                ],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            )
        made.append(Engine(tables, streams))
    moto, dynoxide = made
    yield moto, dynoxide
    for engine in made:
        for table in (LISTS, PLAIN):
            engine.tables.delete_table(TableName=table)
