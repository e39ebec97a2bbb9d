"""Customers in answers, as the stores have them."""

from uuid import UUID

from pydantic import Field

from storepost.people.consent.states import ConsentState
from storepost.people.customers.model import Customer as CustomerValue
from storepost.stores.stores.model import Store
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import Shape, Timestamp, Uri


class ProfileCustomer(Shape):
    """A person as one of the stores knows them."""

    id: UUID = Field(description="The customer's id in Storepost. It isn't the profile's.")
    store: StoreReference = Field(description="Which store has the customer, by its id and name.")
    external_id: str = Field(description="What the store calls the customer.")
    admin_url: Uri = Field(
        description="Where people of the store see the customer; the store's own "
        "address where none was given."
    )
    first_name: str | None = Field(
        description="The first name that the store has. Null where it has none."
    )
    last_name: str | None = Field(
        description="The last name that the store has. Null where it has none."
    )
    email: str | None = Field(
        description="The email address that the store has; it needn't be the one that "
        "the profile shows. Null where it has none."
    )
    phone: str | None = Field(
        description="The phone number that the store has, in E.164. Null where it has none."
    )
    locale: str | None = Field(
        description="The language that the store has, as a BCP 47 tag. Null where it has none."
    )
    email_marketing_consent: ConsentState = Field(
        description="What the store last sent or accepted for its email address. The profile has "
        "what holds."
    )
    sms_marketing_consent: ConsentState = Field(
        description="What the store last sent or accepted for its phone number. The profile has "
        "what holds."
    )
    external_created_at: Timestamp = Field(description="When the store created the customer.")
    external_updated_at: Timestamp = Field(
        description="When the store last changed the customer. A version with an older "
        "time is refused or ignored."
    )
    deleted_at: Timestamp | None = Field(
        description="When Storepost recorded the deletion of the customer. Null while the store "
        "has it."
    )

    @classmethod
    def of(cls, customer: CustomerValue, store: Store) -> "ProfileCustomer":
        """Returns the customer in this shape."""
        return cls.from_model(
            customer,
            store=StoreReference.from_model(store),
            email_marketing_consent=customer.email_consent,
            sms_marketing_consent=customer.sms_consent,
        )
