"""Suppresses addresses that a store states are invalid (docs/semantics.md, section 2.7)."""

from datetime import datetime

from storepost.people.consent.model import Address
from storepost.people.deliverability.suppressing import Holder, NewSuppression, write_in_turn
from storepost.people.profiles.model import Profile
from storepost.people.suppressions.model import (
    AddressSuppressions,
    SuppressionReason,
    SuppressionSource,
)
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

NOTE = "A store has this address as invalid."


def suppress_invalid(
    changes: Changes, workspace: WorkspaceScope, address: Address, owner: Profile, at: datetime
) -> bool:
    """Suppresses an address that became invalid in a store at `at`.

    Does nothing where the address is already suppressed for good, or where such a suppression was
    lifted at that time or later. Returns whether the address is newly suppressed: then the caller
    saves `owner`, which has or gets the address, or holds its claim back.
    """
    repository = SuppressionRepository(workspace, changes.reads)
    state = repository.state_of(address)
    if state.blocks_for_good(clock.now()) or _was_lifted(repository, state, at):
        return False
    new = NewSuppression(SuppressionReason.INVALID, SuppressionSource.IMPORT, at, NOTE)
    _, newly = write_in_turn(
        changes, workspace, Holder(owner, {}), {address: state}, [(address, new)]
    )
    return bool(newly)


def _was_lifted(
    repository: SuppressionRepository, state: AddressSuppressions, at: datetime
) -> bool:
    """Whether such a suppression was lifted since; a concurrent lift changes the address's row."""
    if state.version is None:
        return False  # nothing has ever suppressed it
    return any(
        each.reason is SuppressionReason.INVALID and each.lifted_at and each.lifted_at >= at
        for each in repository.past_of(state.digest)
    )
