"""Currencies: the table is ours, ended codes stay in it, and no answer refuses what is stored."""

from typing import Any

import iso4217
import pytest

from storepost.values.money import Money, currencies, digits
from tests.formats.raw import kind_of, put_raw, raw_rows, replace_in
from tests.harness.world import Someone, World
from tests.orders.sample import eur, order

ENDED = {"BGN": 2, "HRK": 2, "LTL": 2, "LVL": 2, "EEK": 2, "ITL": 0, "TRL": 0, "BYR": 0, "VEF": 2}
STRANGE = "QQQ"
"""A code that a later release may know and this one doesn't."""


def in_currency(code: str, **change: object) -> dict[str, Any]:
    """Returns an order whose amounts are all in one currency."""
    body: dict[str, Any] = replace_in(order(**change), lambda text: code if text == "EUR" else text)
    return body


def test_table_has_all_codes_of_iso_4217() -> None:
    """A new release of the library may add a code: add it to `values/currencies.json`."""
    now = {each.code: int(each.exponent or 0) for each in iso4217.Currency}
    assert {code: digits(code) for code in now} == now


@pytest.mark.parametrize("code", ENDED)
def test_obsolete_code_has_its_digits(code: str) -> None:
    assert digits(code) == ENDED[code]
    assert code in currencies()


@pytest.mark.parametrize("code", ["QQQ", "eur", ""])
def test_unknown_currency_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="ISO 4217"):
        digits(code)


def test_decimal_amount_of_an_obsolete_currency() -> None:
    assert Money(129990, "BGN").decimal == "1299.90"
    assert Money(1299, "ITL").decimal == "1299"


def test_order_in_an_obsolete_currency_is_stored_and_read(world: World, owner: Someone) -> None:
    store = world.store(owner, currency="BGN")
    put = owner.call("PUT", f"/stores/{store}/orders/1", in_currency("BGN"))
    assert put.status == 201, put.body
    read = owner.call("GET", f"/orders/{put.json['id']}")
    assert (read.status, read.json["total"]) == (200, {"amount": 5499, "currency": "BGN"})


def test_store_that_adopted_the_euro_updates_old_orders(world: World, owner: Someone) -> None:
    store = world.store(owner, currency="BGN")
    path = f"/stores/{store}/orders/1"
    made = owner.call("PUT", path, in_currency("BGN")).json["id"]
    for row in raw_rows("store"):
        put_raw({**row, "currency": {"S": "EUR"}})
    later = {"updatedAt": "2026-03-02T10:31:00Z"}
    put = owner.call("PUT", path, in_currency("BGN", **later))
    assert (put.status, put.json["id"]) == (200, made)
    refused = owner.call("PUT", f"/stores/{store}/orders/2", in_currency("BGN"))
    assert refused.problem() == (422, "currency_mismatch")


def test_request_with_unknown_currency_is_refused(world: World, owner: Someone) -> None:
    store = world.store(owner)
    wrong = order(total={**eur(1), "currency": STRANGE})
    answer = owner.call("PUT", f"/stores/{store}/orders/1", wrong)
    assert answer.error_paths() == ["/total/currency"]


def test_stored_currency_of_another_release_is_returned(world: World, owner: Someone) -> None:
    """An order, its store, the list and the buyer have a currency that this release lacks."""
    store = world.store(owner)
    body = order()
    made = owner.call("PUT", f"/stores/{store}/orders/1", body).json
    for row in raw_rows():
        if kind_of(row) != "session":
            put_raw(replace_in(row, lambda text: text.replace("EUR", STRANGE)))
    read = owner.call("GET", f"/orders/{made['id']}")
    assert (read.status, read.json["total"]["currency"]) == (200, STRANGE)
    [listed] = owner.call("GET", "/orders").json["items"]
    assert listed["total"] == {"amount": 5499, "currency": STRANGE}
    [buyer] = owner.call("GET", "/profiles").json["items"]
    profile = owner.call("GET", f"/profiles/{buyer['id']}").json
    assert profile["spent"] == [{"amount": 5499, "currency": STRANGE}]
    assert owner.call("GET", f"/stores/{store}").json["currency"] == STRANGE
