"""Definitions as values: the one in force, and its versions."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.values.stored_enum import StoredEnum

MAX_BYTES = 256 * 1024
"""Bytes of a definition as compact JSON (docs/interface.md, section 2)."""

MAX_PATCH_BYTES = 384 * 1024
"""Bytes of a patch as compact JSON: it may replace a whole definition, and a row holds 400 KB."""

MAX_LEVELS = 40
"""How deep objects and arrays may be nested."""

_MAX_TEXT = 300
"""Characters of a message, which may quote the value."""


class DefinitionKind(StoredEnum):
    """What a definition defines.

    `segment`: a group of people, by conditions. `email_template`: an email's subject and body.
    `flow`: what is sent to whom, when and after what.
    """

    SEGMENT = "segment"
    EMAIL_TEMPLATE = "email_template"
    FLOW = "flow"


type Content = Any
"""The content of a definition, as JSON."""


@dataclass(frozen=True)
class Version:
    """One state of a definition; it never changes."""

    id: UUID
    definition_id: UUID
    schema_version: int
    content: Content
    author: Requester
    """The person or key that proposed it."""
    proposal_id: UUID
    created_at: datetime


@dataclass(frozen=True)
class Definition:
    """A definition without its content, which its current version has."""

    id: UUID
    kind: DefinitionKind
    name: str
    version_id: UUID
    """The schema version of its current version."""
    schema_version: int
    versions: int
    """How many versions there are."""
    created_at: datetime
    updated_at: datetime


def compact(content: Content) -> str:
    """Returns the content as it is stored and measured. Raises ValueError if it is no JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def levels(content: Content) -> int:
    """Returns how deep the content is nested; it needs no deep stack itself."""
    deepest, waiting = 0, [(content, 1)]
    while waiting:
        node, level = waiting.pop()
        if isinstance(node, dict | list):
            deepest = max(deepest, level)
            inside = node.values() if isinstance(node, dict) else node
            waiting += [(each, level + 1) for each in inside]
    return deepest


def shortened(message: str) -> str:
    """Returns the message, cut if it quotes more than anybody reads."""
    return message if len(message) <= _MAX_TEXT else f"{message[:_MAX_TEXT]} …"
