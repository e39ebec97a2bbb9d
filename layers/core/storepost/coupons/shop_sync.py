"""Syncs a coupon with its shop: its discount, codes to add, and codes to delete.

Each step calls the shop first and stores the result afterwards. If a run is killed in between, the
next one calls again, which changes nothing there: the discount is found by its own code, a code
that is taken is known to be ours, and a deleted one is gone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import batched
from uuid import UUID

from storepost.coupons.assigning import assigned
from storepost.coupons.backoff import clear_backoff, schedule_retry
from storepost.coupons.codes import folded
from storepost.coupons.expiring import CODES_CHANGED_AT_ONCE, Repositories
from storepost.coupons.model import Code, CodeStatus, Coupon
from storepost.coupons.repository import CouponRepository
from storepost.coupons.rows import CodeRemovalItem
from storepost.coupons.shop_discounts import (
    CODES_OF_A_CALL,
    CodeResult,
    add_codes,
    delete_codes,
    delete_discount,
    make_discount,
)
from storepost.coupons.trees import CodeList, among
from storepost.platform.messaging.tries import TRIES, check_tries
from storepost.platform.persistence.changes import Changes, commit_anew
from storepost.shopify.admin import AdminClient, admin_of
from storepost.shopify.errors import MutationRefused, ShopifyError, ShopUnavailable
from storepost.stores.stores.model import Store
from storepost.stores.stores.repository import StoreRepository
from storepost.values import clock
from storepost.values.logs import log_unexpected, logger
from storepost.values.pagination import PageRequest
from storepost.values.scope import WorkspaceScope
from storepost.values.wire import TEXT_LENGTH

PATIENCE_SECONDS = 120.0
REMOVALS_AT_ONCE = 80
"""Removals in one transaction."""
_LIVE = frozenset({CodeStatus.PENDING, CodeStatus.AVAILABLE, CodeStatus.ASSIGNED})


@dataclass
class ShopSync:
    """Syncs a coupon with its shop in one run."""

    workspace: WorkspaceScope
    coupon_id: UUID
    tries: int
    """How many times the queue delivered the message, this one included."""
    failing: str | None = None
    """Why codes fail without a call to the shop; None until a call failed."""
    offers: bool = True
    """Whether the failed call was to add codes, not to delete some."""

    def sync_some(self) -> bool:
        """Sends the shop some of the coupon's changes; returns whether there may be more.

        If the shop refuses, or can't be reached after some tries, codes to add become failed;
        deletions are postponed.
        """
        coupon = CouponRepository(self.workspace).get(self.coupon_id)
        if coupon is None or not coupon.on_platform:
            return False
        store = StoreRepository(self.workspace).get(coupon.store_id)
        if store is None:
            return False
        if self.failing is None:
            try:
                check_tries(self.tries)
                return self._synced(coupon, store)
            except Exception as error:
                if self.tries < TRIES and not _lasts(error):
                    raise
                self.failing = _why(error)
        return self._give_up(coupon, store, self.failing)

    def _synced(self, coupon: Coupon, store: Store) -> bool:
        removals = CouponRepository(self.workspace).removals(coupon.id, CODES_OF_A_CALL)
        pending = self._pending(coupon)
        self.offers = bool(pending)
        is_over = _is_over(coupon)
        if not removals and not pending and not (coupon.external_id and is_over):
            if coupon.failed_syncs:
                commit_anew(partial(clear_backoff, coupon=coupon))
            self._create_missing_discount(coupon, store)
            return False
        with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
            if pending:
                # Alone: a failed deletion must not make codes fail.
                self._offer(admin, coupon, store, pending)
                return True
            if removals:
                self._delete_codes(admin, coupon, removals)
            if is_over and coupon.external_id and len(removals) < CODES_OF_A_CALL:
                delete_discount(admin, coupon.external_id)
                self._name_discount(None)
        return bool(removals or coupon.failed_syncs)

    def _delete_codes(
        self, admin: AdminClient, coupon: Coupon, removals: Sequence[CodeRemovalItem]
    ) -> None:
        """Deletes codes in the shop; without a discount, the shop has none."""
        if coupon.external_id:
            delete_codes(admin, coupon.external_id, (each.external_id for each in removals))
        for some in batched(removals, REMOVALS_AT_ONCE, strict=False):
            commit_anew(partial(CouponRepository(self.workspace).delete_removals, removals=some))

    def _create_missing_discount(self, coupon: Coupon, store: Store) -> None:
        """Creates the discount of an active coupon that has no codes yet."""
        if coupon.external_id is None and coupon.is_active(clock.now()):
            with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
                self._discount(admin, coupon, store)

    def _discount(self, admin: AdminClient, coupon: Coupon, store: Store) -> str:
        if coupon.external_id:
            return coupon.external_id
        if coupon.terms is None:
            raise RuntimeError("a coupon of the platform without terms")
        made = make_discount(admin, coupon, coupon.terms, store.currency)
        self._name_discount(made)
        return made

    def _name_discount(self, external_id: str | None) -> None:
        commit_anew(lambda changes: _name(changes, self.workspace, self.coupon_id, external_id))

    def _pending(self, coupon: Coupon) -> Sequence[Code]:
        """Returns some codes that the shop must accept."""
        if not coupon.is_active(clock.now()):
            return ()
        tree = CodeList(self.workspace, coupon.id).tree
        entries = tree.page(PageRequest(1, CODES_OF_A_CALL), by=among([CodeStatus.PENDING])).items
        codes = Repositories.of(self.workspace).codes.get_many_listed(entry.id for entry in entries)
        return [code for code in codes.values() if code.status is CodeStatus.PENDING]

    def _offer(
        self, admin: AdminClient, coupon: Coupon, store: Store, pending: Sequence[Code]
    ) -> None:
        results = add_codes(admin, self._discount(admin, coupon, store), pending)
        missing = CodeResult(None, "The shop doesn't say what became of it.")
        self._note(coupon, {code.id: results.get(folded(code.text), missing) for code in pending})

    def _note(self, coupon: Coupon, results: dict[UUID, CodeResult]) -> None:
        for some in batched(results.items(), CODES_CHANGED_AT_ONCE, strict=False):
            commit_anew(partial(_note, coupon=coupon, results=dict(some)))

    def _give_up(self, coupon: Coupon, store: Store, why: str) -> bool:
        """Fails some codes to add, or postpones deletions; returns whether there may be more."""
        if self.offers and (pending := self._pending(coupon)):
            self._note(coupon, {code.id: CodeResult(None, why) for code in pending})
            return True
        removals = CouponRepository(self.workspace).removals(coupon.id, 1)
        if removals or (coupon.external_id and _is_over(coupon)):
            commit_anew(partial(schedule_retry, coupon=coupon, is_connected=store.is_active))
        return False


def _note(changes: Changes, coupon: Coupon, results: dict[UUID, CodeResult]) -> None:
    """Stores the results of codes; a code that ended meanwhile is to be deleted in the shop."""
    repositories = Repositories.of(coupon.workspace)
    stored = repositories.coupons.get(coupon.id) or coupon
    for code in repositories.codes.get_many_listed(results).values():
        result = results[code.id]
        known = replace(code, external_id=result.external_id or code.external_id)
        status = code.status_shown(stored, clock.now())
        if status is CodeStatus.PENDING:
            repositories.codes.save(changes, code, _after(known, coupon, result))
        elif status is CodeStatus.EXPIRED and (result.external_id or code.status is not status):
            repositories.codes.save(changes, code, replace(known, status=CodeStatus.EXPIRED))
            repositories.coupons.queue_removal(changes, known)


def _after(code: Code, coupon: Coupon, result: CodeResult) -> Code:
    if result.error is not None:
        return replace(code, status=CodeStatus.FAILED, error=result.error)
    if code.profile_id is not None:
        return assigned(code, coupon)
    return replace(code, status=CodeStatus.AVAILABLE, error=None)


def _is_over(coupon: Coupon) -> bool:
    """Returns whether the coupon has ended, and none of its codes is still valid."""
    if coupon.is_active(clock.now()):
        return False
    stored = CodeList(coupon.workspace, coupon.id).stored()
    return not any(stored[status] for status in _LIVE)


def _name(
    changes: Changes, workspace: WorkspaceScope, coupon_id: UUID, external_id: str | None
) -> None:
    coupons = CouponRepository(workspace)
    coupon = coupons.get(coupon_id)
    if coupon and coupon.external_id != external_id:
        coupons.save(changes, replace(coupon, external_id=external_id))


def _lasts(error: Exception) -> bool:
    """Returns whether another try would fail in the same way."""
    return isinstance(error, ShopifyError) and not isinstance(error, ShopUnavailable)


def _why(error: Exception) -> str:
    """Returns what a failed code says of the error; one that nobody foresaw is only logged."""
    if not isinstance(error, ShopifyError):
        log_unexpected(error)
        return "The coupon couldn't be sent to the shop."
    logger.warning("a coupon was not sent to its shop", extra={"reason": str(error)})
    return _reason(error)


def _reason(error: ShopifyError) -> str:
    if isinstance(error, MutationRefused):
        return "; ".join(each.message for each in error.errors)[:TEXT_LENGTH]
    if isinstance(error, ShopUnavailable):
        return "The shop can't be reached."
    return "The shop doesn't let coupons be made, or has to be connected again."
