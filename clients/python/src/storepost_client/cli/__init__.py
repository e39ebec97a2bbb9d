"""`storepost`: every operation from a terminal, and write-backs as they arrive."""

from storepost_client.cli.main import main

__all__ = ["main"]
