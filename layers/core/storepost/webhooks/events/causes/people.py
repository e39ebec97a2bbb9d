"""The events of a change of a profile's row, and of a new change of consent."""

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.rows import as_change_ref
from storepost.people.consent.states import ConsentState
from storepost.people.profiles.model import visible_fields
from storepost.people.profiles.rows import (
    ErasedProfileItem,
    MergedProfileItem,
    ProfileItem,
    as_profile,
)
from storepost.people.suppressions.rows import SuppressionItem
from storepost.platform.persistence.item import Item
from storepost.values.ids import from_short
from storepost.values.scope import WorkspaceScope
from storepost.webhooks.events.causes.cause import Cause, Comparisons, one_cause
from storepost.webhooks.events.model import Resource


def profile_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares what is stored under a profile's id: the profile, or what became of it."""
    if isinstance(new, ProfileItem):
        return _of_profile(old if isinstance(old, ProfileItem) else None, new)
    if not isinstance(old, ProfileItem):
        return None
    if isinstance(new, MergedProfileItem):
        survivor = Resource("profile", new.into)
        types = ("profile.merged", "profile.updated")
        return Cause(types, survivor, {"mergedProfileId": new.id})
    if isinstance(new, ErasedProfileItem):
        merged = " ".join(str(from_short(each)) for each in new.merged or ())
        erased = Resource("profile", new.id)
        return Cause(("profile.erased",), erased, {"mergedProfileIds": merged}, always=True)
    return None


def _of_profile(old: ProfileItem | None, new: ProfileItem) -> Cause | None:
    resource = Resource("profile", new.id)
    if old is None:
        return Cause(("profile.created",), resource)
    # The same commit leads to `profile.merged`.
    if (new.merges or 0) > (old.merges or 0) or _visible(old) == _visible(new):
        return None
    return Cause(("profile.updated",), resource)


def _visible(row: ProfileItem) -> tuple[object, ...]:
    return visible_fields(as_profile(WorkspaceScope.of(row.pk), row))


def consent_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Returns the event of the change that holds after a new one.

    That is the new one, or an earlier one that it restores: a subscription, or the question for one
    that an older unsubscription leaves. A change that was superseded from the start has no event,
    nor has the progress of write-backs, which is no change of consent.
    """
    if old is not None or not isinstance(new, ConsentChangeItem):
        return None
    restored = as_change_ref(new.restored)
    if restored is None and new.superseded is not None:
        return None
    holds = restored or ChangeRef(new.profile_id, new.id)
    is_no = new.state == ConsentState.UNSUBSCRIBED
    resource, ids = Resource("consent_change", holds.change_id), {"profileId": holds.profile_id}
    return Cause(("consent.changed",), resource, ids, always=is_no)


def suppression_cause(old: Item | None, new: Item | None) -> Cause | None:
    """Compares a suppression's row: new, or lifted; one that ends by itself is lifted then."""
    if not isinstance(new, SuppressionItem):
        return None
    before = old if isinstance(old, SuppressionItem) else None
    resource = Resource("suppression", new.id)
    if new.lifted_at is not None:
        was_lifted = before is not None and before.lifted_at is not None
        return None if was_lifted else Cause(("suppression.deleted",), resource, always=True)
    return None if before else Cause(("suppression.created",), resource, always=True)


COMPARISONS: Comparisons = {
    ProfileItem: one_cause(profile_cause),
    MergedProfileItem: one_cause(profile_cause),
    ErasedProfileItem: one_cause(profile_cause),
    ConsentChangeItem: one_cause(consent_cause),
    SuppressionItem: one_cause(suppression_cause),
}
"""The comparisons of these kinds of rows."""
