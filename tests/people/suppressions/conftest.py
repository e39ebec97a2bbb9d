"""A shop, and a store that listens, as the tests of consent have them."""

from tests.people.consent.conftest import listener, shop

__all__ = ["listener", "shop"]
