"""Consents of addresses that nobody has, guarded by the claims that newcomers take.

A profile that begins to show an address demands that its consent is as it was read. Where nobody
has the address and nothing was said of it, the claim demands as much: who says something of an
address that nobody has writes its claim (docs/adr/0069). So a newcomer costs no condition on a row
that isn't there.
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
    """Demands that an address's consent is as `repository` read it; `identity` is the address's."""
    absent = repository.expect_consent(changes, address)
    if absent is not None:
        _absent(changes, workspace)[identity] = absent


def waive_absence(changes: Changes, workspace: WorkspaceScope, identity: Identity) -> None:
    """Takes back the demand that nothing is said of an address whose claim this unit creates."""
    row = _absent(changes, workspace).pop(identity, None)
    if row is not None:
        changes.withdraw(row)


def _absent(changes: Changes, workspace: WorkspaceScope) -> dict[Identity, Row]:
    """The rows that must not exist, by what they are about."""
    return changes.shared(("absent_consents", workspace), dict[Identity, Row])
