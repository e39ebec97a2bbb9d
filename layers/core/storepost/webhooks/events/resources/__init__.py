"""The resources that messages of events show, by their groups.

A delivery shows one of them. The shapes of all take a quarter of a function's import time, so a
group is imported with its first event.
"""

from importlib import import_module
from typing import cast

from storepost.webhooks.events.resources.reader import Reader

GROUPS = {
    "profile": "people",
    "consent_change": "people",
    "suppression": "people",
    "order": "selling",
    "product": "selling",
    "coupon": "selling",
    "coupon_code": "selling",
    "store": "stores",
    "store_import": "stores",
    "feed_import": "stores",
    "member": "workspace",
    "api_key": "workspace",
    "change_proposal": "workspace",
}
"""The module of each kind of resource."""


def reader_of(kind: str) -> Reader:
    """Returns the function that reads a resource of the kind."""
    module = import_module(f"{__name__}.{GROUPS[kind]}")
    return cast("Reader", module.READERS[kind])
