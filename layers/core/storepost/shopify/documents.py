"""The operations of the Admin API: one GraphQL file each, in `documents/`.

`make check-shopify` checks each of them against Shopify's own schema, and the scopes that it needs
against those that the app requests.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "documents"


@dataclass(frozen=True)
class Document:
    """One operation, named like its file."""

    name: str

    @property
    def text(self) -> str:
        """Returns the operation in GraphQL."""
        return _text(self.name)

    @property
    def is_mutation(self) -> bool:
        """Returns whether it changes something: sent twice, it may do so twice."""
        return self.text.startswith("mutation")


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.graphql").read_text("utf-8")


SHOP = Document("shop")
SHOP_LOCALES = Document("shop_locales")
APP_UNINSTALL = Document("app_uninstall")
BULK_CUSTOMERS = Document("bulk_customers")
BULK_ORDERS = Document("bulk_orders")
BULK_PRODUCTS = Document("bulk_products")
BULK_RUN = Document("bulk_run")
BULK_STATUS = Document("bulk_status")
ACCESS_SCOPES = Document("access_scopes")
CUSTOMER = Document("customer")
EMAIL_CONSENT = Document("email_consent")
SMS_CONSENT = Document("sms_consent")
DISCOUNT = Document("discount")
DISCOUNT_CREATE = Document("discount_create")
DISCOUNT_OF_CODE = Document("discount_of_code")
DISCOUNT_DELETE = Document("discount_delete")
CODES_ADD = Document("codes_add")
CODES_ADDED = Document("codes_added")
CODES_DELETE = Document("codes_delete")
