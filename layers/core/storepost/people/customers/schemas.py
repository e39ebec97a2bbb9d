"""Customers in answers, as the stores have them."""

from uuid import UUID

from storepost.people.consent.states import ConsentState
from storepost.people.customers.model import Customer as CustomerValue
from storepost.stores.stores.model import Store
from storepost.stores.stores.references import StoreReference
from storepost.values.wire import Shape, Timestamp, Uri


class ProfileCustomer(Shape):
    """A person as one of the stores knows them."""

    id: UUID
    store: StoreReference
    external_id: str
    admin_url: Uri
    first_name: str | None
    last_name: str | None
    email: str | None
    phone: str | None
    locale: str | None
    email_marketing_consent: ConsentState
    sms_marketing_consent: ConsentState
    external_created_at: Timestamp
    external_updated_at: Timestamp
    deleted_at: Timestamp | None

    @classmethod
    def of(cls, customer: CustomerValue, store: Store) -> "ProfileCustomer":
        """The customer in this shape."""
        return cls(
            id=customer.id,
            store=StoreReference.of(store),
            external_id=customer.external_id,
            admin_url=customer.admin_url,
            first_name=customer.first_name,
            last_name=customer.last_name,
            email=customer.email,
            phone=customer.phone,
            locale=customer.locale,
            email_marketing_consent=customer.email_consent,
            sms_marketing_consent=customer.sms_consent,
            external_created_at=customer.external_created_at,
            external_updated_at=customer.external_updated_at,
            deleted_at=customer.deleted_at,
        )
