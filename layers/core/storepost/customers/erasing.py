"""What an erased profile leaves in stores' customers."""

from itertools import batched

from storepost.customers.repository import CustomerItem, customer_key
from storepost.persistence.item import remove
from storepost.profiles.erasure import Erasure
from storepost.profiles.model import IdentityType

_MOST_NAMES = 90
"""Of partitions in one condition, which takes a hundred."""


def erase_customers(erasure: Erasure) -> bool:
    """Removes the erased person's customers; a store that still has one may put it anew."""
    for each in erasure.identities:
        if each.type is IdentityType.PLATFORM_CUSTOMER_ID and each.store_id:
            row = CustomerItem(*customer_key(erasure.workspace, each.store_id, each.value))
            for some in batched(erasure.partitions, _MOST_NAMES, strict=False):
                remove(row, CustomerItem.profile_id.is_in(*some))
    return False
