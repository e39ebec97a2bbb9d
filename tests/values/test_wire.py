"""Rules for every shape of a request: its fields' names, and its values' errors."""

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from pydantic import ValidationError

import storepost
from storepost.people.profiles.bodies import UpsertProfile
from storepost.values.field_errors import errors_of_record
from storepost.values.phones import normalised
from storepost.values.wire import MoneyShape, RequestBody


def errors(shape: type[Any], sent: object) -> list[tuple[str, str]]:
    """The errors of the answer: places and messages."""
    with pytest.raises(ValidationError) as raised:
        shape.model_validate(sent)
    found = errors_of_record(raised.value.errors(include_url=False), sent, shape)
    return [(each.path, each.message) for each in found]


def shapes(base: type[RequestBody]) -> list[type[RequestBody]]:
    """All shapes of requests."""
    return [each for one in base.__subclasses__() for each in (one, *shapes(one))]


def test_body_is_represented_without_its_values() -> None:
    """Else Powertools would spell out each request for a log line that is off."""
    assert repr(UpsertProfile.model_validate({"email": "ann@example.com"})) == "UpsertProfile()"


def test_python_field_names_are_refused() -> None:
    """`first_name` is no field of a request, though code calls `firstName` so."""
    for module in walk_packages(storepost.__path__, "storepost."):
        if module.name.endswith(("schemas", "bodies")):
            import_module(module.name)
    found = set(shapes(RequestBody))
    assert len(found) > 60
    for shape in found:
        aliases = {name: field.alias for name, field in shape.model_fields.items()}
        other = [name for name, alias in aliases.items() if alias not in {None, name}]
        refused = errors(shape, dict.fromkeys(other)) if other else []
        unknown = {path for path, text in refused if text.startswith("There is no such field")}
        assert {f"/{name}" for name in other} <= unknown, shape


def test_python_name_beside_the_public_one_is_refused() -> None:
    sent = {"email": "ann@example.com", "firstName": "Ann", "first_name": "Bob"}
    message = "There is no such field. Did you mean `firstName`?"
    assert errors(UpsertProfile, sent) == [("/first_name", message)]


@pytest.mark.parametrize("code", ["EURO", "E", "", "XXQ", "€"])
def test_invalid_currency_gets_an_explanation(code: str) -> None:
    message = "Must be an ISO 4217 currency code, like EUR"
    assert errors(MoneyShape, {"amount": 1, "currency": code}) == [("/currency", message)]


def test_phone_invalid_in_the_country_is_refused() -> None:
    """A shop whose language names no country counts as one of where most people speak it."""
    with pytest.raises(ValueError, match=r"with its country code, .*or as people write it in US"):
        normalised("0664 1234567", "US")
