"""Changes of consent in answers."""

from collections.abc import Mapping
from uuid import UUID

from pydantic import Field

from storepost.people.consent import model
from storepost.people.consent.model import ConsentSource, SkipReason, WriteBackStatus
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent_changes import listing, write_back_list
from storepost.values.wire import Shape, Timestamp

type StoreNames = Mapping[UUID, str]
"""The workspace's stores by id."""


class ConsentStore(Shape):
    """A store by its id and name."""

    id: UUID = Field(description="The store's id, which `GET /stores/{id}` takes.")
    name: str = Field(
        description="What the store is called now; disconnected ones have their last name."
    )


class ConsentProof(Shape):
    """What proves the person's choice, and who recorded it."""

    ip: str | None = Field(
        description="The network address that the person had, never the caller's. Null "
        "where it isn't known."
    )
    user_agent: str | None = Field(
        description="The `User-Agent` of the person's browser. Null where it isn't known."
    )
    user_id: str | None = Field(
        description="The id of the signed-in person who recorded it. Null where nobody "
        "did so by hand."
    )
    api_key_id: str | None = Field(
        description="The id of the API key that recorded it. Null where none did."
    )
    reference: str | None = Field(
        description="Names what proves it in the sender's own records; for an unsubscribe link, "
        "what the link was made for. Null where none was given."
    )

    @classmethod
    def of(cls, proof: model.Proof) -> "ConsentProof":
        """Returns the proof in this shape."""
        return cls.from_model(
            proof,
            user_id=str(proof.user_id) if proof.user_id else None,
            api_key_id=str(proof.api_key_id) if proof.api_key_id else None,
        )


class ConsentWriteBack(Shape):
    """The write-back of a change to one store."""

    store: ConsentStore = Field(
        description="The store that the change is written back to, by its id and name."
    )
    status: WriteBackStatus = Field(
        description="`pending`: it waits or is tried again. `written`: the store accepted it. "
        "`skipped`: it needn't or can't be sent, see `skipReason`. `failed`: the store refused it, "
        "or all attempts failed."
    )
    skip_reason: SkipReason | None = Field(
        description="Why the change wasn't sent to the store. `no_email`: its customer has another "
        "address, or another number. `superseded`: a newer change of the address holds. "
        "`already_current`: the store has this state. Null unless skipped."
    )
    error: str | None = Field(
        description="What the store answered, or what went wrong. Null unless failed."
    )
    done_at: Timestamp | None = Field(
        description="When it was written, skipped or failed. Null while it is pending."
    )

    @classmethod
    def of(cls, write_back: model.WriteBack, stores: StoreNames) -> "ConsentWriteBack":
        """Returns the write-back in this shape."""
        return cls.from_model(write_back, store=_store(write_back.store_id, stores))


class ConsentChange(Shape):
    """A statement about an address's consent: what it says, who made it and when, and its
    write-backs.
    """

    id: UUID = Field(
        description="The change's id, which `GET /profiles/{id}/consent/{changeId}` takes."
    )
    channel: Channel = Field(description="What it is for: marketing by `email`, or by `sms`.")
    state: ConsentState = Field(
        description="The state that was stated. The profile says whether it holds now: a later "
        "statement may have another state."
    )
    source: ConsentSource = Field(
        description="How it came: `api` by a key, `manual` by a signed-in person, "
        "`shopify` from a shop, `import`, `unsubscribe_link` by the page "
        "behind a link, `one_click` by a mailbox provider's button."
    )
    store: ConsentStore | None = Field(
        description="The store that stated it. Null where no store did."
    )
    address: str | None = Field(
        description="The email address or phone number that it is about. Null once it was erased."
    )
    proof: ConsentProof = Field(
        description="What the person did, as far as it was sent along, and which key "
        "or person recorded it."
    )
    by: str | None = Field(
        description="The name of the person or key that recorded it, as it was then. "
        "Null where neither did."
    )
    occurred_at: Timestamp = Field(
        description="When the person stated it. The latest statement of an address holds, whenever "
        "it was recorded."
    )
    recorded_at: Timestamp = Field(description="When Storepost recorded it.")
    write_backs: list[ConsentWriteBack] = Field(
        description="The write-backs to the stores that know the person or the address."
    )

    @classmethod
    def of(cls, change: model.ConsentChange, stores: StoreNames) -> "ConsentChange":
        """Returns the change in this shape, its stores by their names of now."""
        origin = change.origin
        return cls.from_model(
            change,
            source=origin.source,
            store=_store(origin.store_id, stores) if origin.store_id else None,
            proof=ConsentProof.of(origin.proof),
            by=origin.by,
            write_backs=[ConsentWriteBack.of(each, stores) for each in change.write_backs],
        )


class ChannelConsent(Shape):
    """What holds of the address that a profile shows for a channel."""

    channel: Channel = Field(
        description="What the consent is for: marketing by `email`, or by `sms`."
    )
    address: str | None = Field(
        description="The email address or phone number that the profile shows. Null where it has "
        "none."
    )
    state: ConsentState = Field(
        description="What holds now. It is `not_subscribed` where there is no statement, or where "
        "the profile shows no address."
    )
    as_of: Timestamp | None = Field(
        description="When the person stated it, as far as it is known. Null where there is no "
        "statement."
    )
    change: ConsentChange | None = Field(
        description="The change that holds, with its write-backs. Null where there is no statement."
    )

    @classmethod
    def of(cls, consent: listing.ChannelConsent, stores: StoreNames) -> "ChannelConsent":
        """Returns the consent in this shape, the change's stores by their names of now."""
        change = consent.change
        return cls.from_model(consent, change=ConsentChange.of(change, stores) if change else None)


class WriteBackAttempt(Shape):
    """One attempt to write a change back to a store."""

    at: Timestamp = Field(description="When the attempt began.")
    status: int | None = Field(
        description="The status of the store's answer. Null where it didn't answer, and for a "
        "Shopify store, which gets the change by the Admin API."
    )
    error: str | None = Field(description="Why the attempt failed. Null where it didn't.")
    duration_ms: int = Field(description="How long the attempt took, in milliseconds.")


class ListedWriteBack(Shape):
    """A write-back to a store, with the change that it is about."""

    profile_id: UUID = Field(
        description="The profile whose history has the change, after merges too."
    )
    change_id: UUID = Field(
        description="The change, which `GET /profiles/{id}/consent/{changeId}` takes."
    )
    channel: Channel = Field(
        description="What the change is for: marketing by `email`, or by `sms`."
    )
    state: ConsentState = Field(description="The state that is written back: the change's own.")
    write_back: ConsentWriteBack = Field(
        description="The store, and the state of the write-back to it."
    )
    attempts: list[WriteBackAttempt] = Field(
        description="The attempts since it was queued, the first one first: at most ten, over "
        "three days. No part of what the store answered is kept but its status."
    )
    next_attempt_at: Timestamp | None = Field(
        description="When the next attempt is made. Null before the first one, and once "
        "`writeBack.status` isn't `pending`."
    )

    @classmethod
    def of(cls, listed: write_back_list.ListedWriteBack, stores: StoreNames) -> "ListedWriteBack":
        """Returns the write-back in this shape, its store by its name of now."""
        change = listed.change
        return cls(
            profile_id=listed.profile_id,
            change_id=change.id,
            channel=change.channel,
            state=change.state,
            write_back=ConsentWriteBack.of(listed.write_back, stores),
            attempts=[WriteBackAttempt.from_model(each) for each in listed.write_back.attempts],
            next_attempt_at=listed.write_back.next_attempt_at,
        )


class QueuedWriteBacks(Shape):
    """How many write-backs are being sent again."""

    queued: int = Field(description="How many failed and still hold. 0 where none is left.")


def _store(store_id: UUID, stores: StoreNames) -> ConsentStore:
    return ConsentStore(id=store_id, name=stores[store_id])
