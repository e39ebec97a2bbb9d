"""Rows of people's credentials, and of the attempts that were made."""

from datetime import datetime
from hashlib import sha256
from ipaddress import IPv6Address, ip_address

from pynamodb.attributes import (
    JSONAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)

from storepost.platform.persistence.item import Item, Key, UtcDateTimeAttribute, VersionedItem
from storepost.values.scope import PersonScope

_SUBSCRIBER_BITS = 64


class AttemptsItem(VersionedItem, discriminator="attempts"):
    """When a subject made the attempts that a limit counts, in milliseconds, oldest first."""

    made = JSONAttribute()


class EmailedCodeItem(Item, discriminator="emailed_code"):
    """A code that was emailed, beside its purpose."""

    mac = UnicodeAttribute()
    tries = NumberAttribute(default=0)
    expires_at = UtcDateTimeAttribute()


class AuthenticatorItem(Item, discriminator="authenticator"):
    """The seed of a person's authenticator app, sealed under its own key."""

    seed = UnicodeAttribute()
    last_step = NumberAttribute()
    """The time step of the last code that was used: codes up to that step don't count."""


class BackupCodesItem(Item, discriminator="backup_codes"):
    """The backup codes that a person hasn't used yet."""

    macs = UnicodeSetAttribute(null=True)


class KnownSourceItem(Item, discriminator="known_source"):
    """A source address that a person signed in from, under its hash."""

    expires_at = UtcDateTimeAttribute()


class TrustedBrowserItem(Item, discriminator="trusted_browser"):
    """A browser that a person trusts, under the digest of its token."""

    expires_at = UtcDateTimeAttribute()
    epoch = NumberAttribute()


def address_attempts_key(limit: str, email: str) -> Key:
    """Returns the key of the attempts for an address, whether it has an account or not."""
    return (f"email#{email}", f"attempts#{limit}")


def person_attempts_key(limit: str, person: PersonScope) -> Key:
    """Returns the key of a person's attempts."""
    return (person.key, f"attempts#{limit}")


def source_attempts_key(limit: str, ip: str | None) -> Key:
    """Returns the key of a source address's attempts; the address is hashed.

    An IPv6 subscriber has at least a /64, so all of it counts as one.
    """
    return _hashed_attempts_key(limit, _source(ip))


def pair_attempts_key(limit: str, email: str, ip: str | None) -> Key:
    """Returns the key of the attempts for an address from one source, both hashed."""
    return _hashed_attempts_key(limit, email, _source(ip))


def place_attempts_key(limit: str, place: Key) -> Key:
    """Returns the key of the attempts from a place at which a person is known."""
    return _hashed_attempts_key(limit, *place)


def known_source_key(person: PersonScope, ip: str) -> Key:
    """Returns the key of a source that a person signed in from; its address is hashed."""
    hashed = sha256(f"{person.key}\x1f{_source(ip)}".encode()).hexdigest()
    return (person.key, f"known_source#{hashed}")


def authenticator_key(person: PersonScope) -> Key:
    """Returns the key of the seed of the person's app."""
    return (person.key, "authenticator")


def backup_codes_key(person: PersonScope) -> Key:
    """Returns the key of the person's backup codes."""
    return (person.key, "backup_codes")


def trusted_browser_key(person: PersonScope, digest: str) -> Key:
    """Returns the key of a browser that the person trusts; others' tokens aren't found by it."""
    return (person.key, f"trusted_browser#{digest}")


def trusted_browsers_of(person: PersonScope) -> list[TrustedBrowserItem]:
    """Returns all rows of the person's trusted browsers, including those that no longer count."""
    return list(TrustedBrowserItem.rows_in(person.key, "trusted_browser#"))


def in_milliseconds(moment: datetime) -> int:
    """Returns the moment as the rows of attempts store it."""
    return round(moment.timestamp() * 1000)


def _hashed_attempts_key(limit: str, *subject: str) -> Key:
    hashed = sha256("\x1f".join([limit, *subject]).encode()).hexdigest()
    return (f"token#limit#{hashed}", f"attempts#{limit}")


def _source(ip: str | None) -> str:
    try:
        address = ip_address(ip or "")
    except ValueError:
        return ip or "unknown"
    if isinstance(address, IPv6Address):
        host_bits = 128 - _SUBSCRIBER_BITS
        return str(IPv6Address(int(address) >> host_bits << host_bits))
    return str(address)
