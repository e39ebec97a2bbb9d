"""A coupon as a Shopify shop has it: a code discount, whose codes are added and deleted in bulk.

The discount is created with a code of its own that nobody gets. That code is derived from the
coupon, so that the run after one that was killed finds the discount by it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import batched
from typing import Any

from storepost.coupons.codes import ALPHABET, folded
from storepost.coupons.model import Code, Coupon, CouponTerms, ValueType
from storepost.shopify import documents
from storepost.shopify.admin import AdminClient
from storepost.shopify.errors import MutationRefused, RequestRefused, ShopUnavailable
from storepost.values.ids import derived_id
from storepost.values.money import Money
from storepost.values.wire import TEXT_LENGTH

CODES_OF_A_CALL = 250
"""Codes in one call."""

SEED_LENGTH = 24
LOOKS = 60
LOOK_AGAIN_SECONDS = 2.0
_DISCOUNT = "gid://shopify/DiscountCodeNode/"
_CODE = "gid://shopify/DiscountRedeemCode/"
_TAKEN_ERRORS = frozenset({"TAKEN", "DUPLICATE"})


@dataclass(frozen=True)
class CodeResult:
    """Holds the shop's answer for one code: its id there, or why the shop refused it."""

    external_id: str | None
    error: str | None


def make_discount(admin: AdminClient, coupon: Coupon, terms: CouponTerms, currency: str) -> str:
    """Returns the number of the coupon's discount, and creates it if there is none yet.

    Raises what `AdminClient.run` does.
    """
    seed = seed_of(coupon)
    known = _discount_of(admin, seed) or _created(admin, _discount(coupon, terms, seed, currency))
    return str(known["id"]).removeprefix(_DISCOUNT)


def _discount_of(admin: AdminClient, seed: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = admin.run(documents.DISCOUNT_OF_CODE, code=seed)[
        "codeDiscountNodeByCode"
    ]
    return found


def _created(admin: AdminClient, discount_input: dict[str, Any]) -> dict[str, Any]:
    """Creates a discount; one that another run created meanwhile, under its code, is the same."""
    try:
        made = admin.run(documents.DISCOUNT_CREATE, discount=discount_input)
    except MutationRefused:
        if known := _discount_of(admin, discount_input["code"]):
            return known
        raise
    created: dict[str, Any] = made["discountCodeBasicCreate"]["codeDiscountNode"]
    return created


def add_codes(admin: AdminClient, discount: str, codes: Sequence[Code]) -> dict[str, CodeResult]:
    """Adds codes in the shop; returns the result of each, by its folded text.

    Raises what `AdminClient.run` does.
    """
    code_inputs = [{"code": code.text} for code in codes]
    made = admin.run(documents.CODES_ADD, discountId=f"{_DISCOUNT}{discount}", codes=code_inputs)
    creation = made["discountRedeemCodeBulkAdd"]["bulkCreation"]["id"]
    results = dict[str, CodeResult]()
    for result in _results(admin, creation):
        results[folded(result["code"])] = _code_result(admin, discount, result)
    return results


def find_code(admin: AdminClient, discount: str, text: str) -> str | None:
    """Returns the number of the discount's code with this text, or None.

    Raises what `AdminClient.run` does.
    """
    found = _discount_of(admin, text)
    if found is None or found["id"] != f"{_DISCOUNT}{discount}":
        return None
    nodes = found["codeDiscount"]["codes"]["nodes"]
    return next((_number(each) for each in nodes if folded(each["code"]) == folded(text)), None)


def delete_codes(admin: AdminClient, discount: str, external_ids: Iterable[str]) -> None:
    """Deletes codes in the shop; one that isn't there counts as deleted.

    Raises what `AdminClient.run` does.
    """
    for some in batched(external_ids, CODES_OF_A_CALL, strict=False):
        ids = [f"{_CODE}{each}" for each in some]
        with _unless_gone(admin, discount):
            admin.run(documents.CODES_DELETE, discountId=f"{_DISCOUNT}{discount}", ids=ids)


def delete_unnamed(admin: AdminClient, coupon: Coupon) -> None:
    """Deletes a discount that a run created without storing its number, if there is one.

    Raises what `AdminClient.run` does.
    """
    if found := _discount_of(admin, seed_of(coupon)):
        delete_discount(admin, str(found["id"]).removeprefix(_DISCOUNT))


def delete_discount(admin: AdminClient, discount: str) -> None:
    """Deletes the discount in the shop, if it is there. Raises what `AdminClient.run` does."""
    with _unless_gone(admin, discount):
        admin.run(documents.DISCOUNT_DELETE, id=f"{_DISCOUNT}{discount}")


@contextmanager
def _unless_gone(admin: AdminClient, discount: str) -> Iterator[None]:
    """Ignores a refusal if the discount is gone, as it has no codes left to delete.

    Somebody deleted it in the shop, or a run that was killed before it could store that.
    """
    try:
        yield
    except MutationRefused:
        response = admin.run(documents.DISCOUNT, id=f"{_DISCOUNT}{discount}")
        if response["node"]:
            raise


def seed_of(coupon: Coupon) -> str:
    """Returns the discount's own code: it can't be guessed, and is always the same."""
    number, letters = derived_id(coupon.id, "discount").int, list[str]()
    for _ in range(SEED_LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(letters)


def _results(admin: AdminClient, creation: str) -> Iterable[dict[str, Any]]:
    """Returns the results of a bulk creation, once it is done."""
    after: str | None = None
    for _ in range(LOOKS):
        response = admin.run(documents.CODES_ADDED, id=creation, after=after)
        found = response["discountRedeemCodeBulkCreation"]
        if found is None:
            raise RequestRefused("the shop forgot a bulk creation")
        if not found["done"]:
            admin.wait(LOOK_AGAIN_SECONDS, "the shop is still making codes")
            continue
        yield from found["codes"]["nodes"]
        page = found["codes"]["pageInfo"]
        if not page["hasNextPage"]:
            return
        after = page["endCursor"]
    raise ShopUnavailable("the shop makes codes for too long")


def _code_result(admin: AdminClient, discount: str, result: dict[str, Any]) -> CodeResult:
    """Returns the shop's result for a code; one that it accepted before counts as new."""
    if result["discountRedeemCode"]:
        return CodeResult(_number(result["discountRedeemCode"]), None)
    errors = result["errors"]
    if {error["code"] for error in errors} & _TAKEN_ERRORS:
        known = find_code(admin, discount, result["code"])
        if known:
            return CodeResult(known, None)
    messages = "; ".join(str(error["message"]) for error in errors)
    return CodeResult(None, messages[:TEXT_LENGTH] or "The shop doesn't say why.")


def _number(code: dict[str, Any]) -> str:
    return str(code["id"]).removeprefix(_CODE)


def _discount(coupon: Coupon, terms: CouponTerms, seed: str, currency: str) -> dict[str, Any]:
    combines, ends_at = terms.combines_with, coupon.validity.ends_at
    discount_input: dict[str, Any] = {
        "title": coupon.name,
        "code": seed,
        "startsAt": coupon.created_at.isoformat(),
        "endsAt": ends_at.isoformat() if ends_at else None,
        "usageLimit": 1,
        "context": {"all": "ALL"},
        "customerGets": {"items": {"all": True}, "value": _value(terms, currency)},
    }
    if terms.minimum_subtotal:
        least = terms.minimum_subtotal.decimal
        discount_input["minimumRequirement"] = {"subtotal": {"greaterThanOrEqualToSubtotal": least}}
    if combines:
        discount_input["combinesWith"] = {
            "orderDiscounts": combines.order_discounts,
            "productDiscounts": combines.product_discounts,
            "shippingDiscounts": combines.shipping_discounts,
        }
    return discount_input


def _value(terms: CouponTerms, currency: str) -> dict[str, Any]:
    if terms.value_type is ValueType.PERCENTAGE:
        return {"percentage": terms.value / 100}
    amount = Money(terms.value, currency).decimal
    return {"discountAmount": {"amount": amount, "appliesOnEachItem": False}}
