"""Pulls on the wire."""

from storepost.store_imports.model import ImportScope
from storepost.wire import RequestBody


class NewImport(RequestBody):
    """What is to be pulled from a store's platform."""

    scope: ImportScope
