"""Verification of write-backs: the headers and bodies that pass, and those that don't."""

import hashlib
import hmac
from base64 import b64decode, b64encode

import pytest
from storepost_client import WebhookVerificationError, verify_webhook

# The example of the Standard Webhooks libraries' own tests.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
NOW = 1614265330
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(NOW),
    "webhook-signature": SIGNATURE,
}


def signed(body: bytes) -> dict[str, str]:
    """Headers with the signature of a body."""
    key = b64decode(SECRET.removeprefix("whsec_"))
    text = f"{HEADERS['webhook-id']}.{NOW}.".encode() + body
    made = b64encode(hmac.digest(key, text, hashlib.sha256)).decode()
    return {**HEADERS, "webhook-signature": f"v1,{made}"}


def test_what_is_signed_passes() -> None:
    assert verify_webhook(SECRET, HEADERS, BODY, now=NOW) == {"test": 2432232314}


def test_header_names_may_be_in_any_case() -> None:
    upper = {name.title(): value for name, value in HEADERS.items()}
    assert verify_webhook(SECRET, upper, BODY, now=NOW)


@pytest.mark.parametrize("others", ["v1,b3RoZXI= {}", "{} v1,b3RoZXI=", "v2,x {}", "é {}"])
def test_one_signature_of_several_is_enough(others: str) -> None:
    headers = {**HEADERS, "webhook-signature": others.format(SIGNATURE)}
    assert verify_webhook(SECRET, headers, BODY, now=NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "msg_other"},
        {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "-1"},
        {"webhook-timestamp": "²"},
        {"webhook-timestamp": "1" * 400},
        {"webhook-timestamp": "1" * 5_000},
        {"webhook-signature": "v1,b3RoZXI="},
        {"webhook-signature": "v1,"},
        {"webhook-signature": SIGNATURE.removeprefix("v1,")},
        {"webhook-signature": SIGNATURE.replace("v1", "v1a")},
        {"webhook-signature": "é"},
        {"webhook-id": ""},
        {"webhook-timestamp": ""},
        {"webhook-signature": ""},
    ],
)
def test_a_changed_header_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, {**HEADERS, **change}, BODY, now=NOW)


@pytest.mark.parametrize("missing", HEADERS)
def test_a_missing_header_is_refused(missing: str) -> None:
    headers = {name: value for name, value in HEADERS.items() if name != missing}
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, headers, BODY, now=NOW)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(SECRET, HEADERS, BODY + b" ", now=NOW)


def test_another_secret_is_refused() -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook("whsec_b3RoZXI=", HEADERS, BODY, now=NOW)


@pytest.mark.parametrize(("by", "passes"), [(-301, False), (-300, True), (300, True), (301, False)])
def test_what_is_old_is_refused(by: int, passes: bool) -> None:
    if passes:
        verify_webhook(SECRET, HEADERS, BODY, now=NOW + by)
        return
    with pytest.raises(WebhookVerificationError, match="too long ago"):
        verify_webhook(SECRET, HEADERS, BODY, now=NOW + by)


@pytest.mark.parametrize("body", [b"[]", b"1", b"null", b"", b"{", b"\xff"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(WebhookVerificationError, match="no JSON object"):
        verify_webhook(SECRET, signed(body), body, now=NOW)


@pytest.mark.parametrize("secret", ["whsec_***", "whsec_", ""])
def test_a_secret_that_is_none_is_the_callers_error(secret: str) -> None:
    """Of an empty one, such as a setting that is missing, anybody could make the signature."""
    with pytest.raises(ValueError, match="whsec_"):
        verify_webhook(secret, HEADERS, BODY, now=NOW)
