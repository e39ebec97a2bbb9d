"""The worker that removes the rest of an erased profile.

A message only names the profile; the row in the profile's place locates its other rows. Rows are
deleted before the claims that lead to them, partitions in the order in which merges move rows, and
the row in the profile's place last. So a message may arrive twice, late, or after a run that was
killed anywhere (docs/adr/0060).
"""

from functools import partial
from uuid import UUID

from storepost.coupons.erasing import erase_holder
from storepost.lifecycle.erasures.messages import ProfileErasureMessage
from storepost.lifecycle.erasures.owed_opt_outs import owe_other_opt_outs
from storepost.orders.erasing import erase_buyer
from storepost.people.customers.erasing import erase_customers
from storepost.people.deliverability.erasing import erase_suppressions
from storepost.people.events.erasing import erase_events
from storepost.people.opt_in.erasing import erase_opt_in_requests
from storepost.people.profiles.erasing import (
    erase_addresses,
    erase_claims,
    erase_evidence,
    erase_history,
    erase_index_entries,
    erase_merges,
    erase_postings,
)
from storepost.people.profiles.erasure import Eraser
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.jobs.runs import Run
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.platform.persistence.write_marks import WriteMark, marking

ERASERS: tuple[Eraser, ...] = (
    erase_index_entries,
    erase_postings,
    owe_other_opt_outs,
    erase_addresses,
    erase_history,
    erase_evidence,
    erase_suppressions,
    erase_opt_in_requests,
    erase_buyer,
    erase_events,
    erase_holder,
    erase_customers,
    erase_merges,
    erase_claims,
)
"""Each is in the slice that has the rows."""


def erase(run: Run[ProfileErasureMessage]) -> None:
    """Removes the rest of an erased profile."""
    repository, profile_id = ProfileRepository(run.message.workspace), run.message.profile_id
    erasure = repository.erasure_of(profile_id)
    if erasure is None:
        return
    with marking(WriteMark.UPKEEP):
        run.do(*(partial(eraser, erasure) for eraser in ERASERS))
    commit_anew(lambda changes: _end(changes, repository, profile_id))


def _end(changes: Changes, repository: ProfileRepository, profile_id: UUID) -> None:
    if repository.erasure_of(profile_id):
        repository.delete_erased_row(changes, profile_id)
