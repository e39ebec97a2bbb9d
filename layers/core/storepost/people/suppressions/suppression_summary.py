"""Whether the addresses that a profile shows are suppressed: copies on the profile.

The list of profiles counts by them who may get marketing. They are kept true without a condition on
rows that aren't there, so that a new profile costs two reads and no write more: who suppresses an
address writes the profile that has it, or takes the claim from under whoever is about to have it;
and who begins to show a suppressed address writes the address's row.

An address whose person was erased is the exception. A claim would name it, so who suppresses it
leaves none, and who begins to show it demands instead that nobody has suppressed it meanwhile.
"""

from collections.abc import Mapping

from storepost.people.consent.model import Address
from storepost.people.suppressions.model import AddressSuppressions
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

type KnownState = tuple[AddressSuppressions, bool]
"""What suppresses an address, and whether anybody who had it was erased."""


def saved_marks(changes: Changes, workspace: WorkspaceScope) -> dict[Address, bool]:
    """Returns which addresses a unit of work leaves suppressed, of those that it is about."""
    return changes.shared(("suppressions", workspace), dict[Address, bool])


def note_states(
    changes: Changes,
    workspace: WorkspaceScope,
    states: Mapping[Address, KnownState],
) -> None:
    """Lets a unit of work know what was read of many addresses after their claims."""
    _known_states(changes, workspace).update(states)


def is_suppressed_once_shown(
    changes: Changes, workspace: WorkspaceScope, address: Address, *, is_known: bool
) -> bool:
    """Returns whether an address is suppressed that a profile shows from now on.

    Its row is written then: nobody lifts the suppression meanwhile, and an address that was erased
    is known again. What was read ahead counts only of an address whose claim this unit takes, as
    that was read before; `is_known` says that the profile had it already.
    """
    marks = saved_marks(changes, workspace)
    if address not in marks:
        repository = SuppressionRepository(workspace, None if is_known else changes.reads)
        known = _known_states(changes, workspace).get(address)
        state, was_erased = known or repository.state_and_erasure(address)
        marks[address] = state.shown(clock.now()) is not None
        if marks[address]:
            _write(changes, repository, state, state.of_address(address.value))
        elif was_erased:
            repository.expect(changes, state)
    return marks[address]


def _write(
    changes: Changes,
    repository: SuppressionRepository,
    before: AddressSuppressions,
    after: AddressSuppressions,
) -> None:
    repository.save(changes, after)
    if after != before:
        for each in after.stored:
            repository.rewrite(changes, each, after.digest)


def _known_states(changes: Changes, workspace: WorkspaceScope) -> dict[Address, KnownState]:
    return changes.shared(("suppression_states", workspace), dict[Address, KnownState])
