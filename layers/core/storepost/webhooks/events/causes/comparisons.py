"""The events of a change of each kind of row, by the kind.

The rows of most groups are loaded with the first record of theirs: a container of the stream's
reader that meets outbox rows and orders alone begins a quarter sooner.
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
"""The kinds of rows of each group, by what loads it."""


@cache
def comparison_of(kind: str) -> Comparison | None:
    """Returns what compares rows of a kind; None where their changes lead to no event.

    The kind is that of the row after the write, or before it where it was removed. Rows of the kind
    can be read from then on.
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
