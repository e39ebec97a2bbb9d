"""Definitions that mean harm: what is wrong is found in linear time, and told in short."""

from typing import Any

import pytest

from storepost.definitions.definitions.checking import check
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.values.problems import MAX_ERRORS
from tests.growth import assert_linear

CONSENT = {"type": "consent", "channel": "email"}


def errors_of(condition: object) -> list[str]:
    """What is wrong with a segment."""
    with pytest.raises(SchemaMismatch) as raised:
        check(DefinitionKind.SEGMENT, 1, {"condition": condition}, "/definition")
    return [error.message for error in raised.value.errors]


CONDITIONS: dict[str, Any] = {
    "many conditions that are none": lambda n: {"type": "all", "conditions": [0] * n},
    "many that are alike": lambda n: {**CONSENT, "states": ["subscribed"] * n},
    "many that can't be sorted": lambda n: {**CONSENT, "states": [{}, *map(str, range(n))]},
    "many objects": lambda n: {**CONSENT, "states": [{"a": number} for number in range(n)]},
    "many unknown fields": lambda n: {**CONSENT, **{f"x{number}": 0 for number in range(n)}},
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_at_most_fifty_errors_in_linear_time(name: str) -> None:
    def refuse(count: int) -> None:
        errors = errors_of(CONDITIONS[name](count))
        assert 1 <= len(errors) <= MAX_ERRORS
        assert max(map(len, errors)) < 1_000

    assert_linear(refuse, 2_000)


@pytest.mark.parametrize("twice", [["subscribed"] * 2, [{"a": 1, "b": 2}, {"b": 2, "a": 1}]])
def test_duplicate_items_are_refused(twice: list[object]) -> None:
    assert "Must name each item only once" in errors_of({**CONSENT, "states": twice})


@pytest.mark.parametrize(
    "moment", ["2026-01-01T00:00:00Z\n", "\u0662\u0660\u0662\u0666-01-01T00:00:00Z"]
)
def test_pattern_means_the_same_as_to_readers_of_the_schema(moment: str) -> None:
    field = {"type": "profile", "field": "firstSeenAt", "operator": "before", "value": moment}
    assert any("must match" in error for error in errors_of(field))
    check(
        DefinitionKind.SEGMENT,
        1,
        {"condition": {**field, "value": "2026-01-01T00:00:00Z"}},
        "/definition",
    )
