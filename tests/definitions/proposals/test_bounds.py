"""Definitions that mean harm: what is wrong is found in linear time, and told in short."""

from time import process_time
from typing import Any

import pytest

from storepost.definitions.definitions.checking import check
from storepost.definitions.definitions.model import DefinitionKind
from storepost.definitions.definitions.problems import SchemaMismatch
from storepost.values.problems import MAX_ERRORS

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
def test_fifty_errors_in_linear_time(name: str) -> None:
    def took(count: int) -> float:
        condition = CONDITIONS[name](count)
        began = process_time()
        told = errors_of(condition)
        assert 1 <= len(told) <= MAX_ERRORS
        assert max(map(len, told)) < 1_000
        return process_time() - began

    took(10)
    assert took(16_000) < 12 * max(took(4_000), 0.01)


@pytest.mark.parametrize("twice", [["subscribed"] * 2, [{"a": 1, "b": 2}, {"b": 2, "a": 1}]])
def test_what_stands_there_twice(twice: list[object]) -> None:
    assert "Must name each item only once" in errors_of({**CONSENT, "states": twice})
