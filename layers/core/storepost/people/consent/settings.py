"""A workspace's settings for consent: how long evidence is kept after an erasure."""

from dataclasses import dataclass
from datetime import timedelta

from pynamodb.attributes import NumberAttribute

from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key, find
from storepost.values.scope import WorkspaceScope


class ConsentSettingsItem(Item, discriminator="consent_settings"):
    """A workspace's settings; the row exists once they are set."""

    evidence_retention_days = NumberAttribute(default=0)


@dataclass(frozen=True)
class ConsentSettings:
    """A workspace's settings."""

    evidence_retention_days: int = 0
    """For how many days evidence of an erased person is kept, sealed; 0 keeps none."""

    @property
    def evidence_retention(self) -> timedelta:
        """Returns how long evidence of an erased person is kept."""
        return timedelta(days=self.evidence_retention_days)


def settings_key(workspace: WorkspaceScope) -> Key:
    """Returns the key of the settings."""
    return (workspace.key, "consent_settings")


def find_settings(workspace: WorkspaceScope) -> ConsentSettings:
    """Returns the workspace's settings, or the defaults."""
    row = find(ConsentSettingsItem, settings_key(workspace))
    return ConsentSettings(int(row.evidence_retention_days)) if row else ConsentSettings()


def save_settings(changes: Changes, workspace: WorkspaceScope, settings: ConsentSettings) -> None:
    """Writes the settings; the last write wins."""
    days = settings.evidence_retention_days
    changes.save(ConsentSettingsItem(*settings_key(workspace), evidence_retention_days=days))
