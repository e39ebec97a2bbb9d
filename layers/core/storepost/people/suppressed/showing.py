"""Whether the addresses that a profile shows are suppressed: copies on the profile.

The list of profiles counts by them who may get marketing. They are kept true without a condition on
rows that aren't there, so that a new profile costs one read and no write more: who suppresses an
address writes the profile that has it, or takes the claim from under whoever is about to have it;
and who begins to show a suppressed address writes the address's row.
"""

from storepost.people.consent.model import Address
from storepost.people.suppressed.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope


def saved_marks(changes: Changes, workspace: WorkspaceScope) -> dict[Address, bool]:
    """Returns which addresses a unit of work leaves suppressed, of those that it is about."""
    return changes.shared(("suppressions", workspace), dict[Address, bool])


def is_suppressed_once_shown(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Returns whether an address is suppressed that a profile shows from now on.

    Its row is written then: nobody lifts the suppression meanwhile, and an address that was erased
    is known again.
    """
    marks = saved_marks(changes, workspace)
    if address not in marks:
        repository = SuppressionRepository(workspace, changes.reads)
        state = repository.state_of(address)
        marks[address] = state.shown(clock.now()) is not None
        if marks[address]:
            known = state.of_address(address.value)
            repository.save(changes, known)
            if state.address is None:
                for each in known.stored:
                    repository.rewrite(changes, each, state.digest)
    return marks[address]
