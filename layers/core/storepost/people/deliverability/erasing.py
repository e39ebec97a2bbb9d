"""Erases a person from suppressions: the address stays suppressed, by its keyed hash."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import batched

from storepost.people.consent.model import Address
from storepost.people.consent.repository import ConsentRepository
from storepost.people.deliverability.suppressing import holder_of
from storepost.people.profiles.erasing import addresses_of
from storepost.people.profiles.erasure import Erasure
from storepost.people.suppressions.model import AddressSuppressions, Suppression
from storepost.people.suppressions.repository import SuppressionRepository
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.values.scope import WorkspaceScope

_ADDRESSES_AT_ONCE = 100
"""Addresses that one call queries."""

_MAX_PAST = 40
"""Lifted suppressions that one transaction changes."""


def erase_suppressions(erasure: Erasure) -> bool:
    """Removes an erased person's addresses, and the notes about them, from suppressions."""
    repository = SuppressionRepository(erasure.workspace)
    for some in batched(addresses_of(erasure.identities), _ADDRESSES_AT_ONCE, strict=False):
        for address, state in repository.states_of(some).items():
            if state.version is not None:
                _erase(erasure.workspace, address)
    return False


def _erase(workspace: WorkspaceScope, address: Address) -> None:
    while commit_anew(partial(_erase_some, workspace=workspace, address=address)):
        pass


def _erase_some(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Returns whether there may be more. An address that another profile has by now stays."""
    if holder_of(changes, workspace, address).profile:
        return _erase_notes(changes, workspace, address)
    return erase_from_suppressions(changes, workspace, address, _MAX_PAST)


def _erase_notes(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Removes the notes from before the erasure, which are not about the address's new owner.

    Returns whether there may be more.
    """
    consents = ConsentRepository(workspace, changes.reads)
    erased_at = consents.with_erasure(address, consents.consent_of(address)).erased_at
    if erased_at is None:
        return False
    repository = SuppressionRepository(workspace, changes.reads)
    state = repository.state_of(address)
    forget = partial(Suppression.without_notes, until=erased_at)
    after = replace(state, stored=tuple(map(forget, state.stored)))
    return _save(changes, repository, state, after, forget, _MAX_PAST)


def erase_from_suppressions(
    changes: Changes, workspace: WorkspaceScope, address: Address, max_past: int
) -> bool:
    """Removes an address and the notes about it from its suppressions.

    It changes up to `max_past` lifted ones. Returns whether there may be more.
    """
    repository = SuppressionRepository(workspace, changes.reads)
    state = repository.state_of(address)
    return _save(changes, repository, state, state.erased(), Suppression.erased, max_past)


def _save(
    changes: Changes,
    repository: SuppressionRepository,
    state: AddressSuppressions,
    after: AddressSuppressions,
    forget: Callable[[Suppression], Suppression],
    max_past: int,
) -> bool:
    """Saves an address's suppressions, and up to `max_past` lifted ones after `forget`.

    Returns whether there may be more.
    """
    past = [each for each in repository.past_of(state.digest) if each != forget(each)]
    some = past[:max_past]
    if not some and after == state:
        return False
    repository.save(changes, after)
    for each in (*after.stored, *map(forget, some)):
        repository.rewrite(changes, each, state.digest)
    return len(past) > len(some)


def has_address_in_clear(changes: Changes, workspace: WorkspaceScope, address: Address) -> bool:
    """Returns whether suppressions have the address in clear, or notes about it."""
    repository = SuppressionRepository(workspace, changes.reads)
    state = repository.state_of(address)
    return state != state.erased() or bool(_past_naming(repository, state))


def _past_naming(
    repository: SuppressionRepository, state: AddressSuppressions
) -> list[Suppression]:
    """The lifted suppressions of an address that have it in clear."""
    return [each for each in repository.past_of(state.digest) if each != each.erased()]
