"""A client of a local run, as in the folder above."""

from tests.local.conftest import client

__all__ = ["client"]
