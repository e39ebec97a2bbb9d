"""A store that sells products, as in the catalog's tests."""

from tests.catalog.conftest import store

__all__ = ["store"]
