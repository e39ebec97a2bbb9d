"""The subscribed topics, and the shape of each topic's bodies. `shopify.app.toml` has the same.

Shopify only signs a webhook's body: its topic, its shop and its time are in unsigned headers. So
the body must have the topic's shape, and a shop that it names must be the header's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from storepost.sync.records.reading import Body, NoRecord, id_of, moment_of, text_of

type _Read = Callable[[object], object]


@dataclass(frozen=True)
class BodyShape:
    """The fields of a topic's bodies, as Shopify documents them."""

    required: Mapping[str, _Read]
    """Fields, each with its reader, which returns None for an unreadable value."""
    shop: str | None = None
    """The field that names the shop, if any."""
    of: str | None = None
    """The Shopify type of the body; a body that states a type must state this one."""

    def check(self, body: Body) -> None:
        """Raises NoRecord where the body isn't one of the topic's."""
        for name, read in self.required.items():
            if read(body.get(name)) is None:
                raise NoRecord(f"no readable {name}")
        external_id = text_of(body.get("admin_graphql_api_id"))
        if self.of and external_id and not external_id.startswith(f"gid://shopify/{self.of}/"):
            raise NoRecord("a record of another type")

    def shop_of(self, body: Body) -> str | None:
        """Returns the shop that the body names, in lower case; None if the topic has none."""
        return str(body.get(self.shop)).lower() if self.shop else None


def _object_of(value: object) -> object:
    return value if isinstance(value, Mapping) else None


def _list_of(value: object) -> object:
    return value if isinstance(value, list) else None


def _record(of: str, **more: _Read) -> BodyShape:
    return BodyShape({"id": id_of, **more}, of=of)


_CUSTOMER = _record("Customer", updated_at=moment_of)
_ORDER = _record("Order", updated_at=moment_of, total_price_set=_object_of)
_PRODUCT = _record("Product", updated_at=moment_of)
_LOCALE = BodyShape({"locale": text_of})
_SHOP = BodyShape({"id": id_of, "myshopify_domain": text_of}, shop="myshopify_domain")
_PERSON = BodyShape({"shop_domain": text_of, "customer": _object_of}, shop="shop_domain")

SHAPES: Mapping[str, BodyShape] = {
    "customers/create": _CUSTOMER,
    "customers/update": _CUSTOMER,
    "customers/delete": _record("Customer"),
    "customers/merge": BodyShape(
        {
            "admin_graphql_api_customer_kept_id": id_of,
            "admin_graphql_api_customer_deleted_id": id_of,
        }
    ),
    "customers_email_marketing_consent/update": BodyShape(
        {"customer_id": id_of, "email_marketing_consent": _object_of}
    ),
    "customers_marketing_consent/update": _record("Customer", sms_marketing_consent=_object_of),
    "orders/create": _ORDER,
    "orders/updated": _ORDER,
    "orders/delete": _record("Order"),
    "products/create": _PRODUCT,
    "products/update": _PRODUCT,
    "products/delete": _record("Product"),
    "app/uninstalled": _SHOP,
    "app/scopes_update": BodyShape({"previous": _list_of, "current": _list_of}),
    "locales/create": _LOCALE,
    "locales/update": _LOCALE,
    "locales/destroy": _LOCALE,
    "shop/update": _SHOP,
    "customers/data_request": _PERSON,
    "customers/redact": _PERSON,
    "shop/redact": BodyShape({"shop_domain": text_of, "shop_id": id_of}, shop="shop_domain"),
}
"""The shape of bodies for each subscribed topic; `worker.py` has the functions."""
