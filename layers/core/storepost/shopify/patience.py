"""How long a caller may be kept waiting by a shop: all waits of a task share one sum."""

from time import sleep

from storepost.shopify.errors import ShopUnavailable


class Patience:
    """The seconds that may be waited."""

    def __init__(self, seconds: float) -> None:
        """`seconds` is the sum of all waits."""
        self._remaining = seconds

    def wait(self, seconds: float, why: str) -> None:
        """Waits that long; raises ShopUnavailable at once if less time is left."""
        if seconds > self._remaining:
            raise ShopUnavailable(why)
        self._remaining -= seconds
        sleep(seconds)
