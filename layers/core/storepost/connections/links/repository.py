"""Rows of connect links, found by their ids alone."""

from dataclasses import astuple
from datetime import timedelta
from uuid import UUID

from pynamodb.attributes import JSONAttribute, UnicodeAttribute

from storepost.connections.links.model import ConnectLink
from storepost.connections.links.problems import LinkUsed
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute, find
from storepost.platform.persistence.mapping import as_row, as_value, attributes_of
from storepost.platform.persistence.records import Records
from storepost.shopify.details import ShopDetails
from storepost.stores.stores.model import StoreLocale
from storepost.values import clock
from storepost.values.ids import short

STORED_FOR = timedelta(days=30)
"""How long an ended link is reported as ended, before its id is unknown."""


class ConnectLinkItem(Item, discriminator="connect_link"):
    """A link, with the shop's details."""

    id = Identifier()
    shop = UnicodeAttribute()
    name = UnicodeAttribute()
    currency = UnicodeAttribute()
    contact_email = UnicodeAttribute(null=True)
    storefront_url = UnicodeAttribute(null=True)
    locales = Records(
        "locale", "label", "is_primary", "country", "currency", "url", named_by=["locale"]
    )
    scopes = JSONAttribute()
    ends_at = UtcDateTimeAttribute()
    used_at = UtcDateTimeAttribute(null=True)


def link_key(link_id: UUID) -> Key:
    """Returns the key of a link."""
    return (f"link#{short(link_id)}", "link")


def find_link(link_id: UUID) -> ConnectLink | None:
    """Returns the link, even a used or ended one, or None."""
    item = find(ConnectLinkItem, link_key(link_id))
    if item is None:
        return None
    locales = tuple(StoreLocale(*row) for row in item.locales)
    details = as_value(ShopDetails, item, locales=locales)
    return as_value(ConnectLink, item, details=details, scopes=tuple(item.scopes))


def add_link(changes: Changes, link: ConnectLink) -> None:
    """Adds a new link."""
    details = link.details
    of_shop = attributes_of(
        ConnectLinkItem, details, locales=[list(astuple(row)) for row in details.locales]
    )
    changes.create(
        as_row(
            ConnectLinkItem,
            link_key(link.id),
            link,
            scopes=list(link.scopes),
            expiration=link.ends_at + STORED_FOR,
            **of_shop,
        )
    )


def use_link(changes: Changes, link: ConnectLink) -> None:
    """Marks the link as used; the commit raises LinkUsed if another writer was faster."""
    changes.update(
        ConnectLinkItem(*link_key(link.id)),
        [ConnectLinkItem.used_at.set(clock.now())],
        ConnectLinkItem.used_at.does_not_exist(),
        LinkUsed(),
    )
