"""An owner with a store that sells products, as in the catalog's tests."""

from tests.catalog.conftest import owner, store

__all__ = ["owner", "store"]
