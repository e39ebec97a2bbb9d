"""Changes of consent on the wire."""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, StringConstraints

from storepost.consent import model
from storepost.consent.model import SkipReason, Source, WriteBackStatus
from storepost.consent.states import Channel, ConsentState
from storepost.consent_changes.service import Wanted
from storepost.wire import RequestBody, Shape, Timestamp, not_in_the_future

IP_LENGTH, USER_AGENT_LENGTH, REFERENCE_LENGTH = 64, 1000, 200

type StoreNames = Mapping[UUID, str]
"""The workspace's stores by id."""


class GivenProof(RequestBody):
    """What shows that the person wanted it; the address and browser are the person's own."""

    reference: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REFERENCE_LENGTH)
    ]
    ip: Annotated[str, StringConstraints(max_length=IP_LENGTH)] | None = None
    user_agent: Annotated[str, StringConstraints(max_length=USER_AGENT_LENGTH)] | None = None

    def value(self) -> model.Proof:
        """The proof before the server adds who called."""
        return model.Proof(self.reference, self.ip, self.user_agent)


class ConsentUpdate(RequestBody):
    """What the person wants, and since when."""

    state: Literal[ConsentState.SUBSCRIBED, ConsentState.UNSUBSCRIBED]
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = None
    proof: GivenProof | None = None

    def value(self) -> Wanted:
        """What the service is told."""
        return Wanted(self.state, self.occurred_at, self.proof.value() if self.proof else None)


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
    source: Source
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


def _store(store_id: UUID, stores: StoreNames) -> ConsentStore:
    return ConsentStore(id=store_id, name=stores[store_id])
