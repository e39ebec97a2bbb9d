"""Profiles: the people of a workspace, and the customers that its stores put."""

from typing import Annotated, Literal
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from storepost.accounts.workspaces.access_log import log_access
from storepost.api.http.answers import JSON
from storepost.api.http.app import create_app
from storepost.api.http.callers import Admin, Reader, Writer
from storepost.api.http.lists import Page, PageNumber, Search, Size
from storepost.api.http.once import Writes
from storepost.lifecycle.erasures.service import erase_profile as erase
from storepost.people.consent.states import Channel, ConsentState
from storepost.people.customers import service as customers
from storepost.people.customers.bodies import Customer
from storepost.people.customers.listing import list_customers as customers_of
from storepost.people.customers.releasing import release_identity
from storepost.people.customers.schemas import ProfileCustomer
from storepost.people.deliverability.reachability import reachability_of
from storepost.people.deliverability.reachability_schemas import Reachability
from storepost.people.profiles import manual, service
from storepost.people.profiles.bodies import MergeRequest, ProfileUpdate, UpsertProfile
from storepost.people.profiles.listing import ProfileFilter, identity_filters, list_profiles
from storepost.people.profiles.model import IdentityType
from storepost.people.profiles.schemas import Profile, ProfileIdentity, ProfileMerge, ProfileSummary
from storepost.values.emails import EmailAddress
from storepost.values.external_ids import ExternalId
from storepost.values.locale_codes import LocaleCode
from storepost.values.pagination import PageRequest, PageSize
from storepost.values.phones import PhoneNumber
from storepost.values.wire import Timestamp

app = create_app()

Sort = Literal["firstSeenAt", "-firstSeenAt", "name", "-name", "email", "-email"]


@app.get("/v1/profiles", operation_id="profiles.list")
def find_profiles(
    caller: Reader,
    q: Search | None = None,
    email: Annotated[
        EmailAddress | None,
        Query(description="Only the profile that has this email address, shown or not."),
    ] = None,
    phone: Annotated[
        PhoneNumber | None,
        Query(
            description="Only the profile that has this phone number, shown or not. In a "
            "URL write `+` as `%2B`."
        ),
    ] = None,
    external_id: Annotated[
        ExternalId | None,
        Query(
            description="Only profiles whose customer its store calls this. Each store may have "
            "one: without `storeId` every store is searched."
        ),
    ] = None,
    store_id: Annotated[
        UUID | None,
        Query(
            description="Only profiles that have a customer or an order in this store. With "
            "`externalId` it is the store whose id that is."
        ),
    ] = None,
    is_customer: Annotated[
        bool | None,
        Query(
            description="`true`: only profiles with a customer or an order in any store. "
            "`false`: only those without."
        ),
    ] = None,
    email_marketing_consent: Annotated[
        list[ConsentState] | None,
        Query(description="Only profiles whose shown email address has this state."),
    ] = None,
    sms_marketing_consent: Annotated[
        list[ConsentState] | None,
        Query(description="Only profiles whose shown phone number has this state."),
    ] = None,
    reachable: Annotated[
        list[Channel] | None,
        Query(
            description="Only profiles that may get marketing by this channel: the shown address "
            "is subscribed, and nothing suppresses it. Of several channels one is enough. Where a "
            "suppression ends automatically, the profile is listed within the hour that follows."
        ),
    ] = None,
    locale: Annotated[
        LocaleCode | None,
        Query(description="Only profiles with exactly this locale, as a BCP 47 tag."),
    ] = None,
    first_seen_from: Annotated[
        Timestamp | None,
        Query(description="Only profiles that were first seen at this moment or later."),
    ] = None,
    first_seen_to: Annotated[
        Timestamp | None,
        Query(description="Only profiles that were first seen before this moment."),
    ] = None,
    last_seen_from: Annotated[
        Timestamp | None,
        Query(description="Only profiles that were last seen at this moment or later."),
    ] = None,
    last_seen_to: Annotated[
        Timestamp | None, Query(description="Only profiles that were last seen before this moment.")
    ] = None,
    sort: Annotated[
        Sort,
        Query(
            description="What to sort by; `-` before it reverses the order. Newest first "
            "(`-firstSeenAt`) if left out."
        ),
    ] = "-firstSeenAt",
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileSummary]:
    """List profiles.

    Lists the people of the workspace, newest first by `firstSeenAt` unless `sort` says otherwise.
    Merged and erased profiles aren't shown. `q` searches names, email addresses and phone numbers.
    """
    filters = ProfileFilter(
        q=q,
        identities=identity_filters(email, phone),
        external_id=external_id,
        store_id=store_id,
        is_customer=is_customer,
        email_consents=email_marketing_consent,
        sms_consents=sms_marketing_consent,
        reachable=reachable,
        locale=locale,
        first_seen_from=first_seen_from,
        first_seen_to=first_seen_to,
        last_seen_from=last_seen_from,
        last_seen_to=last_seen_to,
    )
    listing = list_profiles(caller.workspace, filters, sort, PageRequest(page, page_size))
    return Page[ProfileSummary].of(listing, ProfileSummary.of)


@app.post(
    "/v1/profiles",
    operation_id="profiles.upsert",
    status_code=201,
    responses={
        201: {"description": "Nobody had the identifiers: a profile was created."},
        200: {"description": "The profile that has them, with what was given."},
    },
)
def upsert_profile(caller: Writer, writes: Writes, body: UpsertProfile) -> Response[Profile]:
    """Create or update a profile by its identifiers.

    Creates a person, or adds to the one that an identifier names: what is given replaces what was
    shown, and what is left out stays. Where the identifiers belong to several profiles that can be
    one person, these are merged; where they contradict each other, it is 409 `identity_conflict`.
    Consent isn't changed: use `PUT /profiles/{id}/consent/email`.
    """
    cause, values = manual.cause_of(caller), body.value()
    profile, is_new = manual.upsert_profile(caller.workspace, values, cause, writes)
    shape = Profile.of(profile, service.stores_of(profile))
    return Response(201 if is_new else 200, JSON, shape)


@app.get("/v1/profiles/<id>", operation_id="profiles.get")
def get_profile(
    id: Annotated[
        UUID,
        Path(description="The profile to read, by its own id or that of a profile merged into it."),
    ],
    caller: Reader,
) -> Profile:
    """Get a profile.

    Answers one person, with the stores that know them and what they spent there. The id of a
    profile that was merged into another one is answered with that one, by this and every other
    operation.
    """
    profile = service.get_profile(caller.workspace, id)
    return Profile.of(profile, service.stores_of(profile))


@app.patch(
    "/v1/profiles/<id>",
    operation_id="profiles.update",
    response_description="The profile as it is now.",
)
def update_profile(
    id: Annotated[UUID, Path(description="The profile to change.")],
    caller: Writer,
    writes: Writes,
    body: ProfileUpdate,
) -> Profile:
    """Update a profile.

    Changes what a profile shows. An address that is given names the person from then on, and its
    own consent is shown. One that is not shown any more still names the person, who may still come
    with it. A locale that is given beats every order and customer; one that is cleared leaves it to
    them again. Nothing is written back to stores.
    """
    profile = manual.update_profile(caller.workspace, id, body.fields(), writes)
    return Profile.of(profile, service.stores_of(profile))


@app.delete(
    "/v1/profiles/<id>",
    operation_id="profiles.delete",
    status_code=204,
    response_description="The person is erased; what named them is being removed.",
)
def erase_profile(
    id: Annotated[UUID, Path(description="The profile of the person to erase.")],
    caller: Admin,
    writes: Writes,
) -> None:
    """Erase a person.

    Removes whatever names the person; it can't be undone. Their id answers 404 at once, and so do
    the ids of merged ones. What names them is removed within minutes: identities, customers,
    consent with its history, proofs and evidence. Of evidence a sealed copy stays where the consent
    settings say so. Orders stay for good, without the buyer. A keyed hash of each address stays: no
    store and no import subscribes it again, only the person's own new consent. An unsubscription
    that a store hasn't accepted yet is still sent to it. Copies go by themselves: answers kept for
    idempotency after a day, batches after a week.
    """
    erased = erase(caller.workspace, id, writes)
    writes.after_commit(lambda: log_access("profile erased", erased.id, caller=caller))


@app.post(
    "/v1/profiles/<id>/merge",
    operation_id="profiles.merge",
    response_description="The surviving profile, with what it took over.",
)
def merge_profiles(
    id: Annotated[UUID, Path(description="The profile that survives.")],
    caller: Writer,
    writes: Writes,
    body: MergeRequest,
) -> Profile:
    """Merge another profile into this one.

    Makes the other profile part of this one; its id leads to this one from then on. This one keeps
    what it shows and takes the other's where it has nothing. Orders, customers, identities and the
    history of consent are both's at once. Consent stays with its address. It can't be undone.
    """
    cause = manual.cause_of(caller)
    profile = manual.merge_profiles(caller.workspace, id, body.profile_id, cause, writes)
    return Profile.of(profile, service.stores_of(profile))


@app.get("/v1/profiles/<id>/identities", operation_id="profiles.listIdentities")
def list_identities(
    id: Annotated[UUID, Path(description="The profile whose identities are listed.")],
    caller: Reader,
    type: Annotated[
        list[IdentityType] | None, Query(description="Only identities of this type.")
    ] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileIdentity]:
    """List a profile's identities.

    Lists the values that name the person, shown or not, newest first by `firstSeenAt`. A profile
    has at most 1,000.
    """
    request = PageRequest(page, page_size)
    listing = service.list_identities(caller.workspace, id, type, request)
    return Page[ProfileIdentity].of(listing, ProfileIdentity.of)


@app.delete(
    "/v1/profiles/<id>/identities/<identityId>",
    operation_id="profiles.deleteIdentity",
    status_code=204,
    response_description="The identity isn't this person's any more.",
)
def delete_identity(
    id: Annotated[UUID, Path(description="The profile that loses the identity.")],
    identity_id: Annotated[
        UUID, Path(description="The identity to remove, one of that profile's identities.")
    ],
    caller: Writer,
    writes: Writes,
) -> None:
    """Remove an identity from a profile.

    Takes a value off a person, such as an address that they mistyped. It belongs to nobody from
    then on: a record with it alone creates a new profile. Where it was shown, the person's next
    one is. Its consent stays with the address, and what is in this person's history stays there, as
    do orders and events that came with it. A customer of a store keeps what names it (409), and the
    last identity stays.
    """
    release_identity(caller.workspace, id, identity_id, writes)


@app.get("/v1/profiles/<id>/reachability", operation_id="profiles.getReachability")
def get_reachability(
    id: Annotated[UUID, Path(description="The profile whose reachability is checked.")],
    caller: Reader,
) -> Reachability:
    """Get what may be sent to a person.

    Says for each channel whether marketing may be sent to the address that the profile shows,
    whether what the person needs may be sent, and why not.
    """
    return Reachability.of(reachability_of(caller.workspace, id))


@app.get("/v1/profiles/<id>/merges", operation_id="profiles.listMerges")
def list_merges(
    id: Annotated[UUID, Path(description="The surviving profile.")],
    caller: Reader,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileMerge]:
    """List the profiles merged into this one.

    Lists the profiles that became part of this one, the latest merge first. Those that had been
    merged into them before are listed too.
    """
    listing = service.list_merges(caller.workspace, id, PageRequest(page, page_size))
    return Page[ProfileMerge].of(listing, ProfileMerge.of)


@app.get("/v1/profiles/<id>/customers", operation_id="profiles.listCustomers")
def list_customers(
    id: Annotated[UUID, Path(description="The profile whose customers are listed.")],
    caller: Reader,
    store_id: Annotated[UUID | None, Query(description="Only customers of this store.")] = None,
    page: PageNumber = 1,
    page_size: Size = PageSize.TWENTY_FIVE,
) -> Page[ProfileCustomer]:
    """List a profile's store customers.

    Shows the person as each store knows them, deleted customers too; the one that its store created
    last comes first.
    """
    request = PageRequest(page, page_size)
    listing, stores = customers_of(caller.workspace, id, store_id, request)
    return Page[ProfileCustomer].of(
        listing, lambda customer: ProfileCustomer.of(customer, stores[customer.store_id])
    )


@app.get("/v1/stores/<id>/customers/<externalId>", operation_id="customers.get")
def get_customer(
    id: Annotated[UUID, Path(description="The store whose customer is read.")],
    external_id: Annotated[ExternalId, Path(description="What the store calls the customer.")],
    caller: Reader,
) -> ProfileCustomer:
    """Get a store's customer.

    The person as this store knows them, a deleted customer too. A store on Shopify has them by the
    number of the customer's id there.
    """
    customer, store = customers.get_customer(caller.workspace, id, external_id)
    return ProfileCustomer.of(customer, store)


@app.put(
    "/v1/stores/<id>/customers/<externalId>",
    operation_id="customers.put",
    status_code=201,
    responses={
        201: {"description": "The store had no such customer: it was created."},
        200: {"description": "The store's customer as it is now."},
    },
)
def put_customer(
    id: Annotated[UUID, Path(description="The custom store that has the customer.")],
    external_id: Annotated[
        ExternalId,
        Path(
            description="What the store calls the customer. Ids that stand for nobody, "
            "such as `0`, are refused."
        ),
    ],
    caller: Writer,
    writes: Writes,
    body: Customer,
) -> Response[ProfileCustomer]:
    """Create or replace a custom store's customer.

    Writes the customer whole, and the profile that it belongs to: the identifiers decide which, and
    may merge profiles. A consent is a statement where it differs from what the store last sent or
    accepted. `not_subscribed` where that was `subscribed` unsubscribes, at the consent's time or
    `externalUpdatedAt`. `subscribed` without a consent time, or with one in the future, never
    overrides `unsubscribed`: then the unsubscription is written back to the store. A change of
    consent is written back to the other stores that know the person.
    """
    put = customers.put_customer(caller, id, external_id, body.value, writes)
    shape = ProfileCustomer.of(put.customer, put.store)
    return Response(201 if put.is_new else 200, JSON, shape)


@app.delete(
    "/v1/stores/<id>/customers/<externalId>",
    operation_id="customers.delete",
    status_code=204,
    response_description="The customer is marked as deleted in its store.",
)
def delete_customer(
    id: Annotated[UUID, Path(description="The custom store that had the customer.")],
    external_id: Annotated[ExternalId, Path(description="What the store called the customer.")],
    caller: Writer,
    writes: Writes,
) -> None:
    """Delete a custom store's customer.

    Marks it as deleted there; the person, their consent and the history stay. A deleted one again
    is 204 too; a newer `PUT` restores the customer. To erase a person, use `DELETE /profiles/{id}`.
    """
    customers.delete_customer(caller, id, external_id, writes)


lambda_handler = app.handler()
