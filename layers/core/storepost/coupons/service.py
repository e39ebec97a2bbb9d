"""Creates coupons, fills their pools, and changes, ends and archives them."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from storepost.coupons.code_repository import CodeRepository
from storepost.coupons.codes import code_id
from storepost.coupons.coupon_work import WorkRepository
from storepost.coupons.expiring import end
from storepost.coupons.files import CodeFile, read_codes
from storepost.coupons.finding import found_coupon
from storepost.coupons.keys import code_key
from storepost.coupons.model import (
    Coupon,
    CouponKind,
    CouponSource,
    CouponStatus,
    CouponTerms,
    Reissue,
    Validity,
)
from storepost.coupons.pool import CODES_ADDED_AT_ONCE, add_codes, made_codes
from storepost.coupons.problems import (
    CouponArchived,
    CouponEnded,
    InvalidState,
    NotAPool,
    NoValidCodes,
    PermissionMissing,
)
from storepost.coupons.repository import CouponRepository
from storepost.coupons.rows import CodeItem
from storepost.platform.persistence.changes import Changes, LostRace
from storepost.platform.persistence.item import all_exist
from storepost.platform.persistence.objects import put_object
from storepost.stores.stores.finding import store_in_body
from storepost.stores.stores.model import Store
from storepost.stores.stores.problems import CurrencyMismatch, StoreDisconnected
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.ids import new_id, short
from storepost.values.problems import FieldError, ValidationFailed
from storepost.values.scope import WorkspaceScope


@dataclass(frozen=True)
class NewCoupon:
    """What people state of a coupon of the platform."""

    name: str
    kind: CouponKind
    quantity: int | None
    prefix: str | None
    terms: CouponTerms
    validity: Validity
    reissue: Reissue


@dataclass(frozen=True)
class FilledCoupon:
    """A coupon whose pool a unit of work fills."""

    coupon: Coupon
    store: Store
    added: int
    """Codes that are stored with it."""
    waiting: int
    """Codes that the worker will store."""


@dataclass(frozen=True)
class ImportedCoupon:
    """What people state of a coupon whose codes are in a file."""

    name: str
    validity: Validity
    reissue: Reissue


def create_coupon(
    workspace: WorkspaceScope, store_id: UUID, payload: NewCoupon, changes: Changes
) -> FilledCoupon:
    """Creates a coupon with generated codes: a pool's first at once, the rest by the worker.

    Raises StoreDisconnected, PermissionMissing and CurrencyMismatch.
    """
    store = _connected(workspace, store_id)
    _check_permission(store)
    least = payload.terms.minimum_subtotal
    if least and least.currency != store.currency:
        error = f"Must be {store.currency}, the store's currency"
        raise CurrencyMismatch(errors=[FieldError("/minimumSubtotal/currency", error)])
    coupon = Coupon(
        id=new_id(),
        workspace=workspace,
        store_id=store.id,
        name=payload.name,
        source=CouponSource.PLATFORM,
        kind=payload.kind,
        quantity=payload.quantity,
        prefix=payload.prefix,
        terms=payload.terms,
        validity=payload.validity,
        reissue=payload.reissue,
        status=CouponStatus.ACTIVE,
        created_at=clock.now(),
        on_platform=not store.is_custom,
    )
    added = _make(changes, _add(changes, coupon), coupon, payload.quantity or 0)
    return FilledCoupon(coupon, store, added, (payload.quantity or 0) - added)


def import_coupon(
    workspace: WorkspaceScope,
    store_id: UUID,
    payload: ImportedCoupon,
    content: str,
    column: str | None,
    changes: Changes,
) -> FilledCoupon:
    """Creates a coupon with the codes of a CSV file, which the worker stores.

    Raises StoreDisconnected, Unreadable, ColumnNotFound and NoValidCodes.
    """
    store = _connected(workspace, store_id)
    file = read_codes(content, column)
    coupon = Coupon(
        id=new_id(),
        workspace=workspace,
        store_id=store.id,
        name=payload.name,
        source=CouponSource.IMPORT,
        kind=CouponKind.BULK,
        quantity=None,
        prefix=None,
        terms=None,
        validity=payload.validity,
        reissue=payload.reissue,
        status=CouponStatus.ACTIVE,
        created_at=clock.now(),
        import_skipped=file.duplicates + len(file.faults),
    )
    _store_file(changes, _add(changes, coupon), coupon, file)
    return FilledCoupon(coupon, store, 0, len(file.codes))


def top_up(
    workspace: WorkspaceScope,
    coupon_id: UUID,
    changes: Changes,
    *,
    quantity: int | None = None,
    content: str | None = None,
    column: str | None = None,
) -> FilledCoupon:
    """Adds codes to a pool: so many new ones, or those of a CSV file.

    Raises CouponEnded, NotAPool, StoreDisconnected, PermissionMissing, and what an import does.
    """
    coupons = CouponRepository(workspace)
    coupon = found_coupon(coupons, coupon_id)
    if not coupon.is_active(clock.now()):
        raise CouponEnded()
    if coupon.kind is not CouponKind.BULK:
        raise NotAPool()
    store = _connected(workspace, coupon.store_id)
    added = waiting = 0
    if coupon.source is CouponSource.IMPORT:
        if content is None:
            raise _invalid_field("/content", "Required for a coupon of source `import`")
        file = read_codes(content, column)
        skipped = (coupon.import_skipped or 0) + file.duplicates + len(file.faults)
        coupon, waiting = replace(coupon, import_skipped=skipped), len(file.codes)
        _store_file(changes, coupons, coupon, file)
    else:
        if quantity is None:
            raise _invalid_field("/quantity", "Required for a coupon of source `platform`")
        _check_permission(store)
        coupon = replace(coupon, quantity=(coupon.quantity or 0) + quantity)
        added = _make(changes, coupons, coupon, quantity)
        waiting = quantity - added
    coupons.save(changes, coupon)
    return FilledCoupon(coupon, store, added, waiting)


def update_coupon(
    workspace: WorkspaceScope, coupon_id: UUID, fields: dict[str, Any], changes: Changes
) -> Coupon:
    """Changes the fields that are given. Raises CouponArchived."""
    coupons = CouponRepository(workspace)
    coupon = found_coupon(coupons, coupon_id)
    if coupon.status is CouponStatus.ARCHIVED:
        raise CouponArchived()
    after = replace(coupon, **fields)
    coupons.save(changes, after)
    return after


def end_coupon(workspace: WorkspaceScope, coupon_id: UUID, changes: Changes) -> Coupon:
    """Ends the coupon: nobody gets a code any more, and unassigned codes expire.

    Raises InvalidState.
    """
    coupons = CouponRepository(workspace)
    coupon = found_coupon(coupons, coupon_id)
    if not coupon.is_active(clock.now()):
        raise InvalidState()
    return end(changes, coupons, coupon)


def archive_coupon(workspace: WorkspaceScope, coupon_id: UUID, changes: Changes) -> Coupon:
    """Hides a coupon that has ended. Raises InvalidState."""
    coupons, now = CouponRepository(workspace), clock.now()
    coupon = found_coupon(coupons, coupon_id)
    if coupon.status_at(now) is not CouponStatus.ENDED:
        raise InvalidState()
    after = replace(coupon, status=CouponStatus.ARCHIVED, archived_at=now)
    coupons.save(changes, after)
    return after


def _connected(workspace: WorkspaceScope, store_id: UUID) -> Store:
    store = store_in_body(StoreRepository(workspace), store_id)
    if not store.is_active:
        raise StoreDisconnected()
    return store


def _check_permission(store: Store) -> None:
    if not store.makes_coupons:
        raise PermissionMissing()


def _invalid_field(path: str, message: str) -> ValidationFailed:
    return ValidationFailed(errors=[FieldError(path, message)])


def _add(changes: Changes, coupon: Coupon) -> CouponRepository:
    coupons = CouponRepository(coupon.workspace)
    coupons.save(changes, coupon)
    if coupon.validity.ends_at:
        coupons.look_at(changes, coupon, coupon.validity.ends_at)
    return coupons


def _make(changes: Changes, coupons: CouponRepository, coupon: Coupon, quantity: int) -> int:
    """Adds some generated codes, unless the platform must accept them; queues the rest."""
    added = 0
    if not coupon.on_platform:
        codes, texts = (
            CodeRepository(coupon.workspace),
            made_codes(coupon, min(quantity, CODES_ADDED_AT_ONCE)),
        )
        added, known = add_codes(changes, codes, coupon, texts)
        if known:
            raise LostRace()
    if quantity > added:
        WorkRepository(coupon.workspace, coupon.id).add(changes, quantity - added)
        coupons.send(changes, coupon.id)
    elif coupon.on_platform:
        coupons.send(changes, coupon.id)
    return added


def _store_file(
    changes: Changes, coupons: CouponRepository, coupon: Coupon, file: CodeFile
) -> None:
    """Stores the file's codes for the worker. Raises NoValidCodes if the store has all of them."""
    if not _has_new(coupon, file):
        raise NoValidCodes()
    name = f"coupons/{short(coupon.workspace.id)}/{short(coupon.id)}/{short(new_id())}"
    put_object(name, "\n".join(file.codes).encode())
    WorkRepository(coupon.workspace, coupon.id).add(changes, len(file.codes), name)
    coupons.send(changes, coupon.id)


def _has_new(coupon: Coupon, file: CodeFile) -> bool:
    ids = (code_id(coupon.store_id, text) for text in file.codes)
    return not all_exist(CodeItem, (code_key(coupon.workspace, each) for each in ids))
