"""What a change of the account does to the next sign-in."""

import re

from storepost.accounts.workspaces.model import Role
from tests.accounts.me.accounts import (
    NEW_PASSWORD,
    PASSWORD,
    Json,
    account,
    app_on,
    code_in,
    email_on,
    start_app,
    totp,
)
from tests.harness.world import Answer, Someone, World


def sign_in(
    world: World, someone: Someone, password: str = PASSWORD, browser: str | None = None
) -> Answer:
    """The answer to address and password."""
    body = {"email": someone.email, "password": password, "trustedBrowser": browser}
    if browser is None:
        del body["trustedBrowser"]
    return world.call("POST", "/auth/sign-in", json_body=body)


def second_step(world: World, someone: Someone, method: str, code: str, **more: object) -> Answer:
    """The answer to the second step of a sign-in with the right password."""
    begun_sign_in = sign_in(world, someone)
    assert begun_sign_in.json["status"] == "two_factor_required"
    body = {"challenge": begun_sign_in.json["challenge"], "method": method, "code": code, **more}
    return world.call("POST", "/auth/two-factor/verify", json_body=body)


def post(someone: Someone, path: str, **body: str) -> Json:
    """What an operation that succeeds answers."""
    answer = someone.call("POST", path, body or None)
    assert answer.status < 300, answer.body
    found: Json = answer.json if answer.body else {}
    return found


def test_only_the_new_password_signs_in(world: World) -> None:
    someone = account(world)
    post(someone, "/me/password", current=PASSWORD, password=NEW_PASSWORD)
    assert sign_in(world, someone).problem() == (401, "credentials_invalid")
    assert sign_in(world, someone, NEW_PASSWORD).json["status"] == "signed_in"


def test_only_the_new_address_signs_in(world: World) -> None:
    someone, address = account(world), "new.canary@example.com"
    world.call("POST", "/auth/password/forgot", json_body={"email": someone.email})
    [link] = re.findall(r"password-reset#(\S+)", world.emails()[-1].text)
    post(someone, "/me/email", email=address, password=PASSWORD)
    post(someone, "/me/email/confirm", code=code_in(world.emails()[-1]))
    assert sign_in(world, someone).problem() == (401, "credentials_invalid")
    body = {"email": address, "password": PASSWORD}
    answer = world.call("POST", "/auth/sign-in", json_body=body)
    assert answer.json["status"] == "signed_in"
    # What was emailed to the old address opens nothing any more.
    body = {"token": link, "password": NEW_PASSWORD}
    answer = world.call("POST", "/auth/password/reset", json_body=body)
    assert answer.problem() == (422, "token_invalid")


def test_sign_in_with_app_backup_code_and_forgotten_browser(world: World) -> None:
    someone = account(world)
    secret = start_app(someone)
    assert sign_in(world, someone).json["status"] == "signed_in"
    used = totp(secret)
    codes = post(someone, "/me/two-factor/app/confirm", code=used)["backupCodes"]
    assert isinstance(codes, list)
    assert sign_in(world, someone).json["methods"] == ["app", "backup_code"]
    # The step that proved the app is used.
    assert second_step(world, someone, "app", used).problem() == (422, "code_invalid")
    world.advance(minutes=1)
    answer = second_step(world, someone, "app", totp(secret), trustBrowser=True)
    browser = answer.json["trustedBrowser"]
    assert sign_in(world, someone, browser=browser).json["status"] == "signed_in"
    post(someone, "/me/two-factor/trusted-browsers/forget")
    assert sign_in(world, someone, browser=browser).json["status"] == "two_factor_required"
    assert second_step(world, someone, "backup_code", codes[0]).status == 200
    again = second_step(world, someone, "backup_code", codes[0])
    assert again.problem() == (422, "code_invalid")


def test_only_the_newest_backup_codes_are_accepted(world: World) -> None:
    someone = account(world)
    old = app_on(world, someone)
    new = post(someone, "/me/two-factor/backup-codes", password=PASSWORD)["backupCodes"]
    assert isinstance(new, list)
    refused = second_step(world, someone, "backup_code", old[0])
    assert refused.problem() == (422, "code_invalid")
    assert second_step(world, someone, "backup_code", new[0]).status == 200


def test_sign_in_after_last_method_is_disabled(world: World) -> None:
    someone = account(world)
    email_on(world, someone)
    assert sign_in(world, someone).json["methods"] == ["email", "backup_code"]
    post(someone, "/me/two-factor/email/disable")
    assert sign_in(world, someone).json["status"] == "signed_in"


def test_sign_in_opens_the_workspace_set_last(world: World) -> None:
    someone = account(world)
    chosen, other = (world.workspace(world.person()) for _ in range(2))
    for workspace in (chosen, other):
        world.join(someone, workspace, Role.ADMIN)
    body = {"workspaceId": str(chosen.id)}
    assert someone.call("PUT", "/me/workspace", body).status == 200
    token = sign_in(world, someone).json["token"]
    invited = {"email": "guest.canary@example.com", "role": "member"}
    world.call("POST", "/invitations", token=token, json_body=invited)
    listed = someone.call("GET", "/invitations").json
    assert [row["email"] for row in listed["items"]] == [invited["email"]]


def test_deleted_account_signs_up_again(world: World) -> None:
    someone = account(world)
    post(someone, "/me/delete", password=PASSWORD)
    assert sign_in(world, someone).problem() == (401, "credentials_invalid")
    body = {"name": "Ann canary", "email": someone.email, "password": NEW_PASSWORD}
    begun_sign_in = world.call("POST", "/auth/sign-up", json_body=body)
    assert begun_sign_in.status == 202
    code = code_in(world.emails()[-1])
    body = {"registration": begun_sign_in.json["registration"], "code": code}
    anew = world.call("POST", "/auth/verify-email", json_body=body)
    assert anew.status == 200
    me = world.call("GET", "/me", token=anew.json["token"]).json
    assert me["user"]["name"] == "Ann canary"
    assert me["user"]["id"] != str(someone.id)
    assert me["workspaces"] == []
