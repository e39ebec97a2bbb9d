"""Measures a load in a process of its own; it also runs in checkouts of earlier commits.

`python loading_worker.py coupons <codes> <milliseconds>` in the folder of a checkout loads a file
of coupon codes. `feed <rows> <milliseconds>` imports a feed, then the same once more, then with one
row in a hundred changed. `orders <orders> <milliseconds>` sends batches. `pull <customers>
<milliseconds>` pulls a shop's customers, with three orders each. Each call of DynamoDB takes at
least so many milliseconds. It prints the cost of each part as JSON: seconds by the clock and of the
CPU, units and calls.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from botocore.client import BaseClient

WORDS = (
    *("wool", "linen", "cotton", "warm", "woven", "vest", "scarf", "coat", "shirt", "blanket"),
    *("valley", "river", "morning", "north", "hand", "dyed", "washed", "soft", "heavy", "light"),
    *("striped", "plain", "birch", "loom", "button", "collar", "pocket", "sleeve", "winter"),
)
TITLE_WORDS = 7
DESCRIPTION_LENGTH = 500
CHANGED_EVERY = 100
WARM_UP_ROWS = 600
BATCH = 500
WARM_UP_ORDERS = 500
WARM_UP_CUSTOMERS = 50
PULLED_SHOP = Path(__file__).parent.parent / "data" / "pulled_shop.py"
ORDERS_A_CUSTOMER = 3
OUTBOX = "due#outbox#"


def _module(folder: str, name: str) -> Any:  # noqa: ANN401 - of whichever checkout
    """Imports a module of the benchmarks, which were all in one folder in earlier commits."""
    in_folder = f"benchmarks.{folder}"
    return import_module(f"{in_folder}.{name}" if find_spec(in_folder) else f"benchmarks.{name}")


def _loaded(path: Path) -> Any:  # noqa: ANN401
    """Imports the module in a file, with any checkout on the path."""
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no module can be loaded from {path}")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _slow_down(seconds: float) -> None:
    """Makes each call of DynamoDB take longer, without blocking other threads.

    Queries of the outbox are excluded: on AWS the table's stream delivers its rows instead.
    """
    plain = BaseClient._make_api_call  # type: ignore[attr-defined]

    def call(client: Any, operation: str, parameters: Any) -> Any:  # noqa: ANN401
        if client.meta.service_model.service_name == "dynamodb":
            time.sleep(0 if _is_of_outbox(parameters) else seconds)
        return plain(client, operation, parameters)

    BaseClient._make_api_call = call  # type: ignore[attr-defined]


def _is_of_outbox(parameters: dict[str, Any]) -> bool:
    values = parameters.get("ExpressionAttributeValues", {}).values()
    return any(value.get("S", "").startswith(OUTBOX) for value in values)


def _measured(work: Callable[[], object]) -> dict[str, float]:
    measured = _module("measure", "metering").Meter().measured(work)
    return {
        "seconds": measured.seconds,
        "cpu": measured.cpu_seconds,
        "reads": measured.reads,
        "writes": measured.writes,
        "calls": len(measured.work),
    }


def load_coupons(codes: int, seconds: float) -> dict[str, dict[str, float]]:
    """Loads a file of coupon codes; returns the cost."""
    coupons = import_module("benchmarks.coupons")
    carry = _module("processes", "coupon_worker").carry

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
    _slow_down(seconds)
    return {"first": _measured(lambda: load(codes))}


def _feed_lines(rows: int, plain: dict[str, str], *, is_changed: bool) -> Iterator[str]:
    """Yields a feed as CSV, not ordered by title; `is_changed` changes the price of some rows."""
    yield ",".join(plain) + "\n"
    chance = random.Random(7)
    for number in range(rows):
        texts = {
            "id": f"sku-{number:07d}",
            "title": " ".join(chance.choices(WORDS, k=TITLE_WORDS)),
            "description": " ".join(chance.choices(WORDS, k=90))[:DESCRIPTION_LENGTH],
            "link": f"https://shop.example.com/products/wool-vest-{number}",
            "image_link": f"https://cdn.example.com/images/{number}.jpg",
            "price": f"{chance.randrange(10, 900)}.90 EUR",
            "gtin": f"40{number:011d}",
        }
        if is_changed and not number % CHANGED_EVERY:
            texts["price"] = "901.90 EUR"
        yield ",".join(f'"{text}"' for text in {**plain, **texts}.values()) + "\n"


def load_feed(rows: int, seconds: float) -> dict[str, dict[str, float]]:
    """Imports a feed, the same again, and with some rows changed; returns the costs."""
    is_here = find_spec("benchmarks.feed_files")
    feeds = import_module("benchmarks.feed_files" if is_here else "benchmarks.feeds")
    shops = _module("data", "large_shop")
    with TemporaryDirectory() as site, TemporaryDirectory() as storage:
        folder = feeds.Folder(Path(storage))
        folder.stand_in()
        origin = feeds.serve(Path(site))

        def opened(name: str, count: int) -> Any:  # noqa: ANN401
            shop = shops.shop(name)
            shops.open_shop(shop)
            served(name, count)
            feed, _ = feeds.Importing(shop, Path(site), origin, folder).feed(f"{name}.csv")
            return shop.workspace, feed

        def served(name: str, count: int, *, is_changed: bool = False) -> None:
            lines = _feed_lines(count, feeds.row(0), is_changed=is_changed)
            feeds.write(Path(site) / f"{name}.csv", lines)

        def again(workspace: Any, feed: Any) -> None:  # noqa: ANN401
            service = import_module(feeds.create_feed.__module__)
            changes = import_module(feeds.commit_anew.__module__)
            changes.commit_anew(lambda unit: service.request_import(workspace, feed, unit))

        feeds.run(*opened("warm-up", WARM_UP_ROWS))
        _slow_down(seconds)
        place = opened("feed", rows)
        took = {"first": _measured(lambda: feeds.run(*place))}
        again(*place)
        took["unchanged"] = _measured(lambda: feeds.run(*place))
        served("feed", rows, is_changed=True)
        again(*place)
        took["changed"] = _measured(lambda: feeds.run(*place))
        return took


def load_orders(orders: int, seconds: float) -> dict[str, dict[str, float]]:
    """Sends batches with new buyers of two orders in five, then of known ones; returns costs."""
    shops = _module("data", "batch_shop")
    buyer_among_many = import_module("benchmarks.batches").buyer_among_many
    shop = shops.open_shop("orders")

    def load(first: int, last: int, buyer: Callable[[int], int]) -> None:
        for begin in range(first, last, BATCH):
            numbers = range(begin, min(begin + BATCH, last))
            shop.import_orders([_paid(shops.order(number, buyer(number))) for number in numbers])

    load(0, WARM_UP_ORDERS, buyer_among_many)
    _slow_down(seconds)
    mixed = range(WARM_UP_ORDERS, WARM_UP_ORDERS + orders)
    known = range(mixed.stop, mixed.stop + orders)
    return {
        "mixed": _measured(lambda: load(mixed.start, mixed.stop, buyer_among_many)),
        "known": _measured(
            lambda: load(known.start, known.stop, lambda number: number % WARM_UP_ORDERS // 5 * 5)
        ),
    }


def _paid(order: dict[str, Any]) -> dict[str, Any]:
    """Returns the order without a refund."""
    return {**order, "totalRefunded": {**order["totalRefunded"], "amount": 0}}


def load_pull(customers: int, seconds: float) -> dict[str, dict[str, float]]:
    """Runs a shop's first import, of new customers only; returns the cost."""
    shop = _loaded(PULLED_SHOP)
    connect = _module("data", "import_shop").connect
    worker = _module("processes", "import_worker")

    def load(count: int) -> dict[str, float]:
        orders = ORDERS_A_CUSTOMER * count
        with TemporaryDirectory() as folder, shop.serving(Path(folder), count, orders) as host:
            shop.write_customers(Path(folder) / "customers", count)
            shop.write_orders(Path(folder) / "orders", orders, count)
            os.environ["FEED_ALLOW_HOSTS"] = host
            os.environ["SHOPIFY_STAND_IN"] = f"http://{host}"
            store = connect(f"pulled-{count}")
            return _measured(lambda: worker.pull(store, 1, lambda: worker.A_DAY))

    load(WARM_UP_CUSTOMERS)
    _slow_down(seconds)
    return {"first": load(customers)}


LOADS = {"coupons": load_coupons, "feed": load_feed, "orders": load_orders, "pull": load_pull}


def main() -> None:
    """Does it and prints its cost."""
    _, load, count, milliseconds = sys.argv
    _module("measure", "environment")
    tables = _module("measure", "tables")
    with tables.tables():
        tables.start_other_services()
        took = LOADS[load](int(count), float(milliseconds) / 1000)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
