"""A change of consent: a statement about an address, its origin, and its write-backs to stores."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from storepost.people.consent.decision import ChangeRef
from storepost.people.consent.states import Channel, ConsentState
from storepost.platform.attempts.model import Attempt
from storepost.values.scope import WorkspaceScope
from storepost.values.stored_enum import StoredEnum


class ConsentSource(StoredEnum):
    """How a change of consent came. `api`: by an API key. `manual`: by a signed-in person.
    `shopify`: from a shop. `import`: from an import of consent. `unsubscribe_link`: by the
    page behind a link. `one_click`: by a mailbox provider's button.
    """

    SHOPIFY = "shopify"
    UNSUBSCRIBE_LINK = "unsubscribe_link"
    ONE_CLICK = "one_click"
    IMPORT = "import"
    API = "api"
    MANUAL = "manual"


LINK_SOURCES = (ConsentSource.UNSUBSCRIBE_LINK, ConsentSource.ONE_CLICK)
"""The sources of statements that anybody with the link in an email can make."""


class WriteBackStatus(StoredEnum):
    """How far the write-back of a change to a store is. `pending`: it waits, or is tried again.
    `written`: the store accepted it. `skipped`: it needn't or can't be sent. `failed`: the store
    refused it, or all attempts failed.
    """

    PENDING = "pending"
    WRITTEN = "written"
    SKIPPED = "skipped"
    FAILED = "failed"


class SkipReason(StoredEnum):
    """Why a change wasn't sent to a store. `already_current`: it has this state. `superseded`: a
    newer change of the address holds. `no_email`: its customer has another address, or another
    number. `customer_deleted`: it deleted the customer. `permission_missing`: it doesn't accept
    changes of consent. `store_disconnected`: it isn't connected.
    """

    ALREADY_CURRENT = "already_current"
    PERMISSION_MISSING = "permission_missing"
    STORE_DISCONNECTED = "store_disconnected"
    NO_EMAIL = "no_email"
    """The store's customer has another address; it stands for either channel's."""
    CUSTOMER_DELETED = "customer_deleted"
    SUPERSEDED = "superseded"


@dataclass(frozen=True)
class Proof:
    """What proves that the person wanted it; `ip` and `user_agent` are the person's own."""

    reference: str | None = None
    ip: str | None = field(default=None, repr=False)
    user_agent: str | None = field(default=None, repr=False)
    user_id: UUID | None = None
    api_key_id: UUID | None = None


@dataclass(frozen=True)
class ConsentOrigin:
    """How an assertion arrived, and who sent it."""

    source: ConsentSource
    store_id: UUID | None = None
    proof: Proof = Proof()
    by: str | None = None
    """The person's name, or the key's."""

    @property
    def is_the_persons_own(self) -> bool:
        """Returns whether it states the person's own act, and not the data of a store or a list."""
        return self.store_id is None and self.source not in {
            ConsentSource.SHOPIFY,
            ConsentSource.IMPORT,
        }

    def proven_by(self, proof: Proof | None) -> "ConsentOrigin":
        """Returns the origin with a proof of the person's wish; the caller's ids stay."""
        user_id, api_key_id = self.proof.user_id, self.proof.api_key_id
        filled = replace(proof or Proof(), user_id=user_id, api_key_id=api_key_id)
        return replace(self, proof=filled)


@dataclass(frozen=True)
class WriteBack:
    """The status of a consent change at one store."""

    store_id: UUID
    status: WriteBackStatus = WriteBackStatus.PENDING
    skip_reason: SkipReason | None = None
    error: str | None = None
    done_at: datetime | None = None
    is_certain: bool = True
    """False where the store sent another state during the write, so that the order is unknown."""
    pending_since: datetime | None = None
    """When the write-back became due, if that isn't when the change was recorded."""
    delivery_count: int = 1
    """How many deliveries to the store were begun: another one begins when the change holds again,
    and when the store sends the state that the change replaced.
    """
    resends: int = 0
    """How often it was sent again because the store accepted another change after failures."""
    attempts: tuple[Attempt, ...] = ()
    """The attempts of this delivery since it last began, the first one first."""
    next_attempt_at: datetime | None = None
    """None before the first attempt and after the last one."""

    @property
    def is_waiting(self) -> bool:
        """Returns whether an attempt failed and another one follows."""
        return self.status is WriteBackStatus.PENDING and bool(self.attempts)

    @property
    def due_since(self) -> datetime | None:
        """Returns when an attempt was due; None where that is when the change was recorded."""
        return self.next_attempt_at or self.pending_since

    @property
    def is_in_sync(self) -> bool:
        """Returns whether it ended with the store in the state that its customer's row has."""
        if self.status is WriteBackStatus.WRITTEN:
            return self.is_certain
        return self.skip_reason is SkipReason.ALREADY_CURRENT

    def with_new_delivery(self, resends: int | None = None) -> "WriteBack":
        """Returns the write-back as pending, in the same delivery, before the first attempt.

        `resends` replaces the count, if given.
        """
        count = self.resends if resends is None else resends
        return WriteBack(self.store_id, delivery_count=self.delivery_count, resends=count)

    def restarted(self) -> "WriteBack":
        """Returns the write-back as pending in a new delivery, however the last one ended."""
        return WriteBack(self.store_id, delivery_count=self.delivery_count + 1)

    def attempted(self, attempt: Attempt, next_at: datetime | None = None) -> "WriteBack":
        """Returns the write-back after an attempt; `next_at` is the time of the next one."""
        return replace(self, attempts=(*self.attempts, attempt), next_attempt_at=next_at)

    def _ended(self) -> "WriteBack":
        return replace(self.with_new_delivery(), attempts=self.attempts)

    def written(self, at: datetime, *, is_certain: bool = True) -> "WriteBack":
        """Returns the write-back after the store accepted it."""
        status = WriteBackStatus.WRITTEN
        return replace(self._ended(), status=status, done_at=at, is_certain=is_certain)

    def skipped(self, reason: SkipReason, at: datetime) -> "WriteBack":
        """Returns the write-back after it was skipped for a reason."""
        status = WriteBackStatus.SKIPPED
        return replace(self._ended(), status=status, skip_reason=reason, done_at=at)

    def failed(self, error: str, at: datetime) -> "WriteBack":
        """Returns the write-back after its last attempt failed."""
        return replace(self._ended(), status=WriteBackStatus.FAILED, error=error, done_at=at)


@dataclass(frozen=True)
class Address:
    """An email address or a phone number, normalised."""

    channel: Channel
    value: str = field(repr=False)


@dataclass(frozen=True)
class Subject:
    """The person whom an assertion is about."""

    workspace: WorkspaceScope
    profile_id: UUID
    store_ids: tuple[UUID, ...]
    """The stores that have a customer of the person, deleted ones too."""


@dataclass(frozen=True)
class ConsentChange:
    """A recorded change, in the history of the profile that had the address."""

    id: UUID
    profile_id: UUID
    channel: Channel
    state: ConsentState
    origin: ConsentOrigin
    address: str | None = field(repr=False)
    occurred_at: datetime
    recorded_at: datetime
    write_backs: tuple[WriteBack, ...]
    follows: ChangeRef | None
    """The change that held before; None for an address's first."""

    def delivery_id_for(self, store_id: UUID) -> str:
        """Returns the id of the last delivery to a store, which all its attempts share."""
        write_back = self.write_back_to(store_id)
        number = write_back.delivery_count if write_back else 1
        return str(self.id) if number == 1 else f"{self.id}.{number}"

    @property
    def is_opt_out(self) -> bool:
        """Returns whether it is an unsubscription."""
        return self.state is ConsentState.UNSUBSCRIBED

    @property
    def store_ids(self) -> frozenset[UUID]:
        """Returns the ids of its source's store, and of the stores that it is written back to."""
        named = (self.origin.store_id, *(each.store_id for each in self.write_backs))
        return frozenset(store_id for store_id in named if store_id)

    def write_back_to(self, store_id: UUID) -> WriteBack | None:
        """Returns the write-back to a store; None where this change has none."""
        return next((each for each in self.write_backs if each.store_id == store_id), None)

    def with_write_back(self, write_back: WriteBack) -> "ConsentChange":
        """Returns the change with one store's write-back replaced."""
        return replace(
            self,
            write_backs=tuple(
                write_back if each.store_id == write_back.store_id else each
                for each in self.write_backs
            ),
        )
