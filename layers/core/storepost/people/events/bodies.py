"""Events as requests have them."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from storepost.people.events.model import IncomingEvent
from storepost.people.events.rows import properties_text
from storepost.people.profiles.bodies import AnonymousId
from storepost.people.profiles.model import Identity, IdentityType
from storepost.values.emails import EmailAddress
from storepost.values.phones import LenientNumber
from storepost.values.wire import Id, RequestBody, Text, Timestamp, not_in_the_future

PROPERTIES_BYTES = 32 * 1024
PROPERTIES_DEPTH = 20


def _keepable(properties: dict[str, Any]) -> dict[str, Any]:
    if not _is_flat_enough(properties):
        raise ValueError(f"Must have at most {PROPERTIES_DEPTH} levels of objects and lists")
    try:
        size = len(properties_text(properties).encode())
    except ValueError:
        raise ValueError("Must have numbers and texts that JSON in UTF-8 can hold") from None
    if size > PROPERTIES_BYTES:
        raise ValueError(f"Must have at most {PROPERTIES_BYTES:,} bytes as JSON")
    return properties


def _is_flat_enough(properties: dict[str, Any]) -> bool:
    level: Sequence[Any] = [properties]
    for _ in range(PROPERTIES_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
    return not any(isinstance(each, dict | list) for each in level)


def _inside(value: object) -> Sequence[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


Properties = Annotated[dict[str, Any], AfterValidator(_keepable)]
"""Any keys and values, 32 KB of them as compact JSON."""


class EventProfile(RequestBody):
    """Whose event it is: a profile's id, or one value that names a person. Exactly one of them
    is given.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "ada@example.com"}]})

    id: Id | None = Field(
        default=None, description="The id of a profile of the workspace; an unknown one is refused."
    )
    email: EmailAddress | None = Field(
        default=None,
        description="The person's email address. Where nobody has it, a profile is created.",
    )
    phone: LenientNumber | None = Field(
        default=None,
        description="The person's phone number with its country code, or as people write it in "
        "the country of the event's store. Where nobody has it, a profile is created.",
    )
    anonymous_id: AnonymousId | None = Field(
        default=None,
        description="What your site calls a browser before anybody signs in. Where "
        "nobody has it, a profile is created.",
    )
    shopify_client_id: AnonymousId | None = Field(
        default=None,
        description="What a Shopify store's shop window calls a browser "
        "(`_shopify_y`); it needs `storeId` beside it.",
    )
    store_id: Id | None = Field(
        default=None,
        description="The Shopify store that `shopifyClientId` belongs to. It is given "
        "with that, and never without.",
    )

    @model_validator(mode="after")
    def _names_one(self) -> "EventProfile":
        named = (self.id, self.email, self.phone, self.anonymous_id, self.shopify_client_id)
        if sum(each is not None for each in named) != 1:
            raise ValueError(
                "Must have exactly one of `id`, `email`, `phone`, `anonymousId`, `shopifyClientId`"
            )
        if (self.store_id is None) != (self.shopify_client_id is None):
            raise ValueError("Must have `storeId` with `shopifyClientId`, and never without")
        return self

    def value(self) -> UUID | Identity:
        """Returns the profile's id or the identity, as the service takes it."""
        if self.id is not None:
            return self.id
        named = (
            (IdentityType.EMAIL, self.email),
            (IdentityType.PHONE, self.phone),
            (IdentityType.ANONYMOUS_ID, self.anonymous_id),
            (IdentityType.SHOPIFY_CLIENT_ID, self.shopify_client_id),
        )
        [(kind, value)] = ((kind, value) for kind, value in named if value is not None)
        return Identity(kind, value, self.store_id)


class NewEvent(RequestBody):
    """What happened, and with whom."""

    profile: EventProfile = Field(
        description="The person with whom it happened, named in one of several ways."
    )
    name: Text = Field(
        description="What happened, such as `viewed_product`. Names are compared as "
        "they are, with their case."
    )
    occurred_at: Annotated[Timestamp, AfterValidator(not_in_the_future)] | None = Field(
        default=None, description="When it happened; not in the future. Null or left out: now."
    )
    store_id: Id | None = Field(
        default=None, description="The store where it happened. Null or left out: none."
    )
    properties: Properties = Field(
        description="Further details of it, as any JSON object of at most 32 KB and 20 levels. Put "
        "nothing secret into it."
    )
    unique_id: Text | None = Field(
        default=None,
        description="Names this occurrence, so that it is recorded once however often "
        "it is sent: a profile has one event of each name with it. Null or "
        "left out: each request records another one.",
    )

    def value(self, row: int = 0) -> IncomingEvent:
        """Returns the event as the service takes it."""
        return self.to_model(IncomingEvent, person=self.profile.value(), row=row)
