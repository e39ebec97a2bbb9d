"""What is listened to. `shopify.app.toml` has Shopify send just these."""

TOPICS = frozenset(
    {
        "customers/create",
        "customers/update",
        "customers/delete",
        "customers/merge",
        "customers_email_marketing_consent/update",
        "customers_marketing_consent/update",
        "orders/create",
        "orders/updated",
        "orders/delete",
        "app/uninstalled",
        "app/scopes_update",
        "locales/create",
        "locales/update",
        "locales/destroy",
        "shop/update",
        "customers/data_request",
        "customers/redact",
        "shop/redact",
    }
)
"""`working` says who does what of each; whoever takes them needs none of that."""
