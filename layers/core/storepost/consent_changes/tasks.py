"""What a message of the write-backs' queue asks for, as a value."""

from dataclasses import dataclass
from uuid import UUID

from storepost.consent.decision import ChangeRef
from storepost.consent.model import Address, ConsentChange, WriteBack
from storepost.customers.model import Customer
from storepost.scope import WorkspaceScope


@dataclass(frozen=True)
class Task:
    """One store's write-back of one change, while it is pending."""

    workspace: WorkspaceScope
    change: ConsentChange
    address: Address
    store_id: UUID

    @property
    def ref(self) -> ChangeRef:
        """Where the change stands."""
        return ChangeRef(self.change.profile_id, self.change.id)

    @property
    def named(self) -> dict[str, UUID]:
        """What its message names."""
        return {
            "workspaceId": self.workspace.id,
            "profileId": self.change.profile_id,
            "changeId": self.change.id,
            "storeId": self.store_id,
        }

    @property
    def begun(self) -> WriteBack:
        """The write-back as it was begun, of which something becomes."""
        known = self.change.write_back_to(self.store_id)
        return known.begun() if known else WriteBack(self.store_id)

    def addressed(self, customers: list[Customer]) -> list[Customer]:
        """Those of the customers that are there and whose own address is the changed one."""
        own = [c for c in customers if c.address(self.address.channel) == self.address.value]
        return [customer for customer in own if customer.deleted_at is None]
