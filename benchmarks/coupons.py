"""`make bench-coupons`: imports of codes from a file, and assignments from each pool.

Each file passes the API's handler, S3, the outbox, the queue and the worker; the tables are in
dynoxide. `CODES=20000` makes the largest pool smaller.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import benchmarks.measure.environment  # noqa: F401 - before the service, which reads it
from benchmarks.data.batch_shop import Shop, delete_objects, open_shop, person
from benchmarks.measure.apart import apart, aws_for_all
from benchmarks.measure.calling import Api
from benchmarks.measure.metering import Measured, Meter
from benchmarks.measure.reporting import Cell, Column, Table
from benchmarks.measure.tables import start_other_services, tables
from local.aws.dynoxide import VERSION

CODES = int(os.environ.get("CODES", "200000"))
POOLS = (100, CODES)
ASSIGNMENTS = 40
MAX_GROWTH = 64
COLUMNS = (
    Column("what"),
    Column("codes", "of the pool"),
    Column("a second", "by the clock"),
    Column("CPU", "ms each", 2),
    Column("read units", "each", 2),
    Column("write units", "each", 2),
    Column("calls", "each", 2),
    Column("memory", "the worker's, MB at most"),
    Column("growth", "MB, beside the smaller", most=MAX_GROWTH),
)
NOTES = (
    "An import is a coupon's file of codes, from the request to the last code.",
    f"An assignment is the mean of {ASSIGNMENTS}, each to somebody new, without authentication.",
    "CPU is that of the request, the relay and the worker, which has a process of its own.",
    "The engine and S3 are in others.",
)

type Totals = dict[str, float]
"""Seconds by the clock and of the CPU, units, calls, and a worker's peak memory in megabytes."""


def content(codes: int) -> str:
    """Returns the content of a file with a number of codes."""
    return "\n".join(f"GIFT{n * 7919 % 10_000_000:07}" for n in range(codes))


def imported(meter: Meter, shop: Shop, codes: int, address: str) -> tuple[str, Totals]:
    """Imports a coupon's codes from a file; returns its id and the cost.

    `address` is the URL of AWS.
    """
    body = {
        "storeId": shop.store,
        "name": "Gift cards",
        "content": content(codes),
        "validity": {"type": "none"},
        "reissue": "every_email",
    }
    request = meter.measured(lambda: str(shop.call("/coupons/import", body)["id"]))
    worked = apart(address, "benchmarks.processes.coupon_worker")
    requests = together([request])
    return request.result, worked | {name: value + worked[name] for name, value in requests.items()}


def together(measured: Sequence[Measured[Any]]) -> Totals:
    """Returns the total cost of several calls, under the worker's names."""
    return {
        "seconds": sum(each.seconds for each in measured),
        "cpu": sum(each.cpu_seconds for each in measured),
        "reads": sum(each.reads for each in measured),
        "writes": sum(each.writes for each in measured),
        "calls": sum(len(each.work) for each in measured),
    }


def people(api: Api, shop: Shop, number: int) -> list[str]:
    """Creates customers of the store; returns their profiles' ids."""
    found = []
    for each in range(number):
        customer = person(each)
        created = "2026-01-02T03:04:05Z"
        path = f"/stores/{shop.store}/customers/{customer.pop('externalId')}"
        body = {**customer, "externalCreatedAt": created, "externalUpdatedAt": created}
        api.call("PUT", path, body=body)
        listed = api.call("GET", "/profiles", query={"email": customer["email"]})
        found.append(str(listed.result["items"][0]["id"]))
    return found


def rows(meter: Meter, address: str) -> Iterator[list[Cell]]:
    """Measures each pool's import and assignments."""
    least: float | None = None
    for codes in POOLS:
        shop = open_shop(f"a pool of {codes}")
        coupon, totals = imported(meter, shop, codes, address)
        delete_objects()
        most = totals["memory"]
        growth = None if least is None else most - least
        yield [*_row("an import", codes, codes, totals), most, growth]
        least = most
        api = Api(shop.key, meter)
        check = {"storeId": shop.store, "content": content(codes)}
        checked = api.call("POST", "/coupons/import/check", body=check)
        if checked.result["existing"] != codes:
            raise RuntimeError(checked.result)
        yield [*_row("a file's check", codes, codes, together([checked])), None, None]
        read = api.call("GET", f"/coupons/{coupon}")
        if read.result["codes"]["available"] != codes:
            raise RuntimeError(read.result["codes"])
        calls = [
            api.call("POST", f"/coupons/{coupon}/assign", body={"profileId": each})
            for each in people(api, shop, ASSIGNMENTS)
        ]
        yield [*_row("an assignment", codes, ASSIGNMENTS, together(calls)), None, None]
        yield [*_row("its coupon, read", codes, 1, together([read])), None, None]


def _row(label: str, codes: int, count: int, totals: Totals) -> list[Cell]:
    each = [totals[name] / count for name in ("reads", "writes", "calls")]
    return [label, codes, count / totals["seconds"], 1000 * totals["cpu"] / count, *each]


def main() -> None:
    """Measures and publishes."""
    table = Table("coupons", "Coupons", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        start_other_services()
        meter = Meter()
        with aws_for_all() as address:
            imported(meter, open_shop("warm-up"), 1, address)  # imports the request's handlers
            for cells in rows(meter, address):
                table.show(*cells)
    table.publish()


if __name__ == "__main__":
    main()
