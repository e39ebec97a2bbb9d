"""`make bench-coupons`: pools of codes from a file, and what an assignment takes of each.

Each file goes through the API's handler, S3, the outbox, the queue and the worker; the tables are
in dynoxide. `CODES=20000` makes the long row shorter.
"""

import os
import resource
from collections.abc import Iterator

import benchmarks.environment  # noqa: F401 - before the service, which reads it
from benchmarks.batch_shop import Shop, forget_objects, open_shop, person
from benchmarks.calling import Api
from benchmarks.metering import Measured, Meter
from benchmarks.reporting import Cell, Column, Table
from benchmarks.tables import tables
from local import aws, pumps
from local.dynoxide import VERSION
from storepost import clock
from storepost.messaging.outbox import SHARDS, due
from storepost.messaging.relay import relay
from storepost.settings import settings

CODES = int(os.environ.get("CODES", "200000"))
POOLS = (100, CODES)
ASSIGNMENTS = 40
QUEUE = "CouponCodeQueue"
COLUMNS = (
    Column("what"),
    Column("codes", "of the pool"),
    Column("a second", "by the clock"),
    Column("CPU", "ms each", 2),
    Column("read units", "each", 2),
    Column("write units", "each", 2),
    Column("calls", "each", 2),
    Column("memory", "MB at most"),
)
NOTES = (
    "An import is a coupon's file of codes, from the request to the last code.",
    f"An assignment is the mean of {ASSIGNMENTS}, each to somebody new, without authentication.",
    "CPU is this process's: the request's, the relay's and the worker's. The engine has its own.",
)


def carry() -> None:
    """Takes what is in the outbox to the worker, until nothing moves."""
    while True:
        moved = 0
        for shard in range(SHARDS):
            for row in due(shard, clock.now()):
                relay(row)
                moved += 1
        if not moved + pumps.pump_queue(QUEUE):
            return


def content(codes: int) -> str:
    """A file of so many codes."""
    return "\n".join(f"GIFT{n * 7919 % 10_000_000:07}" for n in range(codes))


def imported(meter: Meter, shop: Shop, codes: int) -> tuple[str, Measured[None]]:
    """A coupon whose codes are those of a file, and what it took."""
    body = {
        "storeId": shop.store,
        "name": "Gift cards",
        "content": content(codes),
        "validity": {"type": "none"},
        "reissue": "every_email",
    }
    made: list[str] = []

    def bring() -> None:
        made.append(str(shop.call("/coupons/import", body)["id"]))
        carry()

    measured = meter.measured(bring)
    return made[0], measured


def people(api: Api, shop: Shop, number: int) -> list[str]:
    """So many customers of the store: their profiles' ids."""
    found = []
    for each in range(number):
        given = person(each)
        created = "2026-01-02T03:04:05Z"
        path = f"/stores/{shop.store}/customers/{given.pop('externalId')}"
        body = {**given, "externalCreatedAt": created, "externalUpdatedAt": created}
        api.call("PUT", path, body=body)
        listed = api.call("GET", "/profiles", query={"email": given["email"]})
        found.append(str(listed.result["items"][0]["id"]))
    return found


def rows(meter: Meter) -> Iterator[list[Cell]]:
    """Of each pool its import and assignments from it."""
    for codes in POOLS:
        shop = open_shop(f"a pool of {codes}")
        coupon, taken = imported(meter, shop, codes)
        forget_objects()
        yield _row("an import", codes, codes, [taken])
        api = Api(shop.key, meter)
        check = {"storeId": shop.store, "content": content(codes)}
        told = api.call("POST", "/coupons/import/check", body=check)
        if told.result["existing"] != codes:
            raise RuntimeError(told.result)
        yield _row("a file's check", codes, codes, [told])
        shown = api.call("GET", f"/coupons/{coupon}")
        if shown.result["codes"]["available"] != codes:
            raise RuntimeError(shown.result["codes"])
        calls = [
            api.call("POST", f"/coupons/{coupon}/assign", body={"profileId": each})
            for each in people(api, shop, ASSIGNMENTS)
        ]
        yield _row("an assignment", codes, ASSIGNMENTS, calls)
        yield _row("its coupon, read", codes, 1, [shown])


def _row(what: str, codes: int, count: int, taken: list[Measured[None]]) -> list[Cell]:
    seconds, cpu = sum(t.seconds for t in taken), sum(t.cpu_seconds for t in taken)
    return [
        what,
        codes,
        count / seconds,
        1000 * cpu / count,
        sum(t.reads for t in taken) / count,
        sum(t.writes for t in taken) / count,
        sum(len(t.work) for t in taken) / count,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    ]


def main() -> None:
    """Measures and publishes."""
    table = Table("coupons", "Coupons", COLUMNS, {"dynoxide": VERSION}, NOTES)
    with tables():
        aws.start()
        aws.create_resources()
        settings.cache_clear()  # it was read before there were queues and buckets
        meter = Meter()
        imported(meter, open_shop("warm-up"), 1)  # imports the handlers
        for cells in rows(meter):
            table.add(*cells)
            print(table.text().splitlines()[-len(NOTES) - 2], flush=True)
    table.publish()


if __name__ == "__main__":
    main()
