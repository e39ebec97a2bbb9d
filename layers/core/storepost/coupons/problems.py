"""What can be wrong with coupons and codes (docs/interface.md, section 9)."""

from storepost.values.problems import Conflict, ValidationFailed


class PermissionMissing(Conflict):
    """The shop doesn't let the app make discounts."""

    code = "permission_missing"
    title = "The shop doesn't let coupons be made"
    remedy = "Connect the shop again, so that somebody there can approve of discounts."


class CouponArchived(Conflict):
    """An archived coupon stays as it is."""

    code = "coupon_archived"
    title = "The coupon is archived"
    remedy = "Make a new coupon."


class CouponEnded(Conflict):
    """The coupon gives no codes out any more."""

    code = "coupon_ended"
    title = "The coupon has ended"
    remedy = "Use a coupon whose status is `active`."


class NotAPool(Conflict):
    """The coupon's codes are made for each person."""

    code = "not_a_pool"
    title = "The coupon has no pool of codes"
    remedy = "Add codes to a coupon of kind `bulk`; a personal one makes each when it is assigned."


class InvalidState(Conflict):
    """The coupon can't go from where it is to there."""

    code = "invalid_state"
    title = "The coupon isn't in a state for that"
    remedy = "End a coupon that is `active`; archive one that is `ended`."


class NoCodesLeft(Conflict):
    """The pool has no available code."""

    code = "no_codes_left"
    title = "No codes are left"
    remedy = "Add codes with `POST /coupons/{id}/codes`; codes that are `pending` need a moment."


class ProfileNotInStore(Conflict):
    """The person is no customer of the coupon's store."""

    code = "profile_not_in_store"
    title = "The profile isn't known to the coupon's store"
    remedy = "Assign codes to people of that store: `storeIds` of a profile says which know it."


class CodeNotFailed(Conflict):
    """Only what failed can be tried again."""

    code = "code_not_failed"
    title = "The code hasn't failed"
    remedy = "Retry codes whose status is `failed`."


class CodeAssigned(Conflict):
    """The code may be with somebody, or was."""

    code = "code_assigned"
    title = "The code can't be deleted"
    remedy = "Delete codes whose status is `available` or `failed`."


class ColumnNotFound(ValidationFailed):
    """No column has that name, or none has codes."""

    code = "column_not_found"
    title = "There is no such column"
    remedy = "Name the column with the codes as the first row does, or leave `column` out."


class NoValidCodes(ValidationFailed):
    """There is nothing to import."""

    code = "no_valid_codes"
    title = "No code can be imported"
    remedy = "Check the content with `POST /coupons/import/check`: it says what is wrong with rows."
