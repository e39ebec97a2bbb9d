import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime, timedelta, timezone

import pytest

from storepost.accounts.emails.messages import (
    MESSAGES,
    ApiKeyRotated,
    Invitation,
    KeyLabel,
    MemberRemovedKeys,
    Message,
    PasswordChanged,
    PasswordReset,
    SignInCode,
    mask_address,
    to_params,
)
from tests.accounts.emails.examples import EXAMPLES

NAMES = {
    "invitation",
    "verify_address",
    "address_known",
    "sign_in_code",
    "two_factor_email_code",
    "password_reset",
    "password_changed",
    "new_address_code",
    "address_changed",
    "address_taken",
    "two_factor_limit",
    "api_key_rotated",
    "member_removed_keys",
    "key_changed_people",
    "store_moved",
    "data_requested",
    "write_backs_failing",
    "opt_in",
    "webhook_endpoint_failing",
    "webhook_endpoint_disabled",
}


class TestMessages:
    def test_every_email_has_a_message(self) -> None:
        assert set(MESSAGES) == NAMES
        assert {name: cls.template for name, cls in MESSAGES.items()} == {n: n for n in NAMES}

    def test_every_message_has_an_example(self) -> None:
        assert [type(example) for example in EXAMPLES] == list(MESSAGES.values())

    def test_message_is_immutable(self) -> None:
        message = SignInCode("Jane", "049302")
        with pytest.raises(FrozenInstanceError):
            message.name = "Eve"  # type: ignore[misc]

    def test_repr_hides_links_and_codes(self) -> None:
        reset = PasswordReset("Jane", "https://app.example.com/reset#token=abc")
        assert repr(reset) == "PasswordReset(name='Jane')"
        assert repr(SignInCode("Jane", "049302")) == "SignInCode(name='Jane')"

    def test_import_loads_no_heavy_dependency(self) -> None:
        loaded = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys, storepost.accounts.emails.messages; print(*sorted(sys.modules))",
            ],
            env={"PYTHONPATH": "layers/core"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert "storepost.accounts.emails.messages" in loaded
        assert not {"jinja2", "markupsafe", "mrml", "pydantic", "boto3"} & set(loaded)


class TestToParams:
    @pytest.mark.parametrize("message", EXAMPLES, ids=lambda message: message.template)
    def test_params_round_trip_through_json(self, message: Message) -> None:
        params = to_params(message)
        assert set(params) == {part.name for part in fields(message)}
        assert json.loads(json.dumps(params)) == params

    def test_times_are_utc_with_milliseconds(self) -> None:
        new_york = timezone(timedelta(hours=-5))
        at = datetime(2026, 11, 28, 9, 5, 0, 123456, tzinfo=new_york)
        assert to_params(PasswordChanged("Jane", at)) == {
            "name": "Jane",
            "when": "2026-11-28T14:05:00.123+00:00",
        }

    def test_time_without_offset_is_refused(self) -> None:
        unknown = datetime(2026, 11, 28, 14, 5)  # noqa: DTZ001
        with pytest.raises(ValueError, match="offset"):
            to_params(PasswordChanged("Jane", unknown))

    def test_keys_are_a_list_of_objects(self) -> None:
        message = MemberRemovedKeys("Nordlicht", "Sam", (KeyLabel("Sync", "stp_Ab12Cd34"),))
        assert to_params(message) == {
            "workspace": "Nordlicht",
            "member": "Sam",
            "keys": [{"name": "Sync", "prefix": "stp_Ab12Cd34"}],
        }

    def test_no_overlap_is_null(self) -> None:
        at = datetime(2026, 11, 28, 14, 5, tzinfo=UTC)
        message = ApiKeyRotated("Nordlicht", "Sync", "stp_Ab12Cd34", "Sam", at, None)
        assert to_params(message)["overlap_ends_at"] is None

    def test_complete_invitation(self) -> None:
        at = datetime(2026, 11, 28, 14, 5, tzinfo=UTC)
        message = Invitation("Nordlicht", "Jane", "member", "https://app.example.com/i/1", at)
        assert to_params(message) == {
            "workspace": "Nordlicht",
            "invited_by": "Jane",
            "role": "member",
            "link": "https://app.example.com/i/1",
            "expires_at": "2026-11-28T14:05:00.000+00:00",
        }


class TestMaskAddress:
    @pytest.mark.parametrize(
        ("address", "masked"),
        [
            ("jane@example.com", "j***@example.com"),
            ("jo@example.com", "j***@example.com"),
            (" jane@example.com ", "j***@example.com"),
            ("j@example.com", "***@example.com"),
            ('"a@b"@example.com', '"***@example.com'),
            ("ödön@example.com", "ö***@example.com"),
        ],
    )
    def test_hides_all_but_the_first_character(self, address: str, masked: str) -> None:
        assert mask_address(address) == masked

    @pytest.mark.parametrize("address", ["", "jane", "@example.com", "jane@", "@"])
    def test_malformed_address_is_refused(self, address: str) -> None:
        with pytest.raises(ValueError, match="not an email address"):
            mask_address(address)
