"""Syncs a coupon with its shop: its discount, codes to add, and codes to delete.

Each step calls the shop first and stores the result afterwards. If a run is killed in between, the
next one calls again, which changes nothing there: the discount is found by its own code, a code
that is taken is known to be ours, and a deleted one is gone.
"""

from collections.abc import Iterable, Sequence
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
from storepost.coupons.rows import CodeInDoubtItem, CodeRemovalItem, RemovalRow
from storepost.coupons.shop_discounts import (
    CODES_OF_A_CALL,
    CodeResult,
    add_codes,
    delete_codes,
    delete_discount,
    delete_unnamed,
    find_code,
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
DOUBTS_AT_ONCE = 40
"""Codes that are searched for in the shop before that is stored."""
_LIVE = frozenset({CodeStatus.PENDING, CodeStatus.AVAILABLE, CodeStatus.ASSIGNED})
_NOT_VALID = frozenset({CodeStatus.EXPIRED, CodeStatus.FAILED})


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
    is_in_doubt: bool = False
    """Whether the shop may have codes that were sent, as it didn't answer."""

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
                self.is_in_doubt = self.is_in_doubt or self.tries > 1
        return self._give_up(coupon, store, self.failing)

    def _synced(self, coupon: Coupon, store: Store) -> bool:
        pending = self._pending(coupon)
        self.offers = bool(pending)
        if pending:
            # Alone: a failed deletion must not make codes fail.
            with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
                self._offer(admin, coupon, store, pending)
            return True
        removals = CouponRepository(self.workspace).removals(coupon.id, CODES_OF_A_CALL)
        is_over = _is_over(coupon)
        if not removals and not (coupon.external_id and is_over):
            self._conclude(coupon, store, is_over=is_over)
            return False
        with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
            self._delete_codes(admin, coupon, removals, is_over=is_over)
            if is_over and coupon.external_id and len(removals) < CODES_OF_A_CALL:
                delete_discount(admin, coupon.external_id)
                self._name_discount(None)
        return bool(removals or coupon.failed_syncs)

    def _delete_codes(
        self, admin: AdminClient, coupon: Coupon, removals: Sequence[RemovalRow], *, is_over: bool
    ) -> None:
        """Deletes codes in the shop; without a discount, the shop has none.

        Of a coupon that is over, codes that the shop may have go with the discount.
        """
        known = [each for each in removals if isinstance(each, CodeRemovalItem)]
        doubts = [each for each in removals if isinstance(each, CodeInDoubtItem)][:DOUBTS_AT_ONCE]
        if coupon.external_id:
            ids = [each.external_id for each in known]
            if doubts and not is_over:
                ids += self._found(admin, coupon.external_id, doubts)
            delete_codes(admin, coupon.external_id, ids)
        for some in batched((*known, *doubts), REMOVALS_AT_ONCE, strict=False):
            commit_anew(partial(CouponRepository(self.workspace).delete_removals, removals=some))

    def _found(
        self, admin: AdminClient, discount: str, doubts: Iterable[CodeInDoubtItem]
    ) -> list[str]:
        """Returns the numbers of those codes that the shop has and that aren't valid."""
        texts = {each.code_id: each.text for each in doubts}
        codes = Repositories.of(self.workspace).codes.get_many(texts)
        retried = {each for each, code in codes.items() if code.status not in _NOT_VALID}
        found = [find_code(admin, discount, texts[each]) for each in texts.keys() - retried]
        return [each for each in found if each]

    def _conclude(self, coupon: Coupon, store: Store, *, is_over: bool) -> None:
        """Creates or deletes the discount of a coupon that has no codes to add or to delete.

        It is created with an active coupon that has no codes yet. It is deleted if an earlier run
        ended before it could store the discount's number.
        """
        if coupon.failed_syncs:
            commit_anew(partial(clear_backoff, coupon=coupon))
        if coupon.external_id is not None:
            return
        if coupon.is_active(clock.now()):
            with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
                self._discount(admin, coupon, store)
        elif is_over and self.tries > 1:
            with admin_of(store, patience_seconds=PATIENCE_SECONDS) as admin:
                delete_unnamed(admin, coupon)

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
        discount = self._discount(admin, coupon, store)
        self.is_in_doubt = True
        results = add_codes(admin, discount, pending)
        self.is_in_doubt = False
        missing = CodeResult(None, "The shop doesn't say what became of it.")
        self._note(coupon, {code.id: results.get(folded(code.text), missing) for code in pending})

    def _note(
        self, coupon: Coupon, results: dict[UUID, CodeResult], *, is_in_doubt: bool = False
    ) -> None:
        for some in batched(results.items(), CODES_CHANGED_AT_ONCE, strict=False):
            noting = partial(_note, coupon=coupon, results=dict(some), is_in_doubt=is_in_doubt)
            commit_anew(noting)

    def _give_up(self, coupon: Coupon, store: Store, why: str) -> bool:
        """Fails some codes to add, or postpones deletions; returns whether there may be more."""
        if self.offers and (pending := self._pending(coupon)):
            is_in_doubt, self.is_in_doubt = self.is_in_doubt, False
            results = {code.id: CodeResult(None, why) for code in pending}
            self._note(coupon, results, is_in_doubt=is_in_doubt)
            return True
        removals = CouponRepository(self.workspace).removals(coupon.id, 1)
        if removals or (coupon.external_id and _is_over(coupon)):
            commit_anew(partial(schedule_retry, coupon=coupon, is_connected=store.is_active))
        return False


def _note(
    changes: Changes, coupon: Coupon, results: dict[UUID, CodeResult], *, is_in_doubt: bool
) -> None:
    """Stores the results of codes; a code that ended meanwhile is to be deleted in the shop.

    So is one of unknown result that the shop may have, even if it could be added again later.
    """
    repositories = Repositories.of(coupon.workspace)
    stored = repositories.coupons.get(coupon.id) or coupon
    for code in repositories.codes.get_many_listed(results).values():
        result = results[code.id]
        known = replace(code, external_id=result.external_id or code.external_id)
        status = code.status_shown(stored, clock.now())
        if status not in {CodeStatus.PENDING, CodeStatus.EXPIRED}:
            continue
        if is_in_doubt and stored.external_id:
            repositories.coupons.doubt(changes, code)
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
