"""What can be wrong with coupons and codes (docs/interface.md, section 9)."""

from storepost.values.problems import Conflict, ValidationFailed


class PermissionMissing(Conflict):
    """The shop doesn't let the app make discounts."""

    code = "permission_missing"
    title = "The shop doesn't allow Storepost to make coupons"
    remedy = "Connect the shop again, and let somebody there allow the app to make discounts."


class CouponArchived(Conflict):
    """An archived coupon stays as it is."""

    code = "coupon_archived"
    title = "The coupon is archived"
    remedy = "An archived coupon can't be changed. Make a new one."


class CouponEnded(Conflict):
    """The coupon gives no codes out any more."""

    code = "coupon_ended"
    title = "The coupon has ended"
    remedy = "Use a coupon whose `status` is `active`, or make a new one."


class NotAPool(Conflict):
    """The coupon's codes are made for each person."""

    code = "not_a_pool"
    title = "The coupon makes its codes one at a time"
    remedy = (
        "Add codes to a coupon of kind `bulk`. A `personal` coupon makes a code when it is "
        "assigned."
    )


class InvalidState(Conflict):
    """The coupon's present status doesn't lead to the requested one."""

    code = "invalid_state"
    title = "The coupon's status doesn't allow this"
    remedy = "End a coupon that is `active`; archive one that is `ended`."


class NoCodesLeft(Conflict):
    """The coupon has no available code."""

    code = "no_codes_left"
    title = "No codes are left"
    remedy = (
        "Add codes with `POST /coupons/{id}/codes`, or try again later: codes that are `pending` "
        "become available."
    )


class ProfileNotInStore(Conflict):
    """The person is no customer of the coupon's store."""

    code = "profile_not_in_store"
    title = "The coupon's store doesn't know this person"
    remedy = (
        "Assign the code to somebody whose profile has that store in `storeIds`. A person comes "
        "into a custom store as one of its customers: `PUT /stores/{id}/customers/{externalId}`."
    )


class CodeNotFailed(Conflict):
    """Only what failed can be tried again."""

    code = "code_not_failed"
    title = "The code hasn't failed"
    remedy = "Only a code whose `status` is `failed` can be tried again."


class CodeAssigned(Conflict):
    """The code may be with somebody, or was."""

    code = "code_assigned"
    title = "The code can't be deleted"
    remedy = "Only a code whose `status` is `available` or `failed` can be deleted."


class ColumnNotFound(ValidationFailed):
    """No column has that name, or none has codes."""

    code = "column_not_found"
    title = "No column with codes was found"
    remedy = (
        "Set `column` to the name that the file's first row gives the column with the codes, or "
        "leave it out."
    )


class NoValidCodes(ValidationFailed):
    """There is nothing to import."""

    code = "no_valid_codes"
    title = "No code can be imported"
    remedy = (
        "Check the file with `POST /coupons/import/check`: it says what is wrong with each row."
    )
