"""The first screen: the service's addresses, and calls to copy."""

from pathlib import Path

from local import demo
from local.gateway.endpoints import CATALOGUE_PATH, WEBHOOK_PATH, WRITE_BACK_PATH


def screen(origin: str, made: demo.Demo, seconds: float, start_over: str | None = None) -> str:
    """Returns the screen's text; `start_over` is set if the rows outlive the run."""
    credentials = made.credentials
    note = "Everything is in memory and gone at the end. Ctrl-C stops it."
    if start_over:
        note = f"Ctrl-C stops it; the next run goes on from there. To start over: {start_over}"
    link = ""
    if made.unsubscribe_url:
        link = f"""Or as they do it themselves, by the link in an email (open it in a browser):
  {made.unsubscribe_url}

"""
    file = demo.CREDENTIALS.relative_to(Path.cwd(), walk_up=True)
    return f"""
Storepost runs at {credentials.base_url} (ready in {seconds:.1f} s)

Keys and sessions of the demo: {file}
The reference, with every operation: {credentials.base_url}/docs
A product feed to try (the demo's shop has it): {origin}{CATALOGUE_PATH}
The pretend store, which takes any write-back: {origin}{WRITE_BACK_PATH}
The pretend webhook endpoint, which takes any message: {origin}{WEBHOOK_PATH}
Feeds, write-backs and webhooks of your own shop may be on this machine too, such as
http://127.0.0.1:9000/ (docs/guides/connect-your-shop.md has one that works).

List the orders:
  curl -H 'Authorization: Bearer {credentials.api_keys["read"]}' \\
    {credentials.base_url}/orders

Unsubscribe somebody from marketing emails:
  curl -X PUT -H 'Authorization: Bearer {credentials.api_keys["write"]}' \\
    -H 'Content-Type: application/json' -d '{{"state": "unsubscribed"}}' \\
    {credentials.base_url}/profiles/{made.subscriber_id}/consent/email

{link}See how the store was notified:
  curl {origin}/_local/write-backs

Connect a shop of the pretend Shopify (open the `path` of the answer in a browser, and sign in
there as {demo.OWNER} with the password {demo.PASSWORD!r}):
  curl -H 'Authorization: Bearer {credentials.sessions["owner"]}' \\
    -H 'Content-Type: application/json' \\
    -d '{{"type": "shopify", "shop": "{demo.OTHER_SHOPIFY_SHOP}"}}' \\
    {credentials.base_url}/connections

Run one function in a container, on its sample (needs Docker):
  make invoke FUNCTION=OrdersFunction EVENT=events/api/orders.json

Emails with their codes, write-backs, queues, rows, the clock, the last requests: {origin}/_local/
{note}
"""
