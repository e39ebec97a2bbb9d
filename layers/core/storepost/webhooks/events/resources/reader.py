"""How a resource is read for the message of an event."""

from collections.abc import Callable, Mapping
from uuid import UUID

from storepost.values.scope import WorkspaceScope
from storepost.values.wire import Shape

type Ids = Mapping[str, str]
type Reader = Callable[[WorkspaceScope, UUID, Ids], Shape]
"""Reads a resource by its id, and the event's further ids. Raises NotFound."""
