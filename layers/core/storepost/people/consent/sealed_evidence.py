"""Evidence of erased people, sealed, for as long as the workspace's settings say.

It is stored beside the keyed hash of its address. So only a caller that knows an address finds the
proof that an earlier mailing was permitted. DynamoDB deletes it when it expires.
"""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.evidence import Evidence, EvidenceDetails
from storepost.people.consent.evidence_items import EvidenceItem
from storepost.people.consent.keys import erased_key
from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource
from storepost.people.consent.rows import as_proof
from storepost.people.consent.states import ConsentState, OptInLevel
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Item, Key
from storepost.platform.persistence.sealing import Purpose, seal, unseal
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope


class SealedEvidenceItem(Item, discriminator="sealed_evidence"):
    """A statement about an erased person's address, encrypted as a whole."""

    sealed = UnicodeAttribute()


def seal_evidence(
    changes: Changes, workspace: WorkspaceScope, row: EvidenceItem, until: datetime
) -> None:
    """Stores a row's evidence, sealed, until that time."""
    if row.address is None:
        return
    key = _key(workspace, Address(row.channel, row.address), row.id)
    fields = {
        "id": str(row.id),
        "state": row.state,
        "source": row.source,
        "store_id": str(row.store_id) if row.store_id else None,
        "proof": row.proof,
        "by": row.by,
        "occurred_at": clock.to_text(row.occurred_at),
        "recorded_at": clock.to_text(row.recorded_at),
        "change_id": str(row.change_id) if row.change_id else None,
        "wording": row.wording,
        "text_version": row.text_version,
        "url": row.url,
        "opt_in_level": row.opt_in_level,
    }
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    sealed = seal(text, Purpose.ERASED_EVIDENCE, "#".join(key))
    changes.save(SealedEvidenceItem(*key, sealed=sealed, expiration=until))


def unsealed_evidence(
    workspace: WorkspaceScope, address: Address, limit: int
) -> list[tuple[Evidence, str | None]]:
    """Returns up to `limit` statements about an address, newest first.

    Each is returned with its wording's hash.
    """
    rows = SealedEvidenceItem.rows_in(
        erased_key(workspace, address)[0],
        f"evidence#{_hash_of(workspace, address)}#",
        newest_first=True,
        limit=limit,
    )
    now = clock.now()
    return [
        _as_evidence(address, json.loads(_opened(row)))
        for row in rows
        if row.expiration is not None and row.expiration > now
    ]


def _opened(row: SealedEvidenceItem) -> bytes:
    return unseal(row.sealed, Purpose.ERASED_EVIDENCE, "#".join(row.key))


def _hash_of(workspace: WorkspaceScope, address: Address) -> str:
    return erased_key(workspace, address)[1].removeprefix("address#")


def _key(workspace: WorkspaceScope, address: Address, evidence_id: UUID) -> Key:
    """The key: in the partition of the address's hash."""
    sort_key = f"evidence#{_hash_of(workspace, address)}#{short(evidence_id)}"
    return (erased_key(workspace, address)[0], sort_key)


def _as_evidence(address: Address, fields: dict[str, Any]) -> tuple[Evidence, str | None]:
    store_id, change_id = fields["store_id"], fields["change_id"]
    evidence = Evidence(
        address=address,
        channel=address.channel,
        state=ConsentState(fields["state"]),
        origin=ConsentOrigin(
            ConsentSource(fields["source"]),
            UUID(store_id) if store_id else None,
            as_proof(fields["proof"]),
            fields["by"],
        ),
        details=EvidenceDetails(
            None,
            fields["text_version"],
            fields["url"],
            OptInLevel(fields["opt_in_level"] or OptInLevel.UNKNOWN),
        ),
        occurred_at=clock.from_text(fields["occurred_at"]),
        recorded_at=clock.from_text(fields["recorded_at"]),
        change_id=UUID(change_id) if change_id else None,
        id=UUID(fields["id"]),
    )
    return evidence, fields["wording"]
