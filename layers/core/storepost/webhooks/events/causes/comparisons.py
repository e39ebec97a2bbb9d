"""The comparisons that find the events of a changed row, by the kind of row.

Most groups are imported with the first record of their rows: a container of the stream's reader
that gets outbox rows and orders alone starts a quarter sooner.
"""

from collections.abc import Callable, Mapping
from functools import cache

from storepost.platform.persistence.item import Item
from storepost.webhooks.events.causes import orders
from storepost.webhooks.events.causes.cause import Comparison, Comparisons


def _orders() -> Comparisons:
    return orders.COMPARISONS


def _people() -> Comparisons:
    from storepost.webhooks.events.causes import people  # noqa: PLC0415 - 30 ms

    return people.COMPARISONS


def _selling() -> Comparisons:
    from storepost.webhooks.events.causes import selling  # noqa: PLC0415 - 25 ms

    return selling.COMPARISONS


def _stores() -> Comparisons:
    from storepost.webhooks.events.causes import stores  # noqa: PLC0415 - 30 ms

    return stores.COMPARISONS


def _workspace() -> Comparisons:
    from storepost.webhooks.events.causes import workspace  # noqa: PLC0415 - 30 ms

    return workspace.COMPARISONS


GROUPS: Mapping[Callable[[], Comparisons], frozenset[str]] = {
    _orders: frozenset({"order"}),
    _people: frozenset(
        {"profile", "merged_profile", "erased_profile", "consent_change", "suppression"}
    ),
    _selling: frozenset({"product", "coupon", "coupon_code"}),
    _stores: frozenset({"store", "import_turns", "store_import", "feed_import"}),
    _workspace: frozenset({"change_proposal", "membership", "api_key"}),
}
"""The kinds of rows of each group, by the function that imports it."""


@cache
def comparison_of(kind: str) -> Comparison | None:
    """Returns the comparison of rows of a kind; None if their changes lead to no event.

    The kind is that of the row after the write, or before it if the row was deleted. From then on,
    rows of the kind can be read.
    """
    for load, kinds in GROUPS.items():
        if kind in kinds:
            return kinds_of(load())[kind]
    return None


def kinds_of(comparisons: Comparisons) -> Mapping[str, Comparison]:
    """Returns a group's comparisons by the kind of row."""
    return {
        str(Item.kind.get_discriminator(model)): compare for model, compare in comparisons.items()
    }
