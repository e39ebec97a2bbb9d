"""Customers whose address belongs to another profile: their stores get its changes, too."""

from storepost.people.consent.decision import CustomerRef
from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository, saved_states
from storepost.platform.persistence.changes import Changes
from storepost.values.scope import WorkspaceScope


def note_customer(
    changes: Changes, workspace: WorkspaceScope, address: Address, customer: CustomerRef
) -> None:
    """Adds a customer to the address's other customers.

    An address that the unit of work has saved already is skipped.
    """
    if address in saved_states(changes, workspace):
        return
    repository = ConsentRepository(workspace, changes.reads)
    consent = repository.with_erasure(address, repository.consent_of(address))
    if customer not in consent.other_customers:
        repository.save_consent(changes, address, consent.with_customer(customer))


def detach_customer(
    changes: Changes, workspace: WorkspaceScope, address: Address, customer: CustomerRef
) -> None:
    """Removes the customer from the address's other customers, if it is one of them."""
    repository = ConsentRepository(workspace, changes.reads)
    consent = repository.consent_of(address)
    if customer in consent.other_customers:
        repository.save_consent(changes, address, consent.without_customer(customer))
