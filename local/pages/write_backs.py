"""Changes of consent as the page shows them, with their write-backs."""

from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storepost.people.consent.model import ConsentChange, WriteBack

SHOWN = 20
"""The most consent changes with write-backs that the page shows."""


@dataclass(frozen=True)
class WriteBackView:
    """A change, and its write-back to one store."""

    change: "ConsentChange"
    write_back: "WriteBack"


def write_back_views() -> list[WriteBackView]:
    """Returns the write-backs of the newest changes of all workspaces, the newest first."""
    # The service reads its environment when it is imported.
    from storepost.people.consent.items import ConsentChangeItem  # noqa: PLC0415
    from storepost.people.consent.rows import as_change  # noqa: PLC0415

    rows = map(as_change, ConsentChangeItem.scan(ConsentChangeItem.kind == ConsentChangeItem))
    with_write_backs = (each for each in rows if each.write_backs)
    newest = nlargest(SHOWN, with_write_backs, key=lambda each: (each.recorded_at, each.id))
    return [WriteBackView(each, to_store) for each in newest for to_store in each.write_backs]
