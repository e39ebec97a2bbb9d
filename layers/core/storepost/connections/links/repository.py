"""Rows of connect links, found by their ids alone."""

from datetime import timedelta
from uuid import UUID

from pynamodb.attributes import JSONAttribute, UnicodeAttribute

from storepost.connections.links.model import ConnectLink
from storepost.connections.links.problems import LinkUsed
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.item import Identifier, Item, Key, UtcDateTimeAttribute, find
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
    details = ShopDetails(
        name=item.name,
        currency=item.currency,
        contact_email=item.contact_email,
        storefront_url=item.storefront_url,
        locales=tuple(StoreLocale(*row) for row in item.locales),
    )
    return ConnectLink(
        id=item.id,
        shop=item.shop,
        details=details,
        scopes=tuple(item.scopes),
        ends_at=item.ends_at,
        used_at=item.used_at,
    )


def add_link(changes: Changes, link: ConnectLink) -> None:
    """Adds a new link."""
    details = link.details
    changes.create(
        ConnectLinkItem(
            *link_key(link.id),
            id=link.id,
            shop=link.shop,
            name=details.name,
            currency=details.currency,
            contact_email=details.contact_email,
            storefront_url=details.storefront_url,
            locales=[
                [row.locale, row.label, row.is_primary, row.country, row.currency, row.url]
                for row in details.locales
            ],
            scopes=list(link.scopes),
            ends_at=link.ends_at,
            expiration=link.ends_at + STORED_FOR,
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
