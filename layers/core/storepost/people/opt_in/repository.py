"""Rows of opt-in requests, and of the times at which each address got one.

A request is stored in the partition of the profile that had the address, beside the evidence of the
form: it never moves, and is erased with that. The times of an address's requests are stored under
its keyed hash, so that an erasure doesn't reset the limit.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain
from uuid import UUID

from pynamodb.attributes import UnicodeAttribute

from storepost.people.consent.model import Address, ConsentOrigin, ConsentSource
from storepost.people.consent.rows import as_proof, proof_row
from storepost.people.opt_in.links import OptInLink
from storepost.people.opt_in.model import KEPT_FOR, MONTH, OptInRequest
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import (
    Identifier,
    Item,
    Key,
    UtcDateTimeAttribute,
    VersionedItem,
    find,
)
from storepost.platform.persistence.mapping import as_row, as_value
from storepost.platform.persistence.reads import Repository
from storepost.platform.persistence.records import Json
from storepost.platform.persistence.sealing import Purpose, keyed_hash
from storepost.values import clock
from storepost.values.ids import short
from storepost.values.scope import WorkspaceScope

_PREFIX = "opt_in#"


class OptInRequestItem(Item, discriminator="opt_in_request"):
    """A request with the data that its link needs; it expires."""

    id = Identifier()
    profile_id = Identifier()
    email = UnicodeAttribute()
    source = UnicodeAttribute()
    by = UnicodeAttribute(null=True)
    proof = Json()
    since = UtcDateTimeAttribute()
    sent_at = UtcDateTimeAttribute()
    language = UnicodeAttribute()
    sender = UnicodeAttribute()
    wording = UnicodeAttribute()
    confirmed_at = UtcDateTimeAttribute(null=True)


class OptInSendsItem(VersionedItem, discriminator="opt_in_sends"):
    """The times at which an address got requests; the address is a keyed hash."""

    sent_at = Json()
    """The times as text, oldest first."""


def request_key(link: OptInLink) -> Key:
    """Returns the key of a request: in the partition of the profile that had the address."""
    partition = link.workspace.partition("profile", short(link.profile_id))
    return (partition, f"{_PREFIX}{short(link.request_id)}")


def sends_partition(workspace: WorkspaceScope) -> str:
    """Returns the partition of the times at which a workspace's addresses got requests."""
    return workspace.partition("opt_in_sends")


def sends_key(workspace: WorkspaceScope, address: Address) -> Key:
    """Returns the key of the times at which an address got requests."""
    digest = keyed_hash(address.value, Purpose.OPT_IN_ADDRESS, workspace.key)
    return (sends_partition(workspace), f"address#{digest}")


class OptInRepository(Repository):
    """A workspace's requests for opt-in."""

    def __init__(self, workspace: WorkspaceScope) -> None:
        """Makes the repository of one workspace."""
        super().__init__(workspace)
        self._sends: dict[Address, OptInSendsItem] = {}

    def get(self, link: OptInLink) -> OptInRequest | None:
        """Returns the request of a link, or None."""
        row = find(OptInRequestItem, request_key(link))
        return _as_request(self._scope, row) if row and _is_stored(row) else None

    def of_profiles(self, profile_ids: Iterable[UUID]) -> list[OptInRequest]:
        """Returns all requests in the partitions of these profiles."""
        rows = chain.from_iterable(self._rows(profile_id) for profile_id in profile_ids)
        return [_as_request(self._scope, row) for row in rows if _is_stored(row)]

    def add(self, changes: Changes, request: OptInRequest) -> None:
        """Adds a new request."""
        changes.create(_row(request))

    def confirm(self, changes: Changes, request: OptInRequest, at: datetime) -> None:
        """Writes that the person confirmed; a lost race if they did so meanwhile."""
        row = OptInRequestItem(*request_key(request.link))
        is_open = OptInRequestItem.pk.exists() & OptInRequestItem.confirmed_at.does_not_exist()
        changes.update(row, [OptInRequestItem.confirmed_at.set(at)], is_open)

    def delete(self, changes: Changes, request: OptInRequest) -> None:
        """Deletes a request, which ends its link."""
        changes.delete(OptInRequestItem(*request_key(request.link)))

    def sends_to(self, address: Address) -> tuple[datetime, ...]:
        """Returns the times at which the address recently got requests, oldest first."""
        row = find(OptInSendsItem, sends_key(self._scope, address))
        if row is None:
            return ()
        self._sends[address] = row
        return tuple(clock.from_text(each) for each in row.sent_at)

    def save_sends(self, changes: Changes, address: Address, sends: Sequence[datetime]) -> None:
        """Writes the times of an address's requests, if unchanged since they were read here."""
        row = self._sends.get(address) or OptInSendsItem(*sends_key(self._scope, address))
        row.sent_at = [clock.to_text(each) for each in sends]
        row.expiration = sends[-1] + MONTH
        changes.save(row)

    def some_of(self, profile_id: UUID, limit: int) -> list[Key]:
        """Returns the keys of some requests in a profile's partition."""
        return [row.key for row in self._rows(profile_id, limit)]

    def _rows(self, profile_id: UUID, limit: int | None = None) -> Iterable[OptInRequestItem]:
        partition = self._scope.partition("profile", short(profile_id))
        return OptInRequestItem.rows_in(partition, _PREFIX, limit=limit)


def _is_stored(row: OptInRequestItem) -> bool:
    """Whether the row hasn't expired: DynamoDB deletes it only days later."""
    return row.expiration is not None and row.expiration > clock.now()


def _row(request: OptInRequest) -> OptInRequestItem:
    return as_row(
        OptInRequestItem,
        request_key(request.link),
        request,
        source=request.origin.source,
        by=request.origin.by,
        proof=proof_row(request.origin.proof),
        expiration=request.sent_at + KEPT_FOR,
    )


def _as_request(workspace: WorkspaceScope, row: OptInRequestItem) -> OptInRequest:
    return as_value(
        OptInRequest,
        row,
        workspace=workspace,
        origin=ConsentOrigin(ConsentSource(row.source), None, as_proof(row.proof), row.by),
    )
