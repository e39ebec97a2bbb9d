"""A tiny shop: it sends Storepost its products, customers and orders, and receives unsubscriptions.

Run it in the folder of a local run (`make run`), as docs/guides/connect-your-shop.md says.
"""

import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

from storepost_client import (
    ProblemError,
    Storepost,
    WebhookVerificationError,
    models,
    verify_webhook,
)

CREDENTIALS = Path(".local/credentials.json")
SUBSCRIBED = {"customer-1": True}
"""Whether a customer gets marketing emails: in a real shop, a column of its customers."""


def main() -> None:
    """Connects the shop, sends its records, and waits for changes of consent."""
    credentials = json.loads(CREDENTIALS.read_text())
    with Storepost(credentials["baseUrl"], credentials["apiKeys"]["write"]) as storepost:
        store = connect(storepost)
        with ThreadingHTTPServer(("127.0.0.1", 0), WriteBacks) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            WriteBacks.secret = listen_at(
                storepost, store, f"http://127.0.0.1:{server.server_port}/"
            )
            send_records(storepost, store)
            print(f"An email to Ada would have this link:\n  {unsubscribe_link(storepost, store)}")
            print("Waiting for write-backs; Ctrl-C ends the shop.", flush=True)
            try:
                threading.Event().wait()
            except KeyboardInterrupt:
                print("The shop is closed.")


def connect(storepost: Storepost) -> UUID:
    """Returns the shop's store in Storepost; the first run creates it, later runs find it."""
    shop = models.NewStore(
        platform="custom",
        name="Tiny shop",
        external_id="tiny-shop-python",
        currency="EUR",
        primary_locale="en",
        admin_url="http://127.0.0.1:9000/admin",
    )
    try:
        return storepost.stores.create(body=shop).id
    except ProblemError as problem:
        if problem.code != "store_exists":
            raise
        found = storepost.stores.list(q=shop.name, platform=["custom"], status=["active"])
        return next(each.id for each in found if each.external_id == shop.external_id)


def listen_at(storepost: Storepost, store: UUID, url: str) -> str:
    """Has write-backs sent to the address; returns the secret that signs them.

    Only a new secret is shown, so a later run requests another. A real shop stores it.
    """
    config = storepost.stores.put_write_back(store, body=models.NewWriteBack(url))
    secret = config.secret or storepost.stores.rotate_write_back(store).secret
    assert secret is not None
    return secret


def send_records(storepost: Storepost, store: UUID) -> None:
    """Sends a customer, a product and an order, each under the shop's own id."""
    now = datetime.now(UTC)
    price, nothing = models.Money(1290, "EUR"), models.Money(0, "EUR")
    customer = models.CustomerBody(
        external_created_at=now - timedelta(days=30),
        external_updated_at=now,
        email="ada@python-shop.example",
        first_name="Ada",
        email_marketing_consent="subscribed",
        email_marketing_consent_updated_at=now,
    )
    storepost.customers.put(store, "customer-1", body=customer)
    candle = models.ProductBody(
        updated_at=now,
        status="active",
        locales=[models.ProductTexts(locale="en", title="Beeswax candle")],
        variants=[models.ProductVariantBody(external_id="candle-1", title="Candle", price=price)],
    )
    storepost.products.put(store, "candle", body=candle)
    line = models.OrderLineItemBody(
        title="Beeswax candle",
        quantity=1,
        unit_price=price,
        total_discount=nothing,
        product_external_id="candle",
    )
    order = models.OrderBody(
        number="#1",
        placed_at=now,
        updated_at=now,
        financial_status="paid",
        fulfillment_status="unfulfilled",
        customer=models.OrderCustomerBody(external_id="customer-1", email=customer.email),
        total=price,
        subtotal=price,
        total_discounts=nothing,
        total_shipping=nothing,
        total_tax=nothing,
        total_refunded=nothing,
        line_items=[line],
    )
    storepost.orders.put(store, "order-1", body=order)
    orders = [each.number for each in storepost.orders.list(store_id=store)]
    print(f"Storepost has the shop's orders: {', '.join(orders)}")


def unsubscribe_link(storepost: Storepost, store: UUID) -> str:
    """Returns the unsubscribe link for an email to the customer."""
    (ada,) = storepost.profiles.list(store_id=store, external_id="customer-1")
    return storepost.unsubscribe_links.create(ada.id).url


class WriteBacks(BaseHTTPRequestHandler):
    """Receives changes of consent from Storepost."""

    secret: str

    def do_POST(self) -> None:
        """Accepts a write-back, if Storepost signed it."""
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            message = verify_webhook(self.secret, dict(self.headers.items()), body)
        except WebhookVerificationError as error:
            print(f"Refused: {error}", flush=True)
            return self.answer(401)
        # Answer soon, but only once it is stored: Storepost retries it without 2xx in 10 seconds.
        for customer in message["data"]["customers"]:
            SUBSCRIBED[customer["externalId"]] = message["data"]["state"] == "subscribed"
            print(f"Verified: {customer['externalId']} is {message['data']['state']}", flush=True)
        return self.answer(204)

    def answer(self, status: int) -> None:
        """Sends an answer without a body."""
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: the shop prints its own lines."""


if __name__ == "__main__":
    main()
