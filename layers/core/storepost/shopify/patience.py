"""How long somebody may be kept waiting by a shop: all waits of a task draw on one sum."""

from time import sleep

from storepost.shopify.errors import ShopUnavailable


class Patience:
    """A sum of seconds that may be waited."""

    def __init__(self, seconds: float) -> None:
        """`seconds` is all that there is, over every wait together."""
        self._remaining = seconds

    def wait(self, seconds: float, why: str) -> None:
        """Waits that long; raises ShopUnavailable at once where it is more than is left."""
        if seconds > self._remaining:
            raise ShopUnavailable(why)
        self._remaining -= seconds
        sleep(seconds)
