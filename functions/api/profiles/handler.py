"""Profiles: the people of a workspace, and the customers that its stores put."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from storepost.accounts.workspaces.access_log import log_access
from storepost.api.http.app import JSON, create_app
from storepost.api.http.callers import Admin, Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.lifecycle.erasures.service import erase_profile as erase
from storepost.people.consent.states import ConsentState
from storepost.people.customers import service as customers
from storepost.people.customers.bodies import Customer, CustomerExternalId
from storepost.people.customers.listing import list_customers as customers_of
from storepost.people.customers.releasing import release_identity
from storepost.people.customers.schemas import ProfileCustomer
from storepost.people.profiles import manual, service
from storepost.people.profiles.bodies import MergeRequest, ProfileUpdate, UpsertProfile
from storepost.people.profiles.listing import ProfileFilter, identity_filters, list_profiles
from storepost.people.profiles.model import IdentityType
from storepost.people.profiles.schemas import Profile, ProfileIdentity, ProfileMerge, ProfileSummary
from storepost.values.emails import EmailAddress
from storepost.values.locale_codes import LocaleCode
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.phones import PhoneNumber
from storepost.values.wire import Text, Timestamp

app = create_app()

Sort = Literal["firstSeenAt", "-firstSeenAt", "name", "-name", "email", "-email"]
ExternalId = Annotated[CustomerExternalId, Path(alias="externalId")]


@app.get("/v1/profiles", operation_id="profiles.list")
def find_profiles(
    caller: Reader,
    q: Search | None = None,
    email: Annotated[EmailAddress | None, Query()] = None,
    phone: Annotated[PhoneNumber | None, Query()] = None,
    external_id: Annotated[Text | None, Query(alias="externalId")] = None,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    is_customer: Annotated[bool | None, Query(alias="isCustomer")] = None,
    email_marketing_consent: Annotated[
        list[ConsentState] | None, Query(alias="emailMarketingConsent")
    ] = None,
    sms_marketing_consent: Annotated[
        list[ConsentState] | None, Query(alias="smsMarketingConsent")
    ] = None,
    locale: Annotated[LocaleCode | None, Query()] = None,
    first_seen_from: Annotated[Timestamp | None, Query(alias="firstSeenFrom")] = None,
    first_seen_to: Annotated[Timestamp | None, Query(alias="firstSeenTo")] = None,
    last_seen_from: Annotated[Timestamp | None, Query(alias="lastSeenFrom")] = None,
    last_seen_to: Annotated[Timestamp | None, Query(alias="lastSeenTo")] = None,
    sort: Annotated[Sort, Query()] = "-firstSeenAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileSummary]:
    """The workspace's profiles, newest first by `firstSeenAt` unless sorted otherwise."""
    filters = ProfileFilter(
        q=q,
        identities=identity_filters(email, phone, external_id, store_id),
        store_id=store_id,
        is_customer=is_customer,
        email_consents=email_marketing_consent,
        sms_consents=sms_marketing_consent,
        locale=locale,
        first_seen_from=first_seen_from,
        first_seen_to=first_seen_to,
        last_seen_from=last_seen_from,
        last_seen_to=last_seen_to,
    )
    listing = list_profiles(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[ProfileSummary].of(listing, ProfileSummary.of)


@app.post("/v1/profiles", operation_id="profiles.upsert", status_code=201)
def upsert_profile(
    caller: Writer, writes: Writes, body: Annotated[UpsertProfile, Body()]
) -> Response[Profile]:
    """Makes a profile, or adds to the one that the identifiers name; 201 where it is new.

    Where they are several profiles' that can be one person, those become one.
    """
    cause, values = manual.cause_of(caller), body.value()
    profile, is_new = manual.upsert_profile(caller.workspace, values, cause, writes)
    shape = Profile.of(profile, service.stores_of(profile))
    return Response(201 if is_new else 200, JSON, shape)


@app.get("/v1/profiles/<id>", operation_id="profiles.get")
def get_profile(id: UUID, caller: Reader) -> Profile:
    """One person, with the stores that know them and what they spent there."""
    profile = service.get_profile(caller.workspace, id)
    return Profile.of(profile, service.stores_of(profile))


@app.patch("/v1/profiles/<id>", operation_id="profiles.update")
def update_profile(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[ProfileUpdate, Body()]
) -> Profile:
    """Changes what a profile shows; null clears, what is left out stays.

    An address that is given names the person from then on, and its consent is shown. One that is
    shown no longer goes on naming the person, who may still come with it. A locale that is given
    holds against every order and customer; one that is cleared leaves it to them again.
    """
    profile = manual.update_profile(caller.workspace, id, body.given(), writes)
    return Profile.of(profile, service.stores_of(profile))


@app.delete("/v1/profiles/<id>", operation_id="profiles.delete", status_code=204)
def erase_profile(id: UUID, caller: Admin, writes: Writes) -> None:
    """Erases a person; it can't be undone. Their id answers 404 at once, merged ones with it.

    What names them is removed within minutes: identities, customers, consent with its history,
    proofs and evidence. Of evidence a sealed copy stays where the consent settings say so. Orders
    stay for good, without the buyer. A keyed hash of each address stays: no store and no import
    subscribes it again, only the person's own new consent. Copies go by themselves: answers kept
    for idempotency after a day, batches after a week.
    """
    erased = erase(caller.workspace, id, writes)
    writes.after_commit(lambda: log_access("profile erased", erased.id, caller=caller))


@app.post("/v1/profiles/<id>/merge", operation_id="profiles.merge")
def merge_profiles(
    id: UUID, caller: Writer, writes: Writes, body: Annotated[MergeRequest, Body()]
) -> Profile:
    """Makes another profile part of this one; its id answers for this one from then on.

    This one keeps what it shows and takes the other's where it has nothing. Orders, customers,
    identities and the history of consent are both's at once. It can't be undone.
    """
    cause = manual.cause_of(caller)
    profile = manual.merge_profiles(caller.workspace, id, body.profile_id, cause, writes)
    return Profile.of(profile, service.stores_of(profile))


@app.get("/v1/profiles/<id>/identities", operation_id="profiles.listIdentities")
def list_identities(
    id: UUID,
    caller: Reader,
    type: Annotated[list[IdentityType] | None, Query()] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileIdentity]:
    """What names the person, shown or not, newest first by `firstSeenAt`."""
    request = PageRequest(page, page_size)
    listing = service.list_identities(caller.workspace, id, type, request)
    return Page[ProfileIdentity].of(listing, ProfileIdentity.of)


@app.delete(
    "/v1/profiles/<id>/identities/<identityId>",
    operation_id="profiles.deleteIdentity",
    status_code=204,
)
def delete_identity(
    id: UUID,
    identity_id: Annotated[UUID, Path(alias="identityId")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Takes an identity off a person, such as an address that they mistyped; repeatable.

    It is nobody's from then on: whoever comes with it next is somebody new. Where it was shown, the
    person's next one is. Its consent stays with the address, and what is in this person's history
    stays there, as do orders and events that came with it. A store's customer keeps what names it.
    """
    release_identity(caller.workspace, id, identity_id, writes)


@app.get("/v1/profiles/<id>/merges", operation_id="profiles.listMerges")
def list_merges(
    id: UUID, caller: Reader, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[ProfileMerge]:
    """The profiles that became part of this one, the latest first, and those that did so before."""
    listing = service.list_merges(caller.workspace, id, PageRequest(page, page_size))
    return Page[ProfileMerge].of(listing, ProfileMerge.of)


@app.get("/v1/profiles/<id>/customers", operation_id="profiles.listCustomers")
def list_customers(
    id: UUID,
    caller: Reader,
    store_id: Annotated[UUID | None, Query(alias="storeId")] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileCustomer]:
    """The person as each store knows them, deleted customers too; the newest comes first."""
    request = PageRequest(page, page_size)
    listing, stores = customers_of(caller.workspace, id, store_id, request)
    return Page[ProfileCustomer].of(
        listing, lambda customer: ProfileCustomer.of(customer, stores[customer.store_id])
    )


@app.put("/v1/stores/<id>/customers/<externalId>", operation_id="customers.put", status_code=201)
def put_customer(
    id: UUID,
    external_id: ExternalId,
    caller: Writer,
    writes: Writes,
    body: Annotated[Customer, Body()],
) -> Response[ProfileCustomer]:
    """Writes a custom store's customer whole; 201 where the store has no such customer yet.

    A consent says something where it differs from what the store gave or took last.
    `not_subscribed` where that was `subscribed` unsubscribes, at the consent's time or
    `externalUpdatedAt`.
    `subscribed` without a consent time, or with one that is still to come, never overrides
    `unsubscribed`: then the store is told of the unsubscription.
    """
    put = customers.put_customer(caller, id, external_id, body.value, writes)
    shape = ProfileCustomer.of(put.customer, put.store)
    return Response(201 if put.is_new else 200, JSON, shape)


@app.delete(
    "/v1/stores/<id>/customers/<externalId>", operation_id="customers.delete", status_code=204
)
def delete_customer(id: UUID, external_id: ExternalId, caller: Writer, writes: Writes) -> None:
    """Marks a custom store's customer as deleted there; the person and the history stay."""
    customers.delete_customer(caller, id, external_id, writes)


lambda_handler = app.handler()
