"""Says what an import of codes would do, before anything is imported."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from storepost.coupons.codes import code_id
from storepost.coupons.files import Fault, read_codes
from storepost.coupons.keys import code_key
from storepost.coupons.rows import CodeItem
from storepost.platform.persistence.item import existing
from storepost.stores.stores.finding import store_in_body
from storepost.stores.stores.repository import StoreRepository
from storepost.values.scope import WorkspaceScope

MAX_SAMPLES = 5
MAX_FAULTS = 100


@dataclass(frozen=True)
class ImportCheck:
    """A file's codes, compared with the store's."""

    column: str | None
    rows: int
    valid: int
    samples: Sequence[str]
    duplicates: int
    existing: int
    existing_samples: Sequence[str]
    invalid: int
    faults: Sequence[Fault]
    """The first faults."""


def check_import(
    workspace: WorkspaceScope, store_id: UUID, content: str, column: str | None
) -> ImportCheck:
    """Returns what importing the file would do. Raises Unreadable and ColumnNotFound."""
    store = store_in_body(StoreRepository(workspace), store_id)
    file = read_codes(content, column)
    keys = {text: code_key(workspace, code_id(store.id, text)) for text in file.codes}
    stored = existing(CodeItem, keys.values())
    known = [text for text in file.codes if keys[text] in stored]
    new = [text for text in file.codes if keys[text] not in stored]
    return ImportCheck(
        column=file.column,
        rows=file.rows,
        valid=len(new),
        samples=new[:MAX_SAMPLES],
        duplicates=file.duplicates,
        existing=len(known),
        existing_samples=known[:MAX_SAMPLES],
        invalid=len(file.faults),
        faults=file.faults[:MAX_FAULTS],
    )
