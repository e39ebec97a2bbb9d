"""Signing up and in, and one's own account."""

from storepost.values import clock
from tests.accounts.sign_in.accounts import (
    PASSWORD,
    challenged,
    code_in,
    fragment_in,
    totp,
    with_app,
    with_backup_codes,
    with_email_codes,
)
from tests.costs.scenario import Request, Shop
from tests.costs.scenarios.registry import Scenarios
from tests.harness.world import Someone

SCENARIOS = Scenarios()
NEWCOMER = "newcomer@mail.example.com"
NEW_PASSWORD = "an entirely new password"
PROOF = {"password": PASSWORD}


def _registered(shop: Shop) -> str:
    body = {"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD}
    return str(shop.send("auth.signUp", Request(body=body)).json["registration"])


def _code(shop: Shop) -> str:
    return code_in(shop.world.emails()[-1])


@SCENARIOS.of("auth.signUp")
def sign_up(shop: Shop) -> Request:
    return Request(body={"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD})


@SCENARIOS.of("auth.resendSignUp")
def resend_sign_up(shop: Shop) -> Request:
    registration = _registered(shop)
    shop.world.advance(minutes=2)
    return Request(body={"registration": registration})


@SCENARIOS.of("auth.verifyEmail")
def verify_email(shop: Shop) -> Request:
    registration = _registered(shop)
    return Request(body={"registration": registration, "code": _code(shop)})


@SCENARIOS.of("auth.signIn")
def sign_in(shop: Shop) -> Request:
    return Request(body={"email": shop.owner.email, "password": PASSWORD})


@SCENARIOS.of("auth.signIn", "with a second step")
def sign_in_two_factor(shop: Shop) -> Request:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return sign_in(shop)


def _challenge(shop: Shop) -> str:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return challenged(shop.world, shop.owner)


@SCENARIOS.of("auth.sendTwoFactorCode")
def send_two_factor_code(shop: Shop) -> Request:
    return Request(body={"challenge": _challenge(shop)})


@SCENARIOS.of("auth.verifyTwoFactor", "an emailed code")
def verify_two_factor(shop: Shop) -> Request:
    challenge = _challenge(shop)
    shop.send("auth.sendTwoFactorCode", Request(body={"challenge": challenge}))
    return Request(body={"challenge": challenge, "method": "email", "code": _code(shop)})


@SCENARIOS.of("auth.verifyTwoFactor", "an app's code")
def verify_two_factor_by_app(shop: Shop) -> Request:
    seed = with_app(shop.owner)
    challenge = challenged(shop.world, shop.owner)
    code = totp(seed, clock.now())
    return Request(body={"challenge": challenge, "method": "app", "code": code})


@SCENARIOS.of("auth.forgotPassword")
def forgot_password(shop: Shop) -> Request:
    return Request(body={"email": shop.owner.email})


@SCENARIOS.of("auth.resetPassword")
def reset_password(shop: Shop) -> Request:
    shop.send("auth.forgotPassword", forgot_password(shop))
    token = fragment_in(shop.world.emails()[-1], "password-reset")
    return Request(body={"token": token, "password": NEW_PASSWORD})


SCENARIOS.plain("auth.signOut", lambda shop: Request(shop.owner.token))
SCENARIOS.plain("me.get", lambda shop: Request(shop.owner.token))
SCENARIOS.plain("me.update", lambda shop: Request(shop.owner.token, {"name": "Olivia Steinberger"}))
SCENARIOS.plain("me.getWorkspace", lambda shop: Request(shop.owner.token))


@SCENARIOS.of("me.putWorkspace")
def set_workspace(shop: Shop) -> Request:
    other = shop.world.workspace(shop.owner, "Steinberger Coffees")
    shop.world.activate(shop.owner, shop.workspace)
    return Request(shop.owner.token, {"workspaceId": str(other.id)})


@SCENARIOS.of("me.changePassword")
def change_password(shop: Shop) -> Request:
    return Request(shop.owner.token, {"current": PASSWORD, "password": NEW_PASSWORD})


@SCENARIOS.of("me.changeEmail")
def change_email(shop: Shop) -> Request:
    return Request(shop.owner.token, {"email": NEWCOMER, **PROOF})


@SCENARIOS.of("me.confirmEmail")
def confirm_email(shop: Shop) -> Request:
    shop.send("me.changeEmail", change_email(shop))
    return Request(shop.owner.token, {"code": _code(shop)})


SCENARIOS.plain("me.startTwoFactorApp", lambda shop: Request(shop.owner.token, PROOF))


@SCENARIOS.of("me.confirmTwoFactorApp")
def confirm_two_factor_app(shop: Shop) -> Request:
    seed = shop.send("me.startTwoFactorApp", Request(shop.owner.token, PROOF)).json["secret"]
    return Request(shop.owner.token, {"code": totp(seed, clock.now())})


@SCENARIOS.of("me.disableTwoFactorApp")
def disable_two_factor_app(shop: Shop) -> Request:
    with_app(shop.owner)
    with_backup_codes(shop.owner)
    return Request(shop.owner.token, PROOF)


SCENARIOS.plain("me.startTwoFactorEmail", lambda shop: Request(shop.owner.token))


@SCENARIOS.of("me.confirmTwoFactorEmail")
def confirm_two_factor_email(shop: Shop) -> Request:
    shop.send("me.startTwoFactorEmail", Request(shop.owner.token))
    return Request(shop.owner.token, {"code": _code(shop)})


def _with_email_codes(shop: Shop) -> Someone:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return shop.owner


SCENARIOS.plain("me.disableTwoFactorEmail", lambda shop: Request(_with_email_codes(shop).token))
SCENARIOS.plain("me.replaceBackupCodes", lambda shop: Request(_with_email_codes(shop).token, PROOF))


@SCENARIOS.of("me.forgetTrustedBrowsers", "one browser")
def forget_trusted_browsers(shop: Shop) -> Request:
    challenge = _challenge(shop)
    shop.send("auth.sendTwoFactorCode", Request(body={"challenge": challenge}))
    body = {"challenge": challenge, "method": "email", "code": _code(shop), "trustBrowser": True}
    shop.send("auth.verifyTwoFactor", Request(body=body))
    return Request(shop.owner.token)


SCENARIOS.plain("me.delete", lambda shop: Request(shop.member.token, PROOF))
SCENARIOS.plain("sessions.list", lambda shop: Request(shop.owner.token), "3 sessions")


@SCENARIOS.of("sessions.delete")
def delete_session(shop: Shop) -> Request:
    _, other = shop.world.sign_in(shop.owner.id)
    return Request(shop.owner.token, path={"id": other})


SCENARIOS.plain("sessions.deleteOthers", lambda shop: Request(shop.owner.token), "2 others")
