"""Finds what a query names by something that has no posting.

That is an id, also a merged profile's; an address of a person who shows another one; a coupon's
code.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from storepost.coupons.codes import code_id
from storepost.coupons.keys import code_key
from storepost.coupons.rows import CodeItem
from storepost.people.profiles.model import Identity, IdentityType
from storepost.people.profiles.repository import ProfileRepository
from storepost.platform.persistence.item import find_all
from storepost.platform.postings.entries import SearchKind
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import emails, phones
from storepost.values.scope import WorkspaceScope

type Named = dict[SearchKind, list[UUID]]


def named_by(workspace: WorkspaceScope, q: str, kinds: Collection[SearchKind]) -> Named:
    """Returns the ids that may be meant; a row says whether there is such a thing."""
    named: Named = defaultdict(list)
    identifier = _id_of(q)
    if identifier:
        named |= {kind: _with_id(workspace, kind, identifier) for kind in kinds}
    if SearchKind.PROFILE in kinds:
        named[SearchKind.PROFILE] += _with_address(workspace, q)
    if SearchKind.COUPON in kinds:
        stores = StoreRepository(workspace).all()
        named[SearchKind.COUPON] += _with_code(workspace, stores, q.strip())
    return {kind: ids for kind, ids in named.items() if ids}


def _with_id(workspace: WorkspaceScope, kind: SearchKind, identifier: UUID) -> list[UUID]:
    """Returns what could have the id; a merged profile's id finds its survivor."""
    if kind is not SearchKind.PROFILE:
        return [identifier]
    return [each.id for each in ProfileRepository(workspace).get_many([identifier])]


def _with_address(workspace: WorkspaceScope, q: str) -> list[UUID]:
    """Returns the profiles with this email or phone, whichever one they show."""
    identity = _address(q.strip())
    if identity is None:
        return []
    repository = ProfileRepository(workspace)
    claims = repository.claims_of([identity]).values()
    return [each.id for each in repository.get_many(claim.profile_id for claim in claims)]


def _address(q: str) -> Identity | None:
    try:
        if "@" in q:
            return Identity(IdentityType.EMAIL, emails.normalised(q))
        if q.startswith("+"):
            return Identity(IdentityType.PHONE, phones.normalised(q))
    except ValueError:
        return None
    return None


def _with_code(workspace: WorkspaceScope, stores: Iterable[Store], code: str) -> list[UUID]:
    """Returns the coupons with exactly this code, in any case: a code's id is derived from it."""
    rows = find_all(code_key(workspace, code_id(store.id, code)) for store in stores)
    return [row.coupon_id for row in rows.values() if isinstance(row, CodeItem)]


def _id_of(q: str) -> UUID | None:
    try:
        return UUID(q.strip())
    except ValueError:
        return None
