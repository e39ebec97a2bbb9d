"""Definitions as values: what is in force, and the versions that led there."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.accounts.workspaces.callers import Requester
from storepost.values.stored_enum import StoredEnum

MAX_BYTES = 256 * 1024
"""Of a definition as compact JSON (docs/interface.md, section 2)."""

MAX_PATCH_BYTES = 384 * 1024
"""Of a patch as compact JSON: it may replace a whole definition, and a row holds 400 KB."""

MAX_LEVELS = 40
"""How deep objects and arrays may stand in one another."""

_MAX_TEXT = 300
"""Characters of a message: it may quote what it is about."""


class DefinitionKind(StoredEnum):
    """What a definition defines.

    `segment`: a group of people, by conditions. `email_template`: an email's subject and body.
    `flow`: what is sent to whom, when and after what.
    """

    SEGMENT = "segment"
    EMAIL_TEMPLATE = "email_template"
    FLOW = "flow"


type Content = Any
"""What a definition says, as JSON."""


@dataclass(frozen=True)
class Version:
    """A state of a definition; it never changes."""

    id: UUID
    definition_id: UUID
    schema_version: int
    content: Content
    author: Requester
    """Who proposed it."""
    proposal_id: UUID
    created_at: datetime


@dataclass(frozen=True)
class Definition:
    """A definition without its content, which its current version has."""

    id: UUID
    kind: DefinitionKind
    name: str
    version_id: UUID
    """The current one's."""
    schema_version: int
    versions: int
    """How many there are."""
    created_at: datetime
    updated_at: datetime


def compact(content: Content) -> str:
    """Returns the content as it is kept and measured. Raises ValueError where JSON can't say it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def levels(content: Content) -> int:
    """Returns how deep the content is; it needs no deep stack itself."""
    deepest, waiting = 0, [(content, 1)]
    while waiting:
        node, level = waiting.pop()
        if isinstance(node, dict | list):
            deepest = max(deepest, level)
            inside = node.values() if isinstance(node, dict) else node
            waiting += [(each, level + 1) for each in inside]
    return deepest


def shortened(message: str) -> str:
    """Returns the message, cut where it quotes more than anybody reads."""
    return message if len(message) <= _MAX_TEXT else f"{message[:_MAX_TEXT]} …"
