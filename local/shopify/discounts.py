"""A pretend shop's code discounts, and the bulk creation of their codes."""

from collections.abc import Mapping, Sequence
from typing import Any

from local.shopify.discount_records import (
    CODE_GID,
    CREATION_GID,
    GID,
    MAX_CODES,
    Creation,
    Discount,
)
from local.shopify.shops import Shop


def create(shop: Shop, payload: Mapping[str, Any]) -> dict[str, Any]:
    """`discountCodeBasicCreate`."""
    code = str(payload.get("code") or "")
    error = _fault(shop, code)
    if error:
        return {"codeDiscountNode": None, "userErrors": [{"field": ["code"], **error}]}
    shop.numbers += 1
    discount = Discount(shop.numbers, dict(payload), {code: shop.numbers})
    shop.discounts.append(discount)
    return {"codeDiscountNode": discount.node(), "userErrors": []}


def by_id(shop: Shop, gid: str) -> dict[str, Any] | None:
    """`node`, for a discount."""
    found = _found(shop, gid)
    return found.node() if found else None


def of_code(shop: Shop, code: str) -> dict[str, Any] | None:
    """`codeDiscountNodeByCode`, ignoring the code's case."""
    found = _holder(shop, code)
    return found.node(code) if found else None


def delete(shop: Shop, gid: str) -> dict[str, Any]:
    """`discountCodeDelete`."""
    discount = _found(shop, gid)
    if discount is None:
        return {"deletedCodeDiscountId": None, "userErrors": [_unknown("id")]}
    shop.discounts.remove(discount)
    return {"deletedCodeDiscountId": gid, "userErrors": []}


def add_codes(shop: Shop, gid: str, codes: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """`discountRedeemCodeBulkAdd`."""
    discount = _found(shop, gid)
    if discount is None:
        return {"bulkCreation": None, "userErrors": [_unknown("discountId")]}
    if not 0 < len(codes) <= MAX_CODES:
        error = {"field": ["codes"], "message": "Too many codes", "code": "INVALID"}
        return {"bulkCreation": None, "userErrors": [error]}
    results = [_added(shop, discount, each["code"]) for each in codes]
    shop.creations.append(Creation(len(shop.creations) + 1, results))
    return {"bulkCreation": shop.creations[-1].node(), "userErrors": []}


def creation(shop: Shop, gid: str) -> dict[str, Any] | None:
    """`discountRedeemCodeBulkCreation`; it is done after some polls."""
    found = next((c for c in shop.creations if f"{CREATION_GID}{c.number}" == gid), None)
    if found is None:
        return None
    node = found.node()
    found.looks -= 1
    return node


def created(made: Mapping[str, Any], first: int | None, after: str | None) -> dict[str, Any]:
    """Returns a page of the results of a bulk creation's codes."""
    results, begin = made["of"].results, int(after or 0)
    end = begin + (first or MAX_CODES)
    return {
        "nodes": results[begin:end],
        "pageInfo": {"hasNextPage": end < len(results), "endCursor": str(end)},
    }


def delete_codes(shop: Shop, gid: str, ids: Sequence[str] | None) -> dict[str, Any]:
    """`discountCodeRedeemCodeBulkDelete`; it ignores ids of missing codes."""
    discount = _found(shop, gid)
    if discount is None:
        return {"job": None, "userErrors": [_unknown("discountId")]}
    deleted = set(ids or ())
    discount.codes = {c: n for c, n in discount.codes.items() if f"{CODE_GID}{n}" not in deleted}
    return {"job": {"id": "gid://shopify/Job/1", "done": False}, "userErrors": []}


def _added(shop: Shop, discount: Discount, code: str) -> dict[str, Any]:
    error = _fault(shop, code)
    if error:
        return {"code": code, "discountRedeemCode": None, "errors": [{"field": None, **error}]}
    shop.numbers += 1
    discount.codes[code] = shop.numbers
    made = {"id": f"{CODE_GID}{shop.numbers}", "code": code}
    return {"code": code, "discountRedeemCode": made, "errors": []}


def _fault(shop: Shop, code: str) -> dict[str, str] | None:
    if not code:
        return {"message": "Code can't be blank", "code": "BLANK"}
    if _holder(shop, code):
        return {"message": "Code must be unique. Please try a different code.", "code": "TAKEN"}
    return None


def _holder(shop: Shop, code: str) -> Discount | None:
    return next(
        (d for d in shop.discounts if code.casefold() in {c.casefold() for c in d.codes}), None
    )


def _found(shop: Shop, gid: str) -> Discount | None:
    return next((d for d in shop.discounts if f"{GID}{d.number}" == gid), None)


def _unknown(name: str) -> dict[str, Any]:
    return {"field": [name], "message": "Code discount does not exist.", "code": "INVALID"}
