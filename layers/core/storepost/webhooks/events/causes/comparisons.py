"""The comparisons that find the events of a changed row, by the kind of row.

Most groups are imported with the first record of their rows: a container of the stream's reader
that gets outbox rows and orders alone starts a quarter sooner.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from storepost.platform.persistence.item import Item
from storepost.webhooks.events.causes.cause import Comparison, Comparisons

GROUPS: Mapping[str, frozenset[str]] = {
    "orders": frozenset({"order"}),
    "people": frozenset(
        {"profile", "merged_profile", "erased_profile", "consent_change", "suppression"}
    ),
    "selling": frozenset({"product", "coupon", "coupon_code"}),
    "stores": frozenset({"store", "import_turns", "store_import", "feed_import"}),
    "workspace": frozenset({"change_proposal", "membership", "api_key"}),
}
"""The kinds of rows of each module of this package that has comparisons."""


@cache
def comparison_of(kind: str) -> Comparison | None:
    """Returns the comparison of rows of a kind; None if their changes lead to no event.

    The kind is that of the row after the write, or before it if the row was deleted. From then on,
    rows of the kind can be read.
    """
    for group, kinds in GROUPS.items():
        if kind in kinds:
            return kinds_of(comparisons_in(group))[kind]
    return None


def comparisons_in(group: str) -> Comparisons:
    """Returns a group's comparisons by the model of row; the group is imported now."""
    comparisons: Comparisons = import_module(f"{__package__}.{group}").COMPARISONS
    return comparisons


def kinds_of(comparisons: Comparisons) -> Mapping[str, Comparison]:
    """Returns a group's comparisons by the kind of row."""
    return {
        str(Item.kind.get_discriminator(model)): compare for model, compare in comparisons.items()
    }
