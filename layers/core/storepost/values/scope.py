"""The tenant as a type: repositories are made from a scope, so no query can lack it."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from storepost.values.ids import from_short, short


@dataclass(frozen=True)
class WorkspaceScope:
    """One workspace; every partition key of its rows begins with `key`."""

    id: UUID

    @cached_property
    def key(self) -> str:
        """Returns the beginning of each partition key of the workspace."""
        return f"workspace#{short(self.id)}"

    def partition(self, *parts: str) -> str:
        """Returns the partition key of something in the workspace."""
        return "#".join((self.key, *parts))

    @classmethod
    def of(cls, partition_key: str) -> "WorkspaceScope":
        """Returns the workspace of a partition key."""
        return cls(from_short(partition_key.split("#")[1]))


@dataclass(frozen=True)
class PersonScope:
    """One person; rows of a person that belong to no workspace have the partition key `key`."""

    id: UUID

    @property
    def key(self) -> str:
        """Returns the partition key of the person."""
        return f"person#{short(self.id)}"
