"""Changes of consent in answers."""

from collections.abc import Mapping
from uuid import UUID

from storepost.people.consent import model
from storepost.people.consent.model import ConsentSource, SkipReason, WriteBackStatus
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes import write_back_list
from storepost.values.wire import Shape, Timestamp

type StoreNames = Mapping[UUID, str]
"""The workspace's stores by id."""


class ConsentStore(Shape):
    """A store by name."""

    id: UUID
    name: str


class ConsentProof(Shape):
    """What shows that the person wanted it, and who recorded it."""

    ip: str | None
    user_agent: str | None
    user_id: str | None
    api_key_id: str | None
    reference: str | None

    @classmethod
    def of(cls, proof: model.Proof) -> "ConsentProof":
        """The proof in this shape."""
        return cls(
            ip=proof.ip,
            user_agent=proof.user_agent,
            user_id=str(proof.user_id) if proof.user_id else None,
            api_key_id=str(proof.api_key_id) if proof.api_key_id else None,
            reference=proof.reference,
        )


class ConsentWriteBack(Shape):
    """What became of telling a store."""

    store: ConsentStore
    status: WriteBackStatus
    skip_reason: SkipReason | None
    error: str | None
    done_at: Timestamp | None

    @classmethod
    def of(cls, write_back: model.WriteBack, stores: StoreNames) -> "ConsentWriteBack":
        """The write-back in this shape."""
        return cls(
            store=_store(write_back.store_id, stores),
            status=write_back.status,
            skip_reason=write_back.skip_reason,
            error=write_back.error,
            done_at=write_back.done_at,
        )


class ConsentChange(Shape):
    """A recorded change of consent."""

    id: UUID
    channel: Channel
    state: ConsentState
    source: ConsentSource
    store: ConsentStore | None
    address: str | None
    proof: ConsentProof
    by: str | None
    occurred_at: Timestamp
    recorded_at: Timestamp
    write_backs: list[ConsentWriteBack]

    @classmethod
    def of(cls, change: model.ConsentChange, stores: StoreNames) -> "ConsentChange":
        """The change in this shape, its stores by their names of now."""
        origin = change.origin
        return cls(
            id=change.id,
            channel=change.channel,
            state=change.state,
            source=origin.source,
            store=_store(origin.store_id, stores) if origin.store_id else None,
            address=change.address,
            proof=ConsentProof.of(origin.proof),
            by=origin.by,
            occurred_at=change.occurred_at,
            recorded_at=change.recorded_at,
            write_backs=[ConsentWriteBack.of(each, stores) for each in change.write_backs],
        )


class ListedWriteBack(Shape):
    """What became of telling a store of a change, with where the change stands."""

    profile_id: UUID
    change_id: UUID
    channel: Channel
    state: ConsentState
    write_back: ConsentWriteBack

    @classmethod
    def of(cls, listed: write_back_list.ListedWriteBack, stores: StoreNames) -> "ListedWriteBack":
        """The write-back in this shape, its store by its name of now."""
        change = listed.change
        return cls(
            profile_id=listed.profile_id,
            change_id=change.id,
            channel=change.channel,
            state=change.state,
            write_back=ConsentWriteBack.of(listed.write_back, stores),
        )


class QueuedWriteBacks(Shape):
    """How many write-backs are sent again."""

    queued: int


def _store(store_id: UUID, stores: StoreNames) -> ConsentStore:
    return ConsentStore(id=store_id, name=stores[store_id])
