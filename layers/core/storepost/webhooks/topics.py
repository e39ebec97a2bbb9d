"""What is listened to. `shopify.app.toml` has Shopify send just these."""

from collections.abc import Callable

from storepost.stores.model import Store
from storepost.webhooks import people, privacy, selling, shop, stocking
from storepost.webhooks.messages import Webhook

OF_A_STORE: dict[str, Callable[[Store, Webhook], None]] = {
    "customers/create": people.customer_changed,
    "customers/update": people.customer_changed,
    "customers/delete": people.customer_deleted,
    "customers/merge": people.customers_merged,
    "customers_email_marketing_consent/update": people.email_consent_changed,
    "customers_marketing_consent/update": people.sms_consent_changed,
    "orders/create": selling.order_changed,
    "orders/updated": selling.order_changed,
    "orders/delete": selling.order_deleted,
    "products/create": stocking.product_changed,
    "products/update": stocking.product_changed,
    "products/delete": stocking.product_deleted,
    "app/uninstalled": shop.app_removed,
    "app/scopes_update": shop.scopes_changed,
    "locales/create": shop.details_changed,
    "locales/update": shop.details_changed,
    "locales/destroy": shop.details_changed,
    "shop/update": shop.details_changed,
}
"""By topic: who does what of it, for the store that the shop is connected as."""

OF_THE_LAW: dict[str, Callable[[Webhook, privacy.Remaining], None]] = {
    "customers/data_request": privacy.data_requested,
    "customers/redact": privacy.customer_redacted,
    "shop/redact": privacy.shop_redacted,
}
"""What is done whether or not the shop is still connected."""

TOPICS = frozenset({*OF_A_STORE, *OF_THE_LAW})
