"""Converts values of consent to attributes of rows, and back."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from storepost.people.consent.decision import ChangeRef, EffectiveConsent
from storepost.people.consent.items import ConsentChangeItem
from storepost.people.consent.model import (
    ConsentChange,
    ConsentOrigin,
    ConsentSource,
    Proof,
    SkipReason,
    WriteBack,
    WriteBackStatus,
)
from storepost.people.consent.states import ConsentState
from storepost.platform.attempts.model import attempt_json, attempt_of
from storepost.platform.persistence.mapping import as_value
from storepost.values import clock
from storepost.values.ids import from_short, short


def as_effective(row: list[Any] | None) -> EffectiveConsent | None:
    if row is None:
        return None
    state, as_of, profile_id, change_id, awaits_answer = row
    change = ChangeRef(UUID(profile_id), UUID(change_id))
    moment = clock.from_text(as_of)
    return EffectiveConsent(ConsentState(state), moment, change, bool(awaits_answer))


def effective_row(effective: EffectiveConsent | None) -> list[str | None] | None:
    if effective is None:
        return None
    change = effective.change
    return [
        effective.state,
        clock.to_text(effective.as_of),
        str(change.profile_id),
        str(change.change_id),
        "y" if effective.awaits_answer else None,
    ]


def change_row(change: ChangeRef | None) -> list[str] | None:
    """Returns a reference to a change in its row format."""
    return [short(change.profile_id), short(change.change_id)] if change else None


def as_change_ref(row: list[str] | None) -> ChangeRef | None:
    """Returns the reference that `change_row` wrote."""
    return ChangeRef(*map(from_short, row)) if row else None


def proof_row(proof: Proof) -> dict[str, str]:
    """Returns a proof in its row format."""
    return {name: str(value) for name, value in asdict(proof).items() if value is not None}


def as_proof(row: dict[str, str]) -> Proof:
    """Returns the proof that `proof_row` wrote."""
    ids = {name: UUID(row[name]) for name in ("user_id", "api_key_id") if name in row}
    texts = {name: row[name] for name in ("reference", "ip", "user_agent") if name in row}
    return Proof(**texts, **ids)  # type: ignore[arg-type]


def write_back_row(write_back: WriteBack) -> dict[str, str]:
    attempts = [attempt_json(each) for each in write_back.attempts]
    row = {
        "status": write_back.status.value,
        "skip_reason": write_back.skip_reason.value if write_back.skip_reason else None,
        "error": write_back.error,
        "done_at": _moment_text(write_back.done_at),
        "is_certain": None if write_back.is_certain else "no",
        "pending_since": _moment_text(write_back.pending_since),
        "telling": str(write_back.delivery_count) if write_back.delivery_count > 1 else None,
        "resends": str(write_back.resends) if write_back.resends else None,
        "tried": str(len(write_back.attempts)) if write_back.attempts else None,
        "attempts": json.dumps(attempts, separators=(",", ":")) if attempts else None,
        "next_attempt_at": _moment_text(write_back.next_attempt_at),
    }
    return {name: value for name, value in row.items() if value is not None}


def as_write_back(store: str, row: Mapping[str, str]) -> WriteBack:
    done_at, reason = row.get("done_at"), row.get("skip_reason")
    return WriteBack(
        store_id=from_short(store),
        status=WriteBackStatus(row["status"]),
        skip_reason=SkipReason(reason) if reason else None,
        error=row.get("error"),
        done_at=_moment(done_at),
        is_certain="is_certain" not in row,
        pending_since=_moment(row.get("pending_since")),
        delivery_count=int(row.get("telling", 1)),
        resends=int(row.get("resends", 0)),
        attempts=tuple(attempt_of(each) for each in json.loads(row.get("attempts", "[]"))),
        next_attempt_at=_moment(row.get("next_attempt_at")),
    )


def _moment_text(moment: datetime | None) -> str | None:
    return clock.to_text(moment) if moment else None


def _moment(text: str | None) -> datetime | None:
    return clock.from_text(text) if text else None


def as_change(item: ConsentChangeItem) -> ConsentChange:
    """Returns the change of a row."""
    stores = sorted(item.write_backs.attribute_values.items())
    return as_value(
        ConsentChange,
        item,
        origin=ConsentOrigin(
            ConsentSource(item.source), item.store_id, as_proof(item.proof), item.by
        ),
        write_backs=tuple(as_write_back(store, row) for store, row in stores),
        follows=as_change_ref(item.follows),
    )
