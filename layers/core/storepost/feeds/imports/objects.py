"""What an import keeps on S3: the file as it was fetched, its rows when it stops, its manifest."""

from contextlib import suppress
from pathlib import Path
from uuid import UUID

from storepost.feeds.imports.file_formats import expect_known_format, has_known_format
from storepost.platform.persistence.objects import ObjectGone, delete_object, get_file, put_file
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class KeptFiles:
    """The objects of one feed."""

    def __init__(self, workspace: WorkspaceScope, feed_id: UUID) -> None:
        """Names that follow from the ids: a retry writes over what is there already."""
        self._feed = f"{short(workspace.id)}/{short(feed_id)}"

    def keep_file(self, import_id: UUID, path: Path) -> None:
        """Keeps the file as it was fetched."""
        put_file(self._name(import_id, "file"), path)

    def get_file(self, import_id: UUID, path: Path) -> None:
        """The file as it was fetched. Raises ObjectGone."""
        get_file(self._name(import_id, "file"), path)

    def keep_work(self, import_id: UUID, settings: str, path: Path) -> None:
        """Keeps the rows as far as they are resolved under some settings."""
        put_file(self._name(import_id, f"rows-{settings}"), path)

    def get_work(self, import_id: UUID, settings: str, path: Path) -> bool:
        """Returns the rows as far as they are resolved; False where none were kept.

        Nor are those of another release: they are read anew.
        """
        if not _got(self._name(import_id, f"rows-{settings}"), path):
            return False
        if not has_known_format(path):
            path.unlink()
            return False
        return True

    def keep_plan(self, import_id: UUID, plan: Path, manifest: Path) -> None:
        """Keeps what is to be written, and the manifest that holds once it is."""
        put_file(self._name(import_id, "plan"), plan)
        put_file(self._name(import_id, "manifest"), manifest)

    def get_plan(self, import_id: UUID, plan: Path, manifest: Path) -> None:
        """What `keep_plan` kept. Raises ObjectGone, and UnknownFormat."""
        get_file(self._name(import_id, "plan"), plan)
        get_file(self._name(import_id, "manifest"), manifest)
        expect_known_format(plan, manifest)

    def delete_files(self, import_id: UUID) -> None:
        """Drops what an import that has ended kept; what stopped half-way expires."""
        for kind in ("file", "plan", "manifest"):
            delete_object(self._name(import_id, kind))

    def keep_manifest(self, path: Path) -> None:
        """Keeps what the store has of the feed."""
        put_file(self._manifest, path)

    def get_manifest(self, path: Path) -> bool:
        """Returns what the store has of the feed; False where nothing is known.

        Raises UnknownFormat for what another release wrote.
        """
        is_known = _got(self._manifest, path)
        if is_known:
            expect_known_format(path)
        return is_known

    def delete_manifest(self) -> None:
        """Drops what the store has of the feed."""
        delete_object(self._manifest)

    @property
    def _manifest(self) -> str:
        return f"manifests/{self._feed}"

    def _name(self, import_id: UUID, kind: str) -> str:
        return f"feeds/{self._feed}/{short(import_id)}/{kind}"


def _got(name: str, path: Path) -> bool:
    with suppress(ObjectGone):
        get_file(name, path)
        return True
    return False
