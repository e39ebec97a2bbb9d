"""What a merged profile leaves in stores' customers."""

from storepost.people.customers.repository import CustomerItem, customer_key
from storepost.people.profiles.model import IdentityType
from storepost.people.profiles.moving import Move
from storepost.platform.persistence.item import amend


def move_customers(move: Move) -> bool:
    """Lets the merged profile's customers name the other one."""
    kind = IdentityType.PLATFORM_CUSTOMER_ID
    for each in move.identities:
        if each.type is kind and each.store_id:
            row = CustomerItem(*customer_key(move.workspace, each.store_id, each.value))
            into = CustomerItem.profile_id.set(move.into)
            amend(row, [into], CustomerItem.profile_id == move.source)
    return False
