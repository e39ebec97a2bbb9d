"""The lists of suppressions, newest last: those that aren't lifted, and the history."""

from dataclasses import dataclass

from storepost.people.consent.states import Channel
from storepost.people.suppressions.keys import in_force_list, lifted_list
from storepost.people.suppressions.model import Suppression, SuppressionReason, SuppressionSource
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.counted_tree import (
    PACKS_WHAT_IS_COLD,
    FilterField,
    Tree,
    TreeEntry,
    moment_key,
)
from storepost.values.scope import WorkspaceScope

CHANNEL = FilterField("channel", "c", {Channel.EMAIL: "A", Channel.SMS: "B"})
REASON = FilterField(
    "reason",
    "r",
    {
        SuppressionReason.HARD_BOUNCE: "A",
        SuppressionReason.COMPLAINT: "B",
        SuppressionReason.MANUAL: "C",
        SuppressionReason.INVALID: "D",
    },
)
SOURCE = FilterField(
    "source",
    "s",
    {
        SuppressionSource.SES: "A",
        SuppressionSource.API: "B",
        SuppressionSource.MANUAL: "C",
        SuppressionSource.IMPORT: "D",
    },
)

_FIELDS = (CHANNEL, REASON, SOURCE)


@dataclass(frozen=True)
class SuppressionLists:
    """A workspace's lists of suppressions, by `createdAt`."""

    workspace: WorkspaceScope

    @property
    def in_force(self) -> Tree:
        """Returns the list of the suppressions that aren't lifted."""
        return self._tree(in_force_list(self.workspace))

    @property
    def lifted(self) -> Tree:
        """Returns the list of the suppressions that were lifted, or that ended."""
        return self._tree(lifted_list(self.workspace))

    def _tree(self, partition: str) -> Tree:
        return Tree(partition, _FIELDS, packing=PACKS_WHAT_IS_COLD, keys_stay=True)

    def insert(self, changes: Changes, suppression: Suppression) -> None:
        """Adds a new suppression."""
        self.in_force.insert(changes, _entry(suppression))

    def move_to_history(self, changes: Changes, suppression: Suppression) -> None:
        """Moves a suppression to the list of lifted ones."""
        entry = _entry(suppression)
        self.in_force.delete(changes, entry)
        self.lifted.insert(changes, entry)


def _entry(suppression: Suppression) -> TreeEntry:
    return TreeEntry(
        moment_key(suppression.created_at, suppression.id),
        {
            CHANNEL.name: suppression.channel,
            REASON.name: suppression.reason,
            SOURCE.name: suppression.source,
        },
    )
