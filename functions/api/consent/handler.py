"""Consent: changing a profile's, its history, write-backs that failed, and imports."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.accounts.workspaces.callers import WorkspaceCaller
from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Owner, Reader, SignedInAdmin, Writer
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import RowLedger, Writes
from storepost.people.consent.model import ConsentSource, WriteBackStatus
from storepost.people.consent.settings import find_settings, save_settings
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.consent.write_back_index import RecordedWithin
from storepost.people.consent_changes import evidence, importing, service, write_back_list
from storepost.people.consent_changes.bodies import ConsentUpdate, WriteBackRetry
from storepost.people.consent_changes.evidence_schemas import (
    ConsentEvidence,
    ConsentSettings,
    ConsentSettingsUpdate,
    ErasedAddress,
    ErasedConsentEvidence,
)
from storepost.people.consent_changes.import_schemas import ConsentImport, ConsentImported
from storepost.people.consent_changes.listing import (
    ChangeFilter,
    get_change,
    get_consent,
    list_changes,
    store_names,
)
from storepost.people.consent_changes.retrying import retry_failed
from storepost.people.consent_changes.schemas import (
    ChannelConsent,
    ConsentChange,
    ListedWriteBack,
    QueuedWriteBacks,
)
from storepost.people.consent_changes.write_back_list import WriteBackFilter
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.wire import Timestamp

app = create_app(large_bodies=frozenset({"consent.import"}))


@app.put(
    "/v1/profiles/<id>/consent/email",
    operation_id="consent.putEmail",
    response_description="The change of the address's consent that holds now: this one, or "
    "the one before where nothing new was recorded.",
)
def change_email_consent(
    id: Annotated[
        UUID, Path(description="The profile whose email address is subscribed or unsubscribed.")
    ],
    caller: Writer,
    writes: Writes,
    body: ConsentUpdate,
) -> ConsentChange:
    """Change a profile's email consent.

    Subscribes or unsubscribes the email address that the profile shows, and answers the latest
    change of it. The change is written back to every store that knows the person or the address.
    Where the address has that state already, nothing is recorded but `proof` and `evidence`.

    `occurredAt` is when the person said so. If left out it is now, and later than every earlier
    statement about the address, so that an unsubscription by request needs none. Give it where you
    learned of the change later than it happened; one older than the change that holds enters the
    history alone.
    """
    change = service.change_email_consent(caller, id, body.statement(caller), writes)
    return ConsentChange.of(change, store_names(caller.workspace, [change]))


@app.get("/v1/profiles/<id>/consent/email", operation_id="consent.getEmail")
def get_email_consent(
    id: Annotated[UUID, Path(description="The profile whose email address is read.")],
    caller: Reader,
) -> ChannelConsent:
    """Get a profile's email consent.

    Answers the state of the email address that the profile shows, since when it holds, and which
    change it comes from.
    """
    return _channel_consent(caller, id, Channel.EMAIL)


@app.put(
    "/v1/profiles/<id>/consent/sms",
    operation_id="consent.putSms",
    response_description="The change of the number's consent that holds now: this one, or "
    "the one before where nothing new was recorded.",
)
def change_sms_consent(
    id: Annotated[
        UUID, Path(description="The profile whose phone number is subscribed or unsubscribed.")
    ],
    caller: Writer,
    writes: Writes,
    body: ConsentUpdate,
) -> ConsentChange:
    """Change a profile's SMS consent.

    Subscribes or unsubscribes the phone number that the profile shows, and answers the latest
    change of it. The change is written back to every store that knows the person or the number.
    Where the number has that state already, nothing is recorded but `proof` and `evidence`.

    `occurredAt` is when the person said so. If left out it is now, and later than every earlier
    statement about the address, so that an unsubscription by request needs none. Give it where you
    learned of the change later than it happened; one older than the change that holds enters the
    history alone.
    """
    change = service.change_sms_consent(caller, id, body.statement(caller), writes)
    return ConsentChange.of(change, store_names(caller.workspace, [change]))


@app.get("/v1/profiles/<id>/consent/sms", operation_id="consent.getSms")
def get_sms_consent(
    id: Annotated[UUID, Path(description="The profile whose phone number is read.")],
    caller: Reader,
) -> ChannelConsent:
    """Get a profile's SMS consent.

    Answers the state of the phone number that the profile shows, since when it holds, and which
    change it comes from.
    """
    return _channel_consent(caller, id, Channel.SMS)


def _channel_consent(caller: WorkspaceCaller, profile_id: UUID, channel: Channel) -> ChannelConsent:
    consent = get_consent(caller.workspace, profile_id, channel)
    changes = [consent.change] if consent.change else []
    return ChannelConsent.of(consent, store_names(caller.workspace, changes))


@app.get("/v1/profiles/<id>/consent", operation_id="consent.listChanges")
def list_consent_changes(
    id: Annotated[UUID, Path(description="The profile whose history is listed.")],
    caller: Reader,
    channel: Annotated[
        list[Channel] | None, Query(description="Only changes for this channel.")
    ] = None,
    state: Annotated[
        list[ConsentState] | None, Query(description="Only changes to this state.")
    ] = None,
    source: Annotated[
        list[ConsentSource] | None, Query(description="Only changes that came this way.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ConsentChange]:
    """List a profile's consent changes.

    Lists the changes of either channel, most recently recorded first, each with its write-backs.
    The profile has what holds now.
    """
    filters = ChangeFilter(channel, state, source)
    listing = list_changes(caller.workspace, id, filters, PageRequest(page, page_size))
    stores = store_names(caller.workspace, listing.items)
    return Page[ConsentChange].of(listing, lambda change: ConsentChange.of(change, stores))


@app.get("/v1/profiles/<id>/consent/evidence", operation_id="consent.listEvidence")
def list_consent_evidence(
    id: Annotated[UUID, Path(description="The profile whose evidence is listed.")],
    caller: Admin,
    channel: Annotated[
        list[Channel] | None, Query(description="Only statements for this channel.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ConsentEvidence]:
    """List the evidence of a profile's consent.

    Lists each statement about an address of the person, newest first: also those that changed
    nothing, since they said what held already, and those that are older than what holds. `changeId`
    names the change in the history where there is one. Left out are repetitions: of a request that
    says nothing but what holds, and of a statement with the same `occurredAt` and the same proof as
    the one before. The log says who read it.
    """
    listing = evidence.list_evidence(caller, id, channel, PageRequest(page, page_size))
    stores = evidence.names_of_stores(caller.workspace, listing.items)
    return Page[ConsentEvidence].of(listing, lambda each: ConsentEvidence.of(each, stores))


@app.get("/v1/profiles/<id>/consent/<changeId>", operation_id="consent.getChange")
def get_consent_change(
    id: Annotated[UUID, Path(description="The profile whose history has the change.")],
    change_id: Annotated[
        UUID, Path(description="The change to read, one of that profile's history.")
    ],
    caller: Reader,
) -> ConsentChange:
    """Get a consent change.

    One change of the history, with its write-backs.
    """
    change = get_change(caller.workspace, id, change_id)
    return ConsentChange.of(change, store_names(caller.workspace, [change]))


@app.post(
    "/v1/profiles/<id>/consent/<changeId>/write-backs/<storeId>/retry",
    operation_id="consent.retryWriteBack",
    response_description="The change, whose write-back to the store is pending again.",
)
def retry_write_back(
    id: Annotated[UUID, Path(description="The profile whose history has the change to send.")],
    change_id: Annotated[UUID, Path(description="The change to send again.")],
    store_id: Annotated[
        UUID, Path(description="The store to send it to, one of the change's `writeBacks`.")
    ],
    caller: Writer,
    writes: Writes,
) -> ConsentChange:
    """Retry a write-back.

    Sends a change to a store again that the store didn't accept, or that was skipped. A write-back
    that is pending for longer than a day is sent again too. One that was skipped as `superseded` or
    `already_current` isn't: 409 `write_back_not_failed`.
    """
    change = service.retry_write_back(caller.workspace, id, change_id, store_id, writes)
    return ConsentChange.of(change, store_names(caller.workspace, [change]))


@app.get("/v1/write-backs", operation_id="writeBacks.list")
def list_write_backs(
    caller: Reader,
    status: Annotated[
        list[WriteBackStatus] | None, Query(description="Only write-backs with this status.")
    ] = None,
    store_id: Annotated[UUID | None, Query(description="Only write-backs to this store.")] = None,
    channel: Annotated[
        list[Channel] | None, Query(description="Only write-backs of changes for this channel.")
    ] = None,
    recorded_from: Annotated[
        Timestamp | None,
        Query(
            description="Only write-backs of changes that were recorded at this moment or later."
        ),
    ] = None,
    recorded_to: Annotated[
        Timestamp | None,
        Query(description="Only write-backs of changes that were recorded before this moment."),
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ListedWriteBack]:
    """List write-backs.

    Lists the write-backs of changes to stores, for all profiles; those of the change that was
    recorded last come first. In a workspace with more than 20,000 changes, filter by `recordedFrom`
    and `recordedTo`. With `status=failed` only failed ones count, so this finds them among any
    number.
    """
    recorded = RecordedWithin(recorded_from, recorded_to)
    filters = WriteBackFilter(status, store_id, channel, recorded)
    listing = write_back_list.list_write_backs(
        caller.workspace, filters, PageRequest(page, page_size)
    )
    stores = store_names(caller.workspace, [each.change for each in listing.items])
    return Page[ListedWriteBack].of(listing, lambda each: ListedWriteBack.of(each, stores))


@app.post(
    "/v1/write-backs/retry",
    operation_id="writeBacks.retry",
    status_code=202,
    response_description="The write-backs are queued again; the answer says how many.",
)
def retry_write_backs(caller: Writer, writes: Writes, body: WriteBackRetry) -> QueuedWriteBacks:
    """Retry a store's failed write-backs.

    Sends a store again what it failed to accept, as far as that still holds. Storepost does so by
    itself when the store's address is changed, and after the first success that follows failures.
    """
    return QueuedWriteBacks(queued=retry_failed(caller.workspace, body.value(), writes))


@app.post("/v1/consent/import", operation_id="consent.import")
def import_consent(caller: Writer, ledger: RowLedger, body: ConsentImport) -> ConsentImported:
    """Import up to 500 consent changes.

    Imports changes that happened elsewhere. `recorded` counts those that became the state of their
    address, `unchanged` those that found it there already, and `older` those that entered the
    history only, because a later statement holds. Changes may come in any order, in any number of
    requests, and repeatedly: an address ends in the same state, that of the latest `occurredAt`,
    and of several at the same moment in `unsubscribed`.

    `subscribed` overrides `unsubscribed` only where it is proven to be later: with a
    `proof.reference`, and a time that isn't in the future. Else it is `older`.

    The address of a person who was erased is only subscribed again by what is proven to be later
    than that: any other such change is `older`, and nothing of it is kept.

    A change is recorded for the person who has the address, shown on their profile or not, and
    written back to every store that knows them. Where nobody has it, a profile is created, for
    `unsubscribed` as for `subscribed`: so no unsubscription is lost, whenever the person comes.

    `failed` names the changes that can't be read; the others are imported all the same.

    The changes are imported some at a time. With an `idempotency-key` a request that was cut short
    continues where it ended, and answers as if it had run once. Without one, what it had recorded
    is `unchanged` the second time, and what was `older` enters the history again.
    """
    results = importing.import_consent(caller, body.statements, ledger)
    return ConsentImported.of(results, body)


@app.get("/v1/consent/settings", operation_id="consent.getSettings")
def get_consent_settings(caller: Reader) -> ConsentSettings:
    """Get the consent settings.

    Answers for how many days evidence of consent outlives an erasure.
    """
    return ConsentSettings.of(find_settings(caller.workspace))


@app.put(
    "/v1/consent/settings",
    operation_id="consent.putSettings",
    response_description="The settings as they are now.",
)
def change_consent_settings(
    caller: Owner, writes: Writes, body: ConsentSettingsUpdate
) -> ConsentSettings:
    """Change the consent settings.

    Says for how many days evidence of consent outlives an erasure; 0 unless it is set. It counts
    for erasures from then on. What is kept is sealed, is found by nobody who doesn't know the
    address, and is deleted automatically once the days are over.
    """
    save_settings(writes, caller.workspace, body.value())
    return ConsentSettings.of(body.value())


@app.post("/v1/consent/erased-evidence", operation_id="consent.openErasedEvidence")
def open_erased_evidence(caller: SignedInAdmin, body: ErasedAddress) -> ErasedConsentEvidence:
    """Open an erased person's consent evidence.

    Answers the evidence that was kept to prove a mailing from before the erasure. It is there for
    as many days as the settings said when the person was erased, and only for a caller who knows
    the address. The log says who opened it.
    """
    opened = evidence.open_evidence(caller, body.value())
    stores = evidence.names_of_stores(caller.workspace, opened)
    return ErasedConsentEvidence.all_of(opened, stores)


lambda_handler = app.handler()
