"""What a load takes, in a process of its own; it runs in checkouts of earlier commits, too.

`python loading_worker.py <codes> <milliseconds>` in the folder of a checkout: a file of so many
coupon codes, and how long each call of DynamoDB takes at least. It prints as JSON what the request
and the worker took: seconds by the clock and of the CPU, units and calls.
"""

import json
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from botocore.client import BaseClient


def _module(folder: str, name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """A module of the benchmarks, which stood beside each other once."""
    in_folder = f"benchmarks.{folder}"
    return import_module(f"{in_folder}.{name}" if find_spec(in_folder) else f"benchmarks.{name}")


def _slowed(seconds: float) -> None:
    """Has each call of DynamoDB take that long, and others go on meanwhile."""
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: Any, operation: str, parameters: Any) -> Any:  # noqa: ANN401
        if client.meta.service_model.service_name == "dynamodb":
            time.sleep(seconds)
        return plain(client, operation, parameters)

    BaseClient._make_api_call = call  # type: ignore[attr-defined]


def main() -> None:
    """Does it and prints what it took."""
    codes, milliseconds = int(sys.argv[1]), float(sys.argv[2])
    _module("measure", "environment")
    coupons = import_module("benchmarks.coupons")
    carry = _module("processes", "coupon_worker").carry
    tables = _module("measure", "tables")
    with tables.tables():
        tables.start_other_services()
        meter = _module("measure", "metering").Meter()

        def load(count: int) -> None:
            shop = coupons.open_shop(f"a pool of {count}")
            body = {
                "storeId": shop.store,
                "name": "Gift cards",
                "content": coupons.content(count),
                "validity": {"type": "none"},
                "reissue": "every_email",
            }
            shop.call("/coupons/import", body)
            carry()

        load(1)  # imports what is used
        if milliseconds:
            _slowed(milliseconds / 1000)
        measured = meter.measured(lambda: load(codes))
    result = {
        "seconds": measured.seconds,
        "cpu": measured.cpu_seconds,
        "reads": measured.reads,
        "writes": measured.writes,
        "calls": len(measured.work),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
