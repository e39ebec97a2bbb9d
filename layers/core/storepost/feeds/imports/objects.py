"""Puts an import's files on S3: the fetched feed, the rows of a stopped run, plan and manifest."""

from pathlib import Path
from uuid import UUID

from storepost.feeds.imports.file_formats import expect_known_format, has_known_format
from storepost.platform.persistence.objects import (
    ObjectGone,
    delete_object,
    get_file,
    put_file,
    replace_file,
    version_of,
)
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class FeedObjects:
    """Puts and gets the objects of one feed."""

    def __init__(self, workspace: WorkspaceScope, feed_id: UUID) -> None:
        """Derives the names from the ids, so a retry overwrites what is there already."""
        self._feed = f"{short(workspace.id)}/{short(feed_id)}"

    def put_file(self, import_id: UUID, path: Path) -> None:
        """Puts the file as it was fetched."""
        put_file(self._name(import_id, "file"), path)

    def get_file(self, import_id: UUID, path: Path) -> None:
        """Gets the file as it was fetched. Raises ObjectGone."""
        get_file(self._name(import_id, "file"), path)

    def put_staging(self, import_id: UUID, settings: str, path: Path) -> None:
        """Puts the rows as far as they are resolved under these settings."""
        put_file(self._name(import_id, f"rows-{settings}"), path)

    def get_staging(self, import_id: UUID, settings: str, path: Path) -> bool:
        """Gets the rows as far as they are resolved; returns False if there are none.

        Rows of another release count as none: they are read again.
        """
        if _get_if_exists(self._name(import_id, f"rows-{settings}"), path) is None:
            return False
        if not has_known_format(path):
            path.unlink()
            return False
        return True

    def put_plan(self, import_id: UUID, plan_id: UUID, plan: Path, manifest: Path) -> None:
        """Puts a plan of the import, and the manifest that holds once the plan is written."""
        for kind, path in zip(_kinds_of(plan_id), (plan, manifest), strict=True):
            put_file(self._name(import_id, kind), path)

    def get_plan(self, import_id: UUID, plan_id: UUID | None, plan: Path, manifest: Path) -> None:
        """Gets what `put_plan` put. Raises ObjectGone, and UnknownFormat."""
        for kind, path in zip(_kinds_of(plan_id), (plan, manifest), strict=True):
            get_file(self._name(import_id, kind), path)
        expect_known_format(plan, manifest)

    def delete_files(self, import_id: UUID, plan_id: UUID | None) -> None:
        """Deletes the files of an import that has ended.

        The rows of a stopped run expire, as do plans that weren't written.
        """
        for kind in ("file", *_kinds_of(plan_id)):
            delete_object(self._name(import_id, kind))

    def put_manifest(self, path: Path, replaced: str | None) -> str:
        """Puts the manifest: what the store has of the feed; returns its version.

        `replaced` is the version that it takes the place of, None for the first one. Raises
        ObjectChanged: a late run must not put back what another run has replaced.
        """
        return replace_file(self._manifest, path, replaced)

    def get_manifest(self, path: Path) -> str | None:
        """Gets what the store has of the feed; returns its version, None if nothing is known.

        Raises UnknownFormat for a manifest of another release.
        """
        version = _get_if_exists(self._manifest, path)
        if version is not None:
            expect_known_format(path)
        return version

    def manifest_version(self) -> str | None:
        """Returns the manifest's version; None if there is none."""
        return version_of(self._manifest)

    def delete_manifest(self) -> None:
        """Deletes the manifest."""
        delete_object(self._manifest)

    @property
    def _manifest(self) -> str:
        return f"manifests/{self._feed}"

    def _name(self, import_id: UUID, kind: str) -> str:
        return f"feeds/{self._feed}/{short(import_id)}/{kind}"


def _kinds_of(plan_id: UUID | None) -> tuple[str, str]:
    """Returns the kinds of a plan's file and of its manifest's."""
    of = f"-{short(plan_id)}" if plan_id else ""
    return f"plan{of}", f"manifest{of}"


def _get_if_exists(name: str, path: Path) -> str | None:
    try:
        return get_file(name, path)
    except ObjectGone:
        return None
