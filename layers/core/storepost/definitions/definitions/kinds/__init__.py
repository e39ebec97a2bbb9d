"""The kinds of definitions, each with its JSON Schemas (2020-12): one file a `schemaVersion`."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from storepost.definitions.definitions.model import DefinitionKind


@dataclass(frozen=True)
class KindInfo:
    """A kind's names, and its newest schema."""

    kind: DefinitionKind
    resource: str
    """The name for all definitions of the kind."""
    label: str
    schema_version: int


KINDS: tuple[KindInfo, ...] = (
    KindInfo(DefinitionKind.SEGMENT, "segments", "Segment", 1),
    KindInfo(DefinitionKind.EMAIL_TEMPLATE, "email_templates", "Email template", 1),
    KindInfo(DefinitionKind.FLOW, "flows", "Flow", 1),
)

_NEWEST = {info.kind: info.schema_version for info in KINDS}


def newest_schema_version(kind: DefinitionKind) -> int:
    """Returns the version of the schema that a new definition of the kind must match."""
    return _NEWEST[kind]


def schema_of(kind: DefinitionKind, schema_version: int) -> dict[str, Any] | None:
    """Returns the schema; None if the kind has no such version."""
    return _read(kind, schema_version) if 1 <= schema_version <= _NEWEST[kind] else None


@cache
def _read(kind: DefinitionKind, schema_version: int) -> dict[str, Any]:
    file = Path(__file__).parent / f"{kind}-{schema_version}.json"
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema
