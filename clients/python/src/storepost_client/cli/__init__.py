"""`storepost`: every operation from a terminal, and write-backs as they come."""

from storepost_client.cli.main import main

__all__ = ["main"]
