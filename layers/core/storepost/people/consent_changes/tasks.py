"""What a message of the write-backs' queue asks for, as a value."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from storepost.people.consent.decision import AddressConsent, ChangeRef
from storepost.people.consent.model import Address, ConsentChange, WriteBack
from storepost.people.consent.states import ConsentState
from storepost.people.consent.write_back_messages import NamedAttempt, group_of, series_of
from storepost.people.customers.model import Customer
from storepost.values.scope import WorkspaceScope

_MOMENT = timedelta(milliseconds=1)
NAMED = ("workspaceId", "profileId", "changeId", "storeId")
"""The fields of a message; what else it has is another release's."""


@dataclass(frozen=True)
class Task:
    """One store's write-back of one change, while it is pending."""

    workspace: WorkspaceScope
    change: ConsentChange
    address: Address
    store_id: UUID

    @property
    def ref(self) -> ChangeRef:
        """Returns where the change stands."""
        return ChangeRef(self.change.profile_id, self.change.id)

    @property
    def named(self) -> dict[str, UUID]:
        """Returns what its message names."""
        ids = (self.workspace.id, self.change.profile_id, self.change.id, self.store_id)
        return dict(zip(NAMED, ids, strict=True))

    @property
    def pending(self) -> WriteBack:
        """Returns the write-back as it is, with the attempts that were made."""
        return self.change.write_back_to(self.store_id) or WriteBack(self.store_id)

    @property
    def group(self) -> str:
        """Returns the FIFO group of its messages."""
        return group_of(self.address.value, self.store_id)

    @property
    def next_attempt(self) -> NamedAttempt:
        """Returns what its next attempt's message names, once this one is noted."""
        number = len(self.pending.attempts) + 2
        return NamedAttempt(number, series_of(self.pending.pending_since))

    def dated(self, consent: AddressConsent, customers: Iterable[Customer]) -> "Task":
        """Returns the task with the change dated so that the store has nothing later.

        That is when it was said last. A no is dated after what a customer had, where that is a
        later yes that didn't count: a shop takes nothing that is older than what it has.
        """
        moments = [self.change.occurred_at, consent.as_of or self.change.occurred_at]
        if self.change.state is ConsentState.UNSUBSCRIBED:
            moments += (m + _MOMENT for m in map(self._contradicted_at, customers) if m)
        return replace(self, change=replace(self.change, occurred_at=max(moments)))

    def _contradicted_at(self, customer: Customer) -> datetime | None:
        channel = self.address.channel
        has_it = customer.consent(channel) is self.change.state
        return None if has_it else customer.consent_at(channel)

    def addressed(self, customers: list[Customer]) -> list[Customer]:
        """Returns the customers that are there and whose own address is the changed one."""
        own = [c for c in customers if c.address(self.address.channel) == self.address.value]
        return [customer for customer in own if customer.deleted_at is None]
