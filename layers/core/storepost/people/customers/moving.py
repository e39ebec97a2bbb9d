"""Moves a merged profile's customers of stores."""

from storepost.people.customers.repository import CustomerItem, customer_key
from storepost.people.profiles.model import IdentityType
from storepost.people.profiles.moving import Move
from storepost.platform.persistence.item import amend


def move_customers(move: Move) -> bool:
    """Sets the surviving profile in the merged profile's customers."""
    kind = IdentityType.PLATFORM_CUSTOMER_ID
    for each in move.identities:
        if each.type is kind and each.store_id:
            row = CustomerItem(*customer_key(move.workspace, each.store_id, each.value))
            into = CustomerItem.profile_id.set(move.into)
            amend(row, [into], CustomerItem.profile_id == move.source)
    return False
