"""A shop's Admin API with the parts that a pull needs, which answers from files on disk.

It imports nothing of the service, so that it also serves checkouts of earlier commits.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
LINES = 2
"""Line items of an order; each is a line of the file, too."""
PIECE = 1 << 16
SCOPES = [{"handle": "read_all_orders"}]


def write_customers(path: Path, count: int) -> None:
    """Writes the export file of `count` customers."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, count + 1):
            file.write(json.dumps(_customer(number)) + "\n")


def write_orders(path: Path, count: int, customers: int) -> None:
    """Writes the export file of `count` orders.

    A shop creates a customer with their first order: the first orders are such, each of another
    customer.
    """
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, count + 1):
            is_first = number <= customers
            order = _order(number, number if is_first else 1 + number * 7919 % customers)
            file.write(json.dumps(order) + "\n")
            for line in range(LINES):
                file.write(json.dumps(_line(number, line, order["id"])) + "\n")


def _customer(number: int) -> dict[str, Any]:
    at = _moment(number)
    consent = {"marketingState": "SUBSCRIBED", "marketingUpdatedAt": at}
    mixed = number * 2_654_435_761 % 2**32
    return {
        "id": f"gid://shopify/Customer/{number}",
        "createdAt": at,
        "updatedAt": at,
        "firstName": f"Ann{mixed % 977}",
        "lastName": f"Lind{mixed % 7919}",
        "locale": "de-AT",
        "defaultEmailAddress": {"emailAddress": f"{mixed:08x}@example.com", **consent},
        "defaultPhoneNumber": None,
    }


def _order(number: int, customer: int) -> dict[str, Any]:
    at, buyer = _moment(number), _customer(customer)
    names = ("id", "firstName", "lastName", "defaultEmailAddress", "defaultPhoneNumber")
    amounts = ("totalPrice", "subtotalPrice", "totalDiscounts", "totalShippingPrice")
    return {
        "id": f"gid://shopify/Order/{number}",
        "name": f"#{number}",
        "createdAt": at,
        "processedAt": at,
        "updatedAt": at,
        "cancelledAt": None,
        "test": False,
        "customerLocale": "de-AT",
        "sourceName": "web",
        "email": None,
        "phone": None,
        "displayFinancialStatus": "PAID",
        "displayFulfillmentStatus": "FULFILLED",
        "discountCodes": [],
        **{f"{name}Set": _bag("99.80") for name in (*amounts, "totalTax")},
        "totalRefundedSet": _bag("0.00"),
        "customer": {name: buyer[name] for name in names},
    }


def _line(order: int, number: int, parent: str) -> dict[str, Any]:
    return {
        "id": f"gid://shopify/LineItem/{order * LINES + number}",
        "title": "Tea",
        "variantTitle": "100 g",
        "sku": "TEA-100",
        "quantity": 1,
        "isGiftCard": False,
        "product": {"id": "gid://shopify/Product/1"},
        "variant": {"id": "gid://shopify/ProductVariant/1"},
        "originalUnitPriceSet": _bag("49.90"),
        "discountAllocations": [],
        "__parentId": parent,
    }


def _bag(amount: str) -> dict[str, Any]:
    return {"shopMoney": {"amount": amount, "currencyCode": "EUR"}}


def _moment(number: int) -> str:
    return _text(BEGINNING + timedelta(minutes=number))


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class _Exports:
    """The files of a shop's exports, and the number of records of each."""

    folder: Path
    counts: dict[str, int]


class _Server(ThreadingHTTPServer):
    def __init__(self, exports: _Exports) -> None:
        """Listens at a free port."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.exports = exports


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Answers the Admin API: starts an export, returns its state, or the app's scopes."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        match request["variables"]:
            case {"query": query}:
                data = _operation_started(query)
            case {"id": operation}:
                data = self._ended(operation)
            case _:
                data = {"currentAppInstallation": {"accessScopes": SCOPES}}
        body = json.dumps({"data": data}).encode()
        self._begin("application/json", len(body))
        self.wfile.write(body)

    def do_GET(self) -> None:
        """Returns an export's file."""
        path = self.server.exports.folder / self.path.rpartition("/")[2]
        self._begin("application/jsonl", path.stat().st_size)
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                self.wfile.write(piece)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""

    def _begin(self, kind: str, length: int) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(length))
        self.end_headers()

    def _ended(self, name: str) -> dict[str, Any]:
        operation = {
            "status": "COMPLETED",
            "errorCode": None,
            "createdAt": _text(datetime.now(UTC)),
            "rootObjectCount": str(self.server.exports.counts[name]),
            "url": f"http://{self.headers['host']}/{name}",
            "partialDataUrl": None,
        }
        return {"bulkOperation": operation}


def _operation_started(query: str) -> dict[str, Any]:
    name = next(name for name in ("customers", "orders", "products") if f"{name}(" in query)
    return {"bulkOperationRunQuery": {"bulkOperation": {"id": name}, "userErrors": []}}


@contextmanager
def serving(folder: Path, customers: int, orders: int) -> Iterator[str]:
    """Serves the shop's Admin API and its files; yields `host:port`."""
    (folder / "products").touch()
    counts = {"customers": customers, "orders": orders, "products": 0}
    with _Server(_Exports(folder, counts)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
