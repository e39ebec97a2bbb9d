"""All that is frozen once deployed, as JSON: names, letters, positions, hashes and derived ids.

The path of each part describes it, so that a comparison names what a change breaks.
"""

import hashlib
import importlib
import pkgutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import storepost
from local.template import template
from storepost.catalog.products import packing
from storepost.catalog.products.model import product_id, variant_id
from storepost.catalog.products.rules import product_source_id
from storepost.coupons.codes import code_id
from storepost.feeds.imports.file_formats import FORMAT
from storepost.feeds.imports.staging import FeedStaging
from storepost.orders.keys import order_id
from storepost.people.consent.keys import erased_key
from storepost.people.consent.model import Address
from storepost.people.consent.states import Channel
from storepost.people.customers.model import customer_id
from storepost.platform.messaging.outbox import Queue
from storepost.platform.persistence.counted_tree.model import FilterField
from storepost.platform.persistence.item import KIND
from storepost.platform.persistence.records import Record
from storepost.platform.persistence.sealing import Purpose, code_mac, derived_key, keyed_hash
from storepost.values import emails, phones, text
from storepost.values.ids import short, short_moment, short_number, timed_id
from storepost.values.money import currencies, digits
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum
from tests.formats.corpus import EMAILS, MOMENT, PHONES, TEXTS

type Json = dict[str, Any]

A, B = (UUID(f"0192f0a0-0000-7000-8000-00000000000{n}") for n in (1, 2))
HERE = WorkspaceScope(A)

REPLACES = {
    "AWS::DynamoDB::Table": ("TableName", "KeySchema"),
    "AWS::S3::Bucket": ("BucketName",),
    "AWS::KMS::Key": ("KeySpec", "KeyUsage", "MultiRegion"),
    "AWS::SQS::Queue": ("QueueName", "FifoQueue"),
}
"""Properties whose change makes CloudFormation replace the resource by a new, empty one.

From its reference of resource types: "Update requires: Replacement". `MultiRegion`, `KeySpec` and
`KeyUsage` of a key can't be changed at all.
"""


def frozen() -> Json:
    """Returns all that is frozen, by its description."""
    import_all()
    return {
        "kinds": dict(sorted(_kinds())),
        "stored values": {
            enum.__name__: sorted(str(each.value) for each in enum)
            for enum in sorted(StoredEnum.__subclasses__(), key=lambda each: each.__name__)
        },
        "letters of filters": dict(sorted(_letters())),
        "purposes": {each.name: each.value for each in Purpose},
        "queues": {each.name: each.value for each in Queue},
        "keys and hashes": _hashes(),
        "derived ids": _ids(),
        "dictionary of deflate": hashlib.sha256(packing._KNOWN).hexdigest(),
        "files of imports": {str(FORMAT): _tables()},
        "currencies": {code: digits(code) for code in sorted(currencies())},
        "folded": {each: text.fold(each) for each in TEXTS},
        "normalised": {
            **{each: emails.normalised(each) for each in EMAILS},
            **{" ".join(each): phones.normalised(*each) for each in PHONES},
        },
        "resources": dict(sorted(_resources())),
    }


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Returns what `after` lacks of `before` or has changed, each by its path."""
    if isinstance(before, dict) and isinstance(after, dict):
        found = [
            difference
            for name, value in before.items()
            for difference in (
                differences(value, after[name], f"{path}/{name}")
                if name in after
                else [f"{path}/{name} is gone"]
            )
        ]
    elif path.rpartition("/")[2] == "elements" or path.startswith("/stored values"):
        is_order_kept = after[: len(before)] == before or path.startswith("/stored values")
        found = [f"{path} lacks {each}" for each in before if each not in after]
        found += [] if is_order_kept or found else [f"{path} has another order"]
    else:
        found = [] if before == after else [f"{path} was {before!r} and is {after!r}"]
    return found


def import_all() -> None:
    """Imports every kind of row and every filter."""
    for module in pkgutil.walk_packages(storepost.__path__, "storepost."):
        importlib.import_module(module.name)


def _kinds() -> Iterator[tuple[str, Json]]:
    for name, model in KIND.known.items():
        if model.__module__.startswith("storepost."):
            found = sorted(model.get_attributes().values(), key=lambda each: each.attr_name)
            yield name, {each.attr_name: _attribute(each) for each in found}


def _attribute(attribute: Any) -> Json:
    described = {"type": attribute.attr_type, "form": type(attribute).__name__}
    if isinstance(attribute, Record):
        described["elements"] = list(attribute.elements)
    return described


def _letters() -> Iterator[tuple[str, Json]]:
    for module in pkgutil.walk_packages(storepost.__path__, "storepost."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, FilterField) and module.name.endswith(("trees", "lists")):
                marks = {str(each): letter for each, letter in value.marks.items()}
                yield f"{module.name.split('.')[-2]}.{name}", {"letter": value.letter, **marks}


def _hashes() -> Json:
    hashed = {f"hash: {each}": keyed_hash("a", each, "context") for each in Purpose}
    sealing = {f"key: {each}": hashlib.sha256(derived_key(each, 1)).hexdigest() for each in Purpose}
    address = Address(Channel.EMAIL, "a@example.com")
    return {
        **hashed,
        **sealing,
        "code": code_mac("123456", Purpose.EMAILED_CODE, "context"),
        "erased address": list(erased_key(HERE, address)),
    }


def _ids() -> Json:
    return {
        "order": str(order_id(A, "1")),
        "product": str(product_id(A, "1")),
        "variant": str(variant_id(A, "1")),
        "source of a product": str(product_source_id(A, B)),
        "customer": str(customer_id(A, "1")),
        "code of a coupon": str(code_id(A, "spring")),
        "short": short(A),
        "short number": short_number(4711),
        "short moment": short_moment(MOMENT),
        "timed": str(timed_id(MOMENT, 5))[:18],
    }


def _tables() -> Json:
    with tempfile.TemporaryDirectory() as place:
        rows, manifest, plan = (Path(place, name) for name in ("rows", "manifest", "plan"))
        with FeedStaging(rows) as work:
            work._db.execute("CREATE TABLE changed (product TEXT PRIMARY KEY) WITHOUT ROWID")
            work.write_manifest(manifest, "settings", is_ahead=False)
            work.write_plan(plan)
        return {each.name: columns(each) for each in (rows, manifest, plan)}


def columns(path: Path) -> Json:
    """Returns the columns of each table in an SQLite file."""
    db = sqlite3.connect(path)
    try:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        names = [name for (name,) in tables.fetchall()]
        return {
            name: [column[1] for column in db.execute(f"PRAGMA table_info({name})")]
            for name in names
        }
    finally:
        db.close()


def _resources() -> Iterator[tuple[str, Json]]:
    for name, resource in template()["Resources"].items():
        if resource["Type"] in REPLACES:
            properties = resource.get("Properties", {})
            replacing = {each: properties.get(each) for each in REPLACES[resource["Type"]]}
            yield name, {"Type": resource["Type"], **replacing}
