"""Rows of another release are read, listed, saved and erased without an error.

Each test changes every row of some kinds, sends all the story's reads, and then deletes everything,
including the workspace. `HYPOTHESIS_PROFILE=ci` changes each kind by itself.
"""

import json
import os
from collections.abc import Iterator, Set
from typing import Any

import pytest
from pynamodb.attributes import Attribute, VersionAttribute

from storepost.platform.persistence.item import KIND
from storepost.values.stored_enum import StoredEnum
from tests.formats.planting import PlantedStory, planted_story, with_further_elements
from tests.formats.raw import Raw, kind_of, replace_in
from tests.formats.recorded import RELEASES, rows_of

LATER = "of_a_later_release"
CALLERS: tuple[Set[str], ...] = ({"api_key_token", "session"}, {"membership"}, {"person"})
"""Kinds that identify callers: a caller of an unknown role or scope is refused nearly everything. A
request has a key or a session, so those two are changed together."""
NEEDED = {
    "order": {"financial_status", "fulfillment_status", "amounts", "line_items", "currency"}
    | {"discount_codes", "placed_at", "number", "is_test", "admin_url"}
    | {"deleted_at"},
    "entry": {"f", "p"},
    "product_mark": {"changes"},
}
"""Attributes that may be missing only in a deleted order's tombstone or in lists without them, or
never since 0.1.0."""


@pytest.fixture(scope="module")
def story() -> Iterator[PlantedStory]:
    """The story without its end; it takes ten seconds, as it has nearly every operation."""
    with planted_story() as made:
        yield made


def groups(kinds: Set[str]) -> list[Set[str]]:
    """Returns the groups of kinds that are changed at once."""
    if os.environ.get("HYPOTHESIS_PROFILE") == "ci":
        return [{kind} for kind in sorted(kinds)]
    return [kinds - set[str]().union(*CALLERS), *CALLERS]


def attributes(row: Raw) -> dict[str, Attribute[Any]]:
    """Returns the row's attributes by their names in DynamoDB, without its key and its kind."""
    model: Any = KIND.deserialize(kind_of(row))
    found = model.get_attributes().values()
    return {each.attr_name: each for each in found if each.attr_name not in {"pk", "sk", "kind"}}


def with_unknown_values(row: Raw) -> Raw:
    """Returns the row with each enum value replaced by one of another release."""
    known = {str(each) for enum in StoredEnum.__subclasses__() for each in enum}

    def replaced(text: str) -> str:
        return LATER if text in known else text

    after = dict(row)
    for name, attribute in attributes(row).items():
        if name in row:
            value = attribute.deserialize(attribute.get_value(row[name]))
            if replace_in(value, replaced) != value:
                stored = attribute.serialize(replace_in(value, replaced))
                after[name] = {attribute.attr_type: stored}
    return after


def without_what_may_be_missing(row: Raw) -> Raw:
    """Returns the row of a release that had none of its optional attributes yet."""
    kind = kind_of(row)
    missing = {
        name
        for name, each in attributes(row).items()
        if (each.null or each.default is not None)
        and not isinstance(each, VersionAttribute)
        and name not in NEEDED.get(kind, ())
    }
    return {name: value for name, value in row.items() if name not in missing}


def of_an_unknown_kind(row: Raw) -> Raw:
    """Returns the row with a kind that this release doesn't know."""
    return {**row, "kind": {"S": LATER}}


@pytest.mark.parametrize("release", RELEASES)
def test_reads_and_deletion_succeed_over_rows_of_each_release(
    story: PlantedStory, release: str
) -> None:
    assert story.faults_over(rows_of(release, "standing")) == []


@pytest.mark.parametrize(
    "change",
    [
        with_unknown_values,
        without_what_may_be_missing,
        with_further_elements,
        of_an_unknown_kind,
    ],
)
def test_reads_and_deletion_succeed_over_changed_rows(story: PlantedStory, change: Any) -> None:
    found = {
        ", ".join(sorted(some))[:60]: faults
        for some in groups(story.kinds())
        if (faults := story.faults(some, change))
    }
    assert found == {}, json.dumps(found, indent=1)
