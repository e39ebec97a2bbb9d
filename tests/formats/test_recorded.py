"""This release reads the stored data of each release, and stores what the newest folder has.

If one of these fails, a deployed system would break, as its rows, links and messages don't change.
A new attribute, value or element must be an addition; `make formats` then rewrites the newest
folder, until that release is deployed.
"""

import json
from base64 import b64decode
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pynamodb.attributes import MapAttribute

from storepost.coupons.filling import next_lines
from storepost.feeds.imports import file_formats
from storepost.feeds.imports.file_formats import FORMAT, UnknownFormat, expect_known_format
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.idempotency import unpacked
from storepost.platform.persistence.item import KIND, Item
from storepost.platform.persistence.records import Record
from storepost.platform.persistence.sealed_tokens import open_token
from storepost.platform.persistence.sealing import Purpose, unseal
from storepost.platform.persistence.unknown import unknown_attributes
from storepost.sync.batches.schemas import StoreBatch
from tests.formats.frozen import HERE, columns, differences, frozen
from tests.formats.raw import Raw, kind_of
from tests.formats.recorded import NEWEST, RELEASES, object_kind, of_json, read, rows_of
from tests.formats.test_messages import handled
from tests.formats.writing import messages
from tests.harness.world import World


def all_rows(release: str) -> list[Raw]:
    """Returns the recorded rows of a release."""
    return [*rows_of(release, "standing"), *rows_of(release, "passed")]


@pytest.fixture(scope="module")
def now() -> dict[str, Any]:
    """All that is frozen in the current code."""
    return frozen()


@pytest.mark.parametrize("release", RELEASES)
def test_frozen_formats_are_unchanged(now: dict[str, Any], release: str) -> None:
    assert differences(read(release, "frozen"), json.loads(json.dumps(now))) == []


def test_newest_folder_has_all_frozen_formats(now: dict[str, Any]) -> None:
    """If it fails, run `make formats`, and review its changes."""
    assert differences(json.loads(json.dumps(now)), read(NEWEST, "frozen")) == []


def test_each_release_has_the_frozen_formats_of_its_predecessor() -> None:
    for older, newer in pairwise(RELEASES):
        assert differences(read(older, "frozen"), read(newer, "frozen")) == []


@pytest.mark.parametrize("release", RELEASES)
def test_rows_are_read_and_saved_unchanged(release: str) -> None:
    for row in all_rows(release):
        read_row = Item.from_raw_data(dict(row))
        saved = read_row.serialize()
        assert saved.keys() == row.keys(), kind_of(row)
        assert attributes_of(Item.from_raw_data(saved)) == attributes_of(read_row), kind_of(row)
    unknown_attributes.clear()


def attributes_of(row: Item) -> dict[str, Any]:
    """Returns the row's attributes as the code reads them."""
    return {
        name: value.attribute_values if isinstance(value, MapAttribute) else value
        for name, value in row.attribute_values.items()
    }


def test_newest_folder_has_a_row_of_every_kind(now: dict[str, Any]) -> None:
    assert now["kinds"].keys() == {kind_of(row) for row in all_rows(NEWEST)}


@pytest.mark.parametrize("release", RELEASES)
def test_messages_are_handled(world: World, release: str) -> None:
    for queue, body, _ in read(release, "messages"):
        if Queue(queue) is not Queue.EMAILS:
            assert handled(Queue(queue), body) == [], body


def test_sent_messages_equal_those_of_the_newest_folder() -> None:
    assert [*map(list, messages())] == read(NEWEST, "messages")


@pytest.mark.parametrize("release", RELEASES)
def test_sealed_values_are_opened(release: str) -> None:
    for purpose, (secret, token) in read(release, "sealed").items():
        assert unseal(secret, Purpose(purpose), "a context") == b"a secret"
        assert open_token(token, Purpose(purpose)) == (HERE, b"what a link says")


@pytest.mark.parametrize("release", RELEASES)
def test_stored_responses_for_replays_are_read(release: str) -> None:
    rows = [of_json(row) for row in read(release, "answers")]
    answers = [unpacked(row["answer"]["B"]) for row in rows if "answer" in row]
    assert [answer["status"] for answer in answers] == [201]
    assert json.loads(answers[0]["body"])["name"] == "Second"


def read_object(name: str, content: bytes, folder: Path) -> None:
    """Reads an S3 object as its worker does."""
    match object_kind(name):
        case "batches":
            assert json.loads(StoreBatch.of_text(content).to_text()) == json.loads(content)
        case "coupons":
            codes, end = next_lines(content, 0, 1000)
            assert all(codes)
            assert end >= len(content)
        case "feeds/file":
            assert content  # a third party's file, which has no format of ours
        case kind:
            path = folder / kind.replace("/", "-")
            path.write_bytes(content)
            expect_known_format(path)
            known = frozen()["files of imports"][str(FORMAT)][
                "plan" if "plan" in kind else "manifest"
            ]
            assert columns(path) == known


OBJECTS = {"batches", "coupons", "feeds/file", "feeds/plan", "feeds/manifest", "manifests"}
"""The kinds of objects that the story stores. It has no webhook too large for a message, whose body
has Shopify's format, and no interrupted feed import, whose tables are part of the frozen data."""


@pytest.mark.parametrize("release", RELEASES)
def test_objects_are_read(release: str, tmp_path: Path) -> None:
    for name, content in read(release, "objects"):
        read_object(name, b64decode(content), tmp_path)


def test_newest_folder_has_an_object_of_every_kind() -> None:
    assert {object_kind(name) for name, _ in read(NEWEST, "objects")} == OBJECTS


def test_object_of_unknown_format_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_formats, "FORMAT", FORMAT + 1)
    [content] = [each for name, each in read(NEWEST, "objects") if object_kind(name) == "manifests"]
    with pytest.raises(UnknownFormat):
        read_object("manifests/a/b", b64decode(content), tmp_path)


def test_arrays_of_arrays_in_rows_are_records() -> None:
    """In any other array, an added element would look like an item of a growing list."""
    found = {
        (kind_of(row), name)
        for row in all_rows(NEWEST)
        for name, value in row.items()
        if "S" in value and value["S"][:1] in {"[", "{"}
        if not isinstance(attribute_of(row, name), Record) and _has_arrays(json.loads(value["S"]))
    }
    assert found == NO_RECORDS


NO_RECORDS = {
    ("outbox", "sent"),  # a message and its group, read leniently: `test_messages.py`
    ("priority_change", "fields"),  # sources by a field's name
    ("profile", "evidence"),  # a number, and however many were removed
    ("product_rules", "fields"),  # sources by a field's name
}


def _has_arrays(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    return any(isinstance(each, list) for each in inner)


def attribute_of(row: Raw, name: str) -> Any:
    """Returns the attribute of a row, by its name in DynamoDB."""
    model: Any = KIND.known[kind_of(row)]
    return next(each for each in model.get_attributes().values() if each.attr_name == name)
