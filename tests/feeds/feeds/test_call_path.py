"""A row of a feed on its way to a product, as docs/architecture.md shows it."""

from tests.docs.walks import walking
from tests.feeds.feeds.feed_store import Shop, csv


def test_feed_row_becomes_product(shop: Shop) -> None:
    with walking("A feed's row becomes a product"):
        shop.feed(csv({"id": "a", "title": "Cup", "price": "5"}))
    assert len(shop.products()) == 1
