"""One message of each kind, as a caller would make it."""

from datetime import UTC, datetime, timedelta, timezone

from storepost.accounts.emails.messages import (
    AddressChanged,
    AddressKnown,
    AddressTaken,
    ApiKeyRotated,
    DataRequested,
    Invitation,
    KeyChangedPeople,
    KeyLabel,
    MemberRemovedKeys,
    Message,
    NewAddressCode,
    OptIn,
    PasswordChanged,
    PasswordReset,
    SignInCode,
    StoreMoved,
    TwoFactorEmailCode,
    TwoFactorLimit,
    VerifyAddress,
    WebhookEndpointDisabled,
    WebhookEndpointFailing,
    WriteBacksFailing,
    mask_address,
)
from storepost.values.languages import Language

# 09:05 five hours behind UTC: what people read must be 14:05 UTC.
WHEN = datetime(2026, 11, 28, 9, 5, 59, tzinfo=timezone(timedelta(hours=-5)))
OVERLAP_ENDS_AT = datetime(2026, 12, 1, 0, 0, tzinfo=UTC)
INVITATION_LINK = "https://app.example.com/invitations/2f1c9c0e-7f55-4c8e-9a53-6a2e2f0f2b61"
VERIFY_LINK = "https://app.example.com/verify-email?registration=0b6f6f0f&from=email"
SIGN_IN_LINK = "http://127.0.0.1:3000/v1/pages/password-reset"
RESET_LINK = "https://app.example.com/reset-password#token=Zk3x9VQpY2l0bG9uZ3Rva2Vu"
OPT_IN_LINK = "https://api.example.com/v1/opt-in/AQf2xk3VQpY2l0bG9uZ3Rva2Vu"

EXAMPLES: tuple[Message, ...] = (
    Invitation("Nordlicht & Söhne", "Jane Müller", "admin", INVITATION_LINK, WHEN),
    VerifyAddress("Jane Müller", "049302", VERIFY_LINK),
    AddressKnown("Jane Müller", SIGN_IN_LINK),
    SignInCode("Jane Müller", "049302"),
    TwoFactorEmailCode("Jane Müller", "049302"),
    PasswordReset("Jane Müller", RESET_LINK),
    PasswordChanged("Jane Müller", WHEN),
    NewAddressCode("Jane Müller", "049302"),
    AddressChanged("Jane Müller", mask_address("jane.mueller@example.com"), WHEN),
    AddressTaken("Jane Müller"),
    TwoFactorLimit("Jane Müller", WHEN, "2001:db8:85a3::8a2e:370:7334"),
    ApiKeyRotated(
        "Nordlicht & Söhne",
        "Warehouse sync",
        "stp_Ab12Cd34",
        "Sam O'Hara",
        WHEN,
        OVERLAP_ENDS_AT,
    ),
    MemberRemovedKeys(
        "Nordlicht & Söhne",
        "Sam O'Hara",
        (KeyLabel("Warehouse sync", "stp_Ab12Cd34"), KeyLabel("Exports <v2>", "stp_Zz98Yx76")),
    ),
    KeyChangedPeople(
        "Nordlicht & Söhne",
        "Warehouse <sync>",
        "stp_Ab12Cd34",
        "invited",
        "sam.ohara@example.com",
        "admin",
        WHEN,
    ),
    StoreMoved("Nordlicht & Söhne", "Birch & Loom", "birch-loom.myshopify.com", WHEN),
    DataRequested(
        "Nordlicht & Söhne",
        "Birch & Loom",
        "706405506930370084",
        "0192f0c4-5d7e-7c3a-9a51-2f6b8f0e4d10",
        WHEN,
    ),
    WriteBacksFailing("Nordlicht & Söhne", "Birch & Loom", WHEN),
    OptIn("Nordlicht & Söhne", Language.ENGLISH, OPT_IN_LINK),
    WebhookEndpointFailing("Nordlicht & Söhne", "hooks.birch-loom.example", WHEN, WHEN),
    WebhookEndpointDisabled("Nordlicht & Söhne", "hooks.birch-loom.example", "failing", WHEN),
)
