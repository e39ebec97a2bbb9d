"""Whether the addresses that a profile shows are suppressed: copies on the profile.

The list of profiles counts by these copies the profiles that may get marketing. They are kept
correct without conditions on missing rows, so that a new profile costs two more reads and no more
writes. A writer that suppresses an address also writes the profile that has it, or replaces its
claim, so that a concurrent claim fails. A writer that starts to show a suppressed address also
writes the address's row.

An address whose person was erased is the exception. A claim would name the address, so suppressing
it leaves none, and a writer that starts to show it adds the condition that it wasn't suppressed
meanwhile.
"""

from collections.abc import Mapping

from storepost.people.consent.model import Address
from storepost.people.suppressions.model import AddressSuppressions
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.scope import WorkspaceScope

type KnownState = tuple[AddressSuppressions, bool]
"""An address's suppressions, and whether a person who had it was erased."""


def saved_marks(changes: Changes, workspace: WorkspaceScope) -> dict[Address, bool]:
    """Returns the addresses that a unit of work concerns, and whether it leaves them suppressed."""
    return changes.shared(("suppressions", workspace), dict[Address, bool])


def note_states(
    changes: Changes,
    workspace: WorkspaceScope,
    states: Mapping[Address, KnownState],
) -> None:
    """Gives a unit of work the states of many addresses, which were read after their claims."""
    _known_states(changes, workspace).update(states)


def is_suppressed_once_shown(
    changes: Changes, workspace: WorkspaceScope, address: Address, *, is_known: bool
) -> bool:
    """Returns whether an address that a profile starts to show is suppressed.

    If so, its row is written: no concurrent writer lifts the suppression, and the address of an
    erased person is stored again. Rows that were read ahead only count for an address whose claim
    this unit takes, as the claim was read before them; `is_known` means that the profile had the
    address already.
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
