"""Rows of customers, each stored under its store and the store's own id of it."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action

from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.model import ConsentChange
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers.contradictions import Contradictions
from storepost.people.customers.model import Customer, customer_id
from storepost.people.profiles.model import Identity, IdentityType, Profile
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    amend,
)
from storepost.platform.persistence.mapping import as_value, write_to
from storepost.platform.persistence.reads import Reads, UnitRepository
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class CustomerItem(VersionedItem, discriminator="customer"):
    """A store's customer, a deleted one too."""

    id = Identifier()
    store_id = Identifier()
    external_id = UnicodeAttribute()
    profile_id = Identifier()
    admin_url = UnicodeAttribute()
    first_name = UnicodeAttribute(null=True)
    last_name = UnicodeAttribute(null=True)
    email = UnicodeAttribute(null=True)
    phone = UnicodeAttribute(null=True)
    locale = UnicodeAttribute(null=True)
    email_consent = UnicodeAttribute()
    sms_consent = UnicodeAttribute()
    external_created_at = UtcDateTimeAttribute()
    external_updated_at = UtcDateTimeAttribute()
    deleted_at = UtcDateTimeAttribute(null=True)
    email_consent_at = UtcDateTimeAttribute(null=True)
    sms_consent_at = UtcDateTimeAttribute(null=True)
    email_refused_at = UtcDateTimeAttribute(null=True)
    sms_refused_at = UtcDateTimeAttribute(null=True)
    email_contradictions = NumberAttribute(null=True)
    sms_contradictions = NumberAttribute(null=True)
    """How often the store sent another state after it accepted an unsubscription, until the time in
    the attribute beside.
    """
    email_contradicted_at = UtcDateTimeAttribute(null=True)
    sms_contradicted_at = UtcDateTimeAttribute(null=True)
    email_delivery = UnicodeAttribute(null=True, attr_name="email_told")
    sms_delivery = UnicodeAttribute(null=True, attr_name="sms_told")
    email_proof = UnicodeAttribute(null=True)
    sms_proof = UnicodeAttribute(null=True)
    email_invalid_at = UtcDateTimeAttribute(null=True)
    sms_invalid_at = UtcDateTimeAttribute(null=True)


class DeletedCustomerItem(VersionedItem, discriminator="deleted_customer"):
    """Records the deletion of a customer whose data isn't stored, under the customer's key."""

    at = UtcDateTimeAttribute()


class RedactedCustomerItem(Item, discriminator="redacted_customer"):
    """Records a redaction: no data that the shop sent about the customer before may be stored."""

    at = UtcDateTimeAttribute()


DELETION_KEPT = timedelta(days=30)
"""For a customer whose data isn't stored: longer than a webhook or an import takes to arrive."""

_COLUMNS = {
    Channel.EMAIL: (
        CustomerItem.email_consent,
        CustomerItem.email_consent_at,
        CustomerItem.email_delivery,
        CustomerItem.email,
    ),
    Channel.SMS: (
        CustomerItem.sms_consent,
        CustomerItem.sms_consent_at,
        CustomerItem.sms_delivery,
        CustomerItem.phone,
    ),
}


def customer_key(workspace: WorkspaceScope, store_id: UUID, external_id: str) -> Key:
    """Returns the key of a customer; the external id is last, as it may have any character."""
    return (workspace.partition("customer", short(store_id), external_id), "customer")


def redacted_partitions(workspace: WorkspaceScope) -> list[str]:
    """Returns the partitions of a workspace's redacted customers.

    There are several, as each import reads from them.
    """
    return [workspace.partition("redacted", digit) for digit in "0123456789"]


def redacted_key(workspace: WorkspaceScope, store_id: UUID, external_id: str) -> Key:
    """Returns the key of the row that records a customer's redaction.

    Shops' customer ids are numbers.
    """
    return (
        workspace.partition("redacted", external_id[-1:]),
        f"customer#{short(store_id)}#{external_id}",
    )


class CustomerRepository(UnitRepository):
    """A workspace's customers."""

    def __init__(self, workspace: WorkspaceScope, reads: Reads | None = None) -> None:
        """Makes the repository of one workspace; `reads` belongs to a unit of work."""
        super().__init__(workspace, reads)
        self._read: dict[UUID, CustomerItem] = {}
        self._deleted: dict[UUID, DeletedCustomerItem] = {}

    def get(self, store_id: UUID, external_id: str) -> Customer | None:
        """Returns the customer, a deleted one too."""
        item = self._reads.find(Item, customer_key(self._scope, store_id, external_id))
        if isinstance(item, DeletedCustomerItem):
            self._deleted[customer_id(store_id, external_id)] = item
        return self._as_customer(item) if isinstance(item, CustomerItem) else None

    def of_profile(
        self, profile: Profile, store_id: UUID | None = None, others: Iterable[CustomerRef] = ()
    ) -> list[Customer]:
        """Returns the profile's customers, and `others`; deleted ones too.

        They are of one store, or of all. A customer left from an erased person isn't returned until
        the worker removes it: an order may have moved the id to another profile.
        """
        return self.of_person(profile.identities, profile.partitions, store_id, others)

    def of_person(
        self,
        identities: Iterable[Identity],
        partitions: Iterable[UUID],
        store_id: UUID | None = None,
        others: Iterable[CustomerRef] = (),
    ) -> list[Customer]:
        """Like `of_profile`, for a person with these identities, who may be erased."""
        ids = [
            (each.store_id, each.value)
            for each in identities
            if each.type is IdentityType.PLATFORM_CUSTOMER_ID and each.store_id is not None
        ]
        own_ids = [(at, value) for at, value in ids if store_id in {None, at}]
        named = {(each.store_id, each.external_id) for each in others}
        customer_ids = dict.fromkeys([*own_ids, *sorted(named)])
        found = self._found(customer_key(self._scope, at, value) for at, value in customer_ids)
        own = set(partitions)
        return [
            each
            for each in found
            if each.profile_id in own or (each.store_id, each.external_id) in named
        ]

    def save(self, changes: Changes, customer: Customer) -> None:
        """Writes the customer, if it is unchanged since it was read here."""
        item = self._read.get(customer.id) or self._new(customer)
        # An accepted change is of the address that the customer had then.
        if item.email != customer.email:
            item.email_delivery = None
        if item.phone != customer.phone:
            item.sms_delivery = None
        email, sms = customer.email_contradictions, customer.sms_contradictions
        write_to(
            item,
            customer,
            email_contradictions=email.count or None,
            email_contradicted_at=email.last_at,
            sms_contradictions=sms.count or None,
            sms_contradicted_at=sms.last_at,
            email_delivery=item.email_delivery,
            sms_delivery=item.sms_delivery,
        )
        changes.save(item)

    def delete(self, changes: Changes, customer: Customer) -> None:
        """Deletes the customer, if it is unchanged since it was read here."""
        changes.delete(self._read[customer.id])

    def tombstone(self, changes: Changes, store_id: UUID, external_id: str, at: datetime) -> None:
        """Writes that a customer was deleted at a time, and keeps no data that was read here."""
        item = self._deleted.get(customer_id(store_id, external_id))
        if item is None:
            item = DeletedCustomerItem(*customer_key(self._scope, store_id, external_id), at=at)
            if (read := self._read.get(customer_id(store_id, external_id))) is not None:
                item.version = read.version
        item.at = max(item.at, at)
        item.expiration = clock.now() + DELETION_KEPT
        changes.save(item)

    def bar(self, changes: Changes, store_id: UUID, external_id: str, at: datetime) -> None:
        """Writes that a customer was redacted at a time, unless a later redaction is stored."""
        key, known = redacted_key(self._scope, store_id, external_id), RedactedCustomerItem.at
        row = self._reads.find(RedactedCustomerItem, key)
        if row is None or row.at < at:
            is_earlier = known.does_not_exist() | (known < at)
            changes.save(RedactedCustomerItem(*key, at=at), is_earlier)

    def bars(self, store_id: UUID, external_id: str, updated_at: datetime) -> bool:
        """Returns whether the customer was redacted or deleted after data of that time.

        The customer was read here before.
        """
        deleted = self._deleted.get(customer_id(store_id, external_id))
        if deleted is not None and updated_at <= deleted.at:
            return True
        return self.redacts(store_id, external_id, updated_at)

    def redacts(self, store_id: UUID, external_id: str, updated_at: datetime) -> bool:
        """Returns whether a shop's customer was redacted after data of that time."""
        key = redacted_key(self._scope, store_id, external_id)
        row = self._reads.find(RedactedCustomerItem, key)
        return row is not None and updated_at <= row.at

    def note_delivered(self, customer: Customer, change: ConsentChange) -> bool:
        """Writes an accepted change to the customer's row, as if the store had sent it.

        Returns False where the store has sent another state or address since the row was read, or a
        later record that is still subscribed, although the change is an opt-out.
        """
        channel = change.channel
        consent, consent_at, delivery, address = _COLUMNS[channel]
        unchanged = (consent == customer.consent(channel).value) & (address == change.address)
        if change.is_opt_out and customer.consent(channel) is ConsentState.SUBSCRIBED:
            unchanged &= CustomerItem.external_updated_at == customer.external_updated_at
        key = customer_key(self._scope, customer.store_id, customer.external_id)
        actions: list[Action] = [
            consent.set(change.state.value),
            consent_at.set(change.occurred_at),
            delivery.set(change.delivery_id_for(customer.store_id)),
        ]
        return amend(CustomerItem(*key), actions, unchanged)

    def _new(self, customer: Customer) -> CustomerItem:
        """A new row for the customer, which replaces a record of an earlier deletion."""
        item = CustomerItem(*customer_key(self._scope, customer.store_id, customer.external_id))
        if (deleted := self._deleted.get(customer.id)) is not None:
            item.version = deleted.version
        return item

    def _found(self, keys: Iterable[Key]) -> list[Customer]:
        rows = self._reads.find_all(keys).values()
        return [self._as_customer(row) for row in rows if isinstance(row, CustomerItem)]

    def _as_customer(self, item: CustomerItem) -> Customer:
        self._read[item.id] = item
        return as_value(
            Customer,
            item,
            email_contradictions=_contradictions(
                item.email_contradictions, item.email_contradicted_at
            ),
            sms_contradictions=_contradictions(item.sms_contradictions, item.sms_contradicted_at),
        )


def _contradictions(count: float | None, last_at: datetime | None) -> Contradictions:
    return Contradictions(int(count or 0), last_at)
