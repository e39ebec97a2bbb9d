"""A signature, seal or key of one thing is valid for no other thing.

First the primitives, each purpose against each other one; then the interface: every credential that
a person can have, offered wherever one is accepted.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given, settings
from hypothesis import strategies as st

from storepost.accounts.identity.model import KeyScope
from storepost.accounts.identity.trusted_browsers import trust_browser
from storepost.platform.persistence import sealed_tokens
from storepost.platform.persistence.changes import Changes
from storepost.platform.persistence.idempotency import RecordItem
from storepost.platform.persistence.sealed_tokens import open_token, seal_token
from storepost.platform.persistence.sealing import (
    Purpose,
    code_mac,
    derived_key,
    domain_bytes,
    keyed_hash,
    seal,
    unseal,
)
from storepost.shopify.grants import find_grant
from storepost.stores.stores.signing_secrets import new_secret
from storepost.values.scope import WorkspaceScope
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    account,
    challenged,
    code_in,
    fragment_in,
    try_second_step,
    try_sign_in,
    with_backup_codes,
    with_email_codes,
)
from tests.harness.accounts import person_of
from tests.harness.world import CANARY, Answer, Someone, World
from tests.shopify.shops import OTHER, SHOP, Shopify

SECRET, CONTEXT = b"secret", "a|b"


class TestPurposes:
    """Everything that is sealed, tagged or derived, as each other thing."""

    def test_sealed_text_opens_only_for_its_purpose_and_context(self, world: World) -> None:
        for one in Purpose:
            sealed = seal(SECRET, one, CONTEXT)
            assert unseal(sealed, one, CONTEXT) == SECRET
            for other in set(Purpose) - {one}:
                with pytest.raises(InvalidTag):
                    unseal(sealed, other, CONTEXT)
            with pytest.raises(InvalidTag):
                unseal(sealed, one, "a|c")

    def test_token_opens_only_for_its_purpose(self, world: World) -> None:
        workspace = WorkspaceScope(uuid4())
        for one in Purpose:
            token = seal_token(SECRET, workspace, one)
            assert [other for other in Purpose if open_token(token, other)] == [one]

    def test_macs_keys_and_hashes_are_all_different(self, world: World) -> None:
        """All of them are derived from one key in KMS."""
        made = [
            *(code_mac("1", purpose, CONTEXT) for purpose in Purpose),
            *(keyed_hash("1", purpose, CONTEXT) for purpose in Purpose),
            *(derived_key(purpose, 1).hex() for purpose in Purpose),
            *(code_mac(purpose, purpose, "1") for purpose in Purpose),
            *(keyed_hash(purpose, purpose, "1") for purpose in Purpose),
        ]
        starts = {each[:64] for each in made}
        assert len(starts) == len(made) == 5 * len(Purpose)

    def test_sealed_text_is_not_a_token(self, world: World) -> None:
        for one in Purpose:
            sealed = seal(SECRET, one, CONTEXT)
            for text in (sealed, *sealed.split("."), sealed_tokens._text(sealed.encode())):
                assert [p for p in Purpose if open_token(text, p)] == []

    @settings(max_examples=200)
    @given(st.lists(st.text(max_size=4), min_size=1, max_size=4), st.lists(st.text(max_size=4)))
    def test_domain_bytes_are_unambiguous(self, one: list[str], other: list[str]) -> None:
        """Different lists never give equal bytes, wherever one part ends and the next begins."""
        if other:
            assert (domain_bytes(*one) == domain_bytes(*other)) is (one == other)


PASSWORD_CHOICE = "a quite new password"


def _invitation(owner: Someone) -> str:
    body = {"email": f"invited.{CANARY}@example.com", "role": "member"}
    answer = owner.call("POST", "/invitations", body)
    assert answer.status == 201, answer.body
    return str(answer.json["id"])


def _unsubscribe_token(owner: Someone) -> str:
    person = {"email": f"reader.{CANARY}@example.com"}
    profile = owner.call("POST", "/profiles", person).json["id"]
    answer = owner.call("POST", f"/profiles/{profile}/unsubscribe-links", {})
    return str(answer.json["url"]).rpartition("/")[2]


def _registration(world: World) -> tuple[str, str]:
    email = f"new.{CANARY}@example.com"
    body = {"name": "New", "email": email, "password": PASSWORD}
    answer = world.call("POST", "/auth/sign-up", json_body=body)
    return str(answer.json["registration"]), code_in(world.emails()[-1])


def _reset(world: World, owner: Someone) -> str:
    body = {"email": owner.email}
    assert world.call("POST", "/auth/password/forgot", json_body=body).status == 202
    return fragment_in(world.emails()[-1], "password-reset")


def _trusted_browser(person: Someone) -> str:
    changes = Changes()
    token = trust_browser(changes, person_of(person))
    changes.commit()
    return token


def test_credential_is_accepted_only_for_its_own_use(world: World, shopify: Shopify) -> None:
    """Each kind of credential is offered wherever another kind is accepted."""
    owner = account(world)
    workspace = world.workspace(owner)
    with_email_codes(owner)
    shopify.connect(owner, workspace, OTHER)
    grant = find_grant(OTHER)
    assert grant is not None
    registration, code = _registration(world)
    stranger = world.person()
    world.workspace(stranger)
    link = shopify.link(stranger, SHOP)
    install = shopify.begin(owner, SHOP)
    approved = shopify.approved(install)
    credentials = {
        "session": owner.token,
        "api key": world.api_key(workspace, KeyScope.WRITE, owner),
        "trusted browser": _trusted_browser(owner),
        "challenge": challenged(world, owner),
        "registration": registration,
        "invitation": _invitation(owner),
        "unsubscribe token": _unsubscribe_token(owner),
        "connect link": link,
        "install state": approved["state"],
        "install code": approved["code"],
        "callback's signature": approved["hmac"],
        "write-back secret": new_secret(),
        "shop's access token": grant.access_token(),
        "shop's refresh token": grant.refresh_token(),
        "sealed access token": grant.sealed_access_token,
        "code": code,
        "backup code": with_backup_codes(owner)[0],
        "person": str(owner.id),
        "workspace": str(workspace.id),
        "reset": _reset(world, owner),
    }
    sources = (f"198.51.{a}.{b}" for a in range(100, 200) for b in range(250))

    def call(method: str, path: str, **more: Any) -> Answer:
        return world.call(method, path, source_ip=next(sources), **more)

    uses: dict[str, Callable[[str], bool]] = {
        "session": lambda it: call("GET", "/sessions", token=it).status == 200,
        "api key": lambda it: call("GET", "/stores", token=it).status == 200,
        "trusted browser": lambda it: (
            try_sign_in(world, owner.email, source_ip=next(sources), trustedBrowser=it).json[
                "status"
            ]
            == "signed_in"
        ),
        "challenge": lambda it: (
            call("POST", "/auth/two-factor/send-code", json_body={"challenge": it}).status == 204
        ),
        "invitation": lambda it: (
            call("GET", f"/invitations/{quote(it, safe='')}/preview").status == 200
        ),
        "unsubscribe token": lambda it: (
            call("GET", f"/unsubscribe/{quote(it, safe='')}").status == 200
        ),
        "connect link": lambda it: (
            call("GET", f"/connect-links/{quote(it, safe='')}/preview").status == 200
        ),
        "install state": lambda it: (
            shopify.callback(shopify.forged({**approved, "state": it})).status == 302
        ),
        "registration": lambda it: (
            call("POST", "/auth/verify-email", json_body={"registration": it, "code": code}).status
            == 200
        ),
        # Last, as it ends every session.
        "reset": lambda it: (
            call(
                "POST", "/auth/password/reset", json_body={"token": it, "password": PASSWORD_CHOICE}
            ).status
            == 204
        ),
    }
    for place, counts in uses.items():
        others = [kind for kind in credentials if kind != place and counts(credentials[kind])]
        assert others == (["session"] if place == "api key" else []), place
        assert counts(credentials[place]), place


def test_swapped_stored_responses_are_not_replayed(world: World) -> None:
    """The stored answers of two requests of one caller, both with secrets, are swapped."""
    owner = world.person()
    world.workspace(owner)
    body = {"name": "Key", "scope": "read"}
    for key in ("one", "other"):
        assert owner.call("POST", "/api-keys", body, key=key).status == 201
    one, other = (row for row in RecordItem.scan() if row.answer)
    one.answer, other.answer = other.answer, one.answer
    one.save()
    other.save()
    for key in ("one", "other"):
        answer = owner.call("POST", "/api-keys", body, key=key)
        assert answer.problem() == (409, "idempotency_secret_sealed")


class TestCodes:
    """Codes of six digits: each is valid only where it was requested."""

    def test_code_is_valid_only_where_it_was_requested(self, world: World) -> None:
        owner = account(world)
        registration, signing_up = _registration(world)
        body = {"email": f"moved.{CANARY}@example.com", "password": PASSWORD}
        assert owner.call("POST", "/me/email", body).status == 202
        new_address = code_in(world.emails()[-1])
        assert owner.call("POST", "/me/two-factor/email").status == 204
        turning_on = code_in(world.emails()[-1])
        other = account(world)
        with_email_codes(other)
        challenge = challenged(world, other)
        sent = {"challenge": challenge}
        assert world.call("POST", "/auth/two-factor/send-code", json_body=sent).status == 204
        second_step = code_in(world.emails()[-1])
        backup = with_backup_codes(owner)[0]

        def confirms(path: str) -> Callable[[str], Answer]:
            return lambda code: owner.call("POST", path, {"code": code})

        uses: dict[str, Callable[[str], Answer]] = {
            signing_up: lambda code: world.call(
                "POST", "/auth/verify-email", json_body={"registration": registration, "code": code}
            ),
            new_address: confirms("/me/email/confirm"),
            turning_on: confirms("/me/two-factor/email/confirm"),
            second_step: lambda code: try_second_step(world, challenge, "email", code),
        }
        for own, use in uses.items():
            for code in {*uses, backup} - {own}:
                assert use(code).problem() == (422, "code_invalid")
            assert use(own).status in {200, 204}
