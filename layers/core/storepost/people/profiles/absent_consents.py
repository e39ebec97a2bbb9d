"""Consents of addresses that no profile has, guarded by the claims of new profiles.

A profile that starts to show an address needs the condition that the address's consent is as it was
read. For an address without a profile and without a consent, creating the claim is that condition:
a writer of such an address's consent also writes its claim (docs/adr/0069). So a new profile needs
no condition on a missing row.
"""

from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.profiles.model import Identity
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.row import Row
from storepost.values.scope import WorkspaceScope


def expect_consent_of(
    changes: Changes,
    workspace: WorkspaceScope,
    repository: ConsentRepository,
    address: Address,
    identity: Identity,
) -> None:
    """Expects an address's consent to be as `repository` read it; `identity` is the address's."""
    absent = repository.expect_consent(changes, address)
    if absent is not None:
        _absent(changes, workspace)[identity] = absent


def waive_absence(changes: Changes, workspace: WorkspaceScope, identity: Identity) -> None:
    """Withdraws the condition that an address has no consent; this unit creates its claim."""
    row = _absent(changes, workspace).pop(identity, None)
    if row is not None:
        changes.withdraw(row)


def _absent(changes: Changes, workspace: WorkspaceScope) -> dict[Identity, Row]:
    """The rows that must not exist, by the identity."""
    return changes.shared(("absent_consents", workspace), dict[Identity, Row])
