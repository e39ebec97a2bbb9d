"""The emails that Storepost itself sends to people, and what each of them says.

A message is created by its cause (docs/interface.md, sections 1, 3 and 4), passes through the
outbox and its queue as ``template`` and ``to_params(message)``, and becomes an email in the worker
that sends it. API handlers import this module, so it imports the standard library and plain values
alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import ClassVar, Literal, NewType, get_args

from storepost.values.languages import Language

type Role = Literal["owner", "admin", "member"]
type KeyAct = Literal["invited", "role_changed", "removed"]
"""What an API key did to people."""
type EndpointEnd = Literal["failing", "gone"]
"""Why Storepost disabled a webhook endpoint."""
# An absolute http or https address, which a button opens.
type Link = str
# Six digits, valid for 10 minutes (docs/interface.md, section 3, "Emailed codes").
type Code = str
# What `mask_address` returns. A type of its own, so that no address is sent unmasked.
MaskedAddress = NewType("MaskedAddress", str)

type Params = dict[str, str | list[dict[str, str]] | None]


@dataclass(frozen=True, slots=True)
class KeyLabel:
    """An API key as people know it: its name and the visible beginning of its secret."""

    name: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Invitation:
    """Sent to the invited address, when it is created and resent; `link` works to `expires_at`."""

    template: ClassVar[str] = "invitation"
    workspace: str
    invited_by: str
    role: Role
    link: Link = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class VerifyAddress:
    """Sent to the address of a new registration; `link` is the page on which to type the code."""

    template: ClassVar[str] = "verify_address"
    name: str
    code: Code = field(repr=False)
    link: Link = field(repr=False)


@dataclass(frozen=True, slots=True)
class AddressKnown:
    """Sent to the owner of an account whose address somebody signed up with.

    `name` is the account's, never the one typed at that sign-up: a stranger chose that. `link` is a
    page to sign in or to ask for a new password.
    """

    template: ClassVar[str] = "address_known"
    name: str
    link: Link = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignInCode:
    """Sent for the second step of a sign-in, after the right password."""

    template: ClassVar[str] = "sign_in_code"
    name: str
    code: Code = field(repr=False)


@dataclass(frozen=True, slots=True)
class TwoFactorEmailCode:
    """Sent when two-factor by email is turned on: the code proves that emails arrive."""

    template: ClassVar[str] = "two_factor_email_code"
    name: str
    code: Code = field(repr=False)


@dataclass(frozen=True, slots=True)
class PasswordReset:
    """Sent with a link to choose a new password: it works for 30 minutes, once."""

    template: ClassVar[str] = "password_reset"
    name: str
    link: Link = field(repr=False)


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """Sent after a password was changed or reset."""

    template: ClassVar[str] = "password_changed"
    name: str
    when: datetime


@dataclass(frozen=True, slots=True)
class NewAddressCode:
    """Sent to the new address that a person asked for, before it replaces the old one."""

    template: ClassVar[str] = "new_address_code"
    name: str
    code: Code = field(repr=False)


@dataclass(frozen=True, slots=True)
class AddressChanged:
    """Sent to the old address, once the new one is in force."""

    template: ClassVar[str] = "address_changed"
    name: str
    new_address: MaskedAddress
    when: datetime


@dataclass(frozen=True, slots=True)
class AddressTaken:
    """Sent to the owner of an account whose address another account asked to change to."""

    template: ClassVar[str] = "address_taken"
    name: str


@dataclass(frozen=True, slots=True)
class TwoFactorLimit:
    """Sent after 10 wrong second factors in an hour. `ip` is the address of the tenth."""

    template: ClassVar[str] = "two_factor_limit"
    name: str
    when: datetime
    ip: str


@dataclass(frozen=True, slots=True)
class ApiKeyRotated:
    """Sent to the workspace's owner and to the key's maker.

    `prefix` is the new secret's. `rotated_by` is the person's name, or the key's if the key rotated
    itself. `overlap_ends_at` is when the old secret ends, None if it ended at once.
    """

    template: ClassVar[str] = "api_key_rotated"
    workspace: str
    key_name: str
    prefix: str
    rotated_by: str
    when: datetime
    overlap_ends_at: datetime | None


@dataclass(frozen=True, slots=True)
class MemberRemovedKeys:
    """Sent to the owner: the active keys that a removed member made. Keys outlive a membership."""

    template: ClassVar[str] = "member_removed_keys"
    workspace: str
    member: str
    keys: tuple[KeyLabel, ...]


@dataclass(frozen=True, slots=True)
class KeyChangedPeople:
    """Sent to the owner at once: an API key invited an admin, changed a role, or removed a member.

    `person` is the invited address, or the member's name; `role` is the new one, None if there is
    none any more.
    """

    template: ClassVar[str] = "key_changed_people"
    workspace: str
    key_name: str
    prefix: str
    act: KeyAct
    person: str
    role: Role | None
    when: datetime


@dataclass(frozen=True, slots=True)
class StoreMoved:
    """Sent to the owner of a store's former workspace, once another workspace has the store.

    It doesn't say which one: the owner may not belong to it.
    """

    template: ClassVar[str] = "store_moved"
    workspace: str
    store: str
    shop: str
    when: datetime


@dataclass(frozen=True, slots=True)
class DataRequested:
    """Sent to a workspace's owner: a shop's customer asked the shop for all that is stored of them.

    `customer` is the shop's own id of the person, `profile` the id of the profile here: the email
    names nobody.
    """

    template: ClassVar[str] = "data_requested"
    workspace: str
    store: str
    customer: str
    profile: str
    when: datetime


@dataclass(frozen=True, slots=True)
class WriteBacksFailing:
    """Sent to a workspace's owner: a store hasn't accepted changes of consent since `since`."""

    template: ClassVar[str] = "write_backs_failing"
    workspace: str
    store: str
    since: datetime


@dataclass(frozen=True, slots=True)
class OptIn:
    """Sent to a shopper for a workspace: asks whether the address is to get marketing emails.

    It is in the shopper's language and names nobody but the workspace. `link` is the page that
    asks; it works for 7 days.
    """

    template: ClassVar[str] = "opt_in"
    workspace: str
    language: Language
    link: Link = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookEndpointFailing:
    """Sent to a workspace's owner: a webhook endpoint accepted nothing for a day.

    `host` is the endpoint's address without its path, which may hold a secret. It is disabled at
    `disabled_at`, unless it accepts something before.
    """

    template: ClassVar[str] = "webhook_endpoint_failing"
    workspace: str
    host: str
    since: datetime
    disabled_at: datetime


@dataclass(frozen=True, slots=True)
class WebhookEndpointDisabled:
    """Sent to a workspace's owner: Storepost disabled a webhook endpoint."""

    template: ClassVar[str] = "webhook_endpoint_disabled"
    workspace: str
    host: str
    why: EndpointEnd
    when: datetime


type Message = (
    Invitation
    | VerifyAddress
    | AddressKnown
    | SignInCode
    | TwoFactorEmailCode
    | PasswordReset
    | PasswordChanged
    | NewAddressCode
    | AddressChanged
    | AddressTaken
    | TwoFactorLimit
    | ApiKeyRotated
    | MemberRemovedKeys
    | KeyChangedPeople
    | StoreMoved
    | DataRequested
    | WriteBacksFailing
    | OptIn
    | WebhookEndpointFailing
    | WebhookEndpointDisabled
)

MESSAGES: Mapping[str, type[Message]] = {
    message.template: message for message in get_args(Message.__value__)
}


def to_params(message: Message) -> Params:
    """Returns the message's values for JSON: times as ISO 8601 in UTC, keys as ``{name, prefix}``.

    Raises ValueError for a time without an offset.
    """
    return {part.name: _plain(getattr(message, part.name)) for part in fields(message)}


def _plain(
    value: str | datetime | tuple[KeyLabel, ...] | None,
) -> str | list[dict[str, str]] | None:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a message's time needs an offset")
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    if isinstance(value, tuple):
        return [{"name": key.name, "prefix": key.prefix} for key in value]
    return value


def mask_address(address: str) -> MaskedAddress:
    """Returns ``j***@example.com`` for ``jane@example.com``, which its owner alone recognises.

    There are always three stars, which hides the length too; a local part of one character is
    hidden whole. Raises ValueError for what is no address.
    """
    local, at, domain = address.strip().rpartition("@")
    if not (local and at and domain):
        raise ValueError("not an email address")
    return MaskedAddress(f"{local[0] if len(local) > 1 else ''}***@{domain}")
