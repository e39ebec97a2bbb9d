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
from tests.costs.scenario import Ask, Shop
from tests.costs.scenarios.registry import Scenarios
from tests.harness.world import Someone

SCENARIOS = Scenarios()
NEWCOMER = "newcomer@mail.example.com"
NEW_PASSWORD = "an entirely new password"
PROOF = {"password": PASSWORD}


def _registered(shop: Shop) -> str:
    body = {"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD}
    return str(shop.ask("auth.signUp", Ask(body=body)).json["registration"])


def _code(shop: Shop) -> str:
    return code_in(shop.world.emails()[-1])


@SCENARIOS.of("auth.signUp")
def sign_up(shop: Shop) -> Ask:
    return Ask(body={"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD})


@SCENARIOS.of("auth.resendSignUp")
def resend_sign_up(shop: Shop) -> Ask:
    registration = _registered(shop)
    shop.world.advance(minutes=2)
    return Ask(body={"registration": registration})


@SCENARIOS.of("auth.verifyEmail")
def verify_email(shop: Shop) -> Ask:
    registration = _registered(shop)
    return Ask(body={"registration": registration, "code": _code(shop)})


@SCENARIOS.of("auth.signIn")
def sign_in(shop: Shop) -> Ask:
    return Ask(body={"email": shop.owner.email, "password": PASSWORD})


@SCENARIOS.of("auth.signIn", "with a second step")
def sign_in_two_factor(shop: Shop) -> Ask:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return sign_in(shop)


def _challenge(shop: Shop) -> str:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return challenged(shop.world, shop.owner)


@SCENARIOS.of("auth.sendTwoFactorCode")
def send_two_factor_code(shop: Shop) -> Ask:
    return Ask(body={"challenge": _challenge(shop)})


@SCENARIOS.of("auth.verifyTwoFactor", "an emailed code")
def verify_two_factor(shop: Shop) -> Ask:
    challenge = _challenge(shop)
    shop.ask("auth.sendTwoFactorCode", Ask(body={"challenge": challenge}))
    return Ask(body={"challenge": challenge, "method": "email", "code": _code(shop)})


@SCENARIOS.of("auth.verifyTwoFactor", "an app's code")
def verify_two_factor_by_app(shop: Shop) -> Ask:
    seed = with_app(shop.owner)
    challenge = challenged(shop.world, shop.owner)
    code = totp(seed, clock.now())
    return Ask(body={"challenge": challenge, "method": "app", "code": code})


@SCENARIOS.of("auth.forgotPassword")
def forgot_password(shop: Shop) -> Ask:
    return Ask(body={"email": shop.owner.email})


@SCENARIOS.of("auth.resetPassword")
def reset_password(shop: Shop) -> Ask:
    shop.ask("auth.forgotPassword", forgot_password(shop))
    token = fragment_in(shop.world.emails()[-1], "password-reset")
    return Ask(body={"token": token, "password": NEW_PASSWORD})


SCENARIOS.plain("auth.signOut", lambda shop: Ask(shop.owner.token))
SCENARIOS.plain("me.get", lambda shop: Ask(shop.owner.token))
SCENARIOS.plain("me.update", lambda shop: Ask(shop.owner.token, {"name": "Olivia Steinberger"}))


@SCENARIOS.of("me.putWorkspace")
def set_workspace(shop: Shop) -> Ask:
    other = shop.world.workspace(shop.owner, "Steinberger Coffees")
    shop.world.activate(shop.owner, shop.workspace)
    return Ask(shop.owner.token, {"workspaceId": str(other.id)})


@SCENARIOS.of("me.changePassword")
def change_password(shop: Shop) -> Ask:
    return Ask(shop.owner.token, {"current": PASSWORD, "password": NEW_PASSWORD})


@SCENARIOS.of("me.changeEmail")
def change_email(shop: Shop) -> Ask:
    return Ask(shop.owner.token, {"email": NEWCOMER, **PROOF})


@SCENARIOS.of("me.confirmEmail")
def confirm_email(shop: Shop) -> Ask:
    shop.ask("me.changeEmail", change_email(shop))
    return Ask(shop.owner.token, {"code": _code(shop)})


SCENARIOS.plain("me.startTwoFactorApp", lambda shop: Ask(shop.owner.token, PROOF))


@SCENARIOS.of("me.confirmTwoFactorApp")
def confirm_two_factor_app(shop: Shop) -> Ask:
    seed = shop.ask("me.startTwoFactorApp", Ask(shop.owner.token, PROOF)).json["secret"]
    return Ask(shop.owner.token, {"code": totp(seed, clock.now())})


@SCENARIOS.of("me.disableTwoFactorApp")
def disable_two_factor_app(shop: Shop) -> Ask:
    with_app(shop.owner)
    with_backup_codes(shop.owner)
    return Ask(shop.owner.token, PROOF)


SCENARIOS.plain("me.startTwoFactorEmail", lambda shop: Ask(shop.owner.token))


@SCENARIOS.of("me.confirmTwoFactorEmail")
def confirm_two_factor_email(shop: Shop) -> Ask:
    shop.ask("me.startTwoFactorEmail", Ask(shop.owner.token))
    return Ask(shop.owner.token, {"code": _code(shop)})


def _with_email_codes(shop: Shop) -> Someone:
    with_email_codes(shop.owner)
    with_backup_codes(shop.owner)
    return shop.owner


SCENARIOS.plain("me.disableTwoFactorEmail", lambda shop: Ask(_with_email_codes(shop).token))
SCENARIOS.plain("me.replaceBackupCodes", lambda shop: Ask(_with_email_codes(shop).token, PROOF))


@SCENARIOS.of("me.forgetTrustedBrowsers", "one browser")
def forget_trusted_browsers(shop: Shop) -> Ask:
    challenge = _challenge(shop)
    shop.ask("auth.sendTwoFactorCode", Ask(body={"challenge": challenge}))
    body = {"challenge": challenge, "method": "email", "code": _code(shop), "trustBrowser": True}
    shop.ask("auth.verifyTwoFactor", Ask(body=body))
    return Ask(shop.owner.token)


SCENARIOS.plain("me.delete", lambda shop: Ask(shop.member.token, PROOF))
SCENARIOS.plain("sessions.list", lambda shop: Ask(shop.owner.token), "3 sessions")


@SCENARIOS.of("sessions.delete")
def delete_session(shop: Shop) -> Ask:
    _, other = shop.world.sign_in(shop.owner.id)
    return Ask(shop.owner.token, path={"id": other})


SCENARIOS.plain("sessions.deleteOthers", lambda shop: Ask(shop.owner.token), "2 others")
