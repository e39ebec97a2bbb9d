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
from tests.costs.scenario import Ask, Town
from tests.costs.scenarios.registry import Scenarios
from tests.harness.world import Someone

SCENARIOS = Scenarios()
NEWCOMER = "newcomer@mail.example.com"
NEW_PASSWORD = "an entirely new password"
PROOF = {"password": PASSWORD}


def _registered(town: Town) -> str:
    body = {"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD}
    return str(town.ask("auth.signUp", Ask(body=body)).json["registration"])


def _code(town: Town) -> str:
    return code_in(town.world.emails()[-1])


@SCENARIOS.of("auth.signUp")
def sign_up(town: Town) -> Ask:
    return Ask(body={"name": "Nora Newcomer", "email": NEWCOMER, "password": PASSWORD})


@SCENARIOS.of("auth.resendSignUp")
def resend_sign_up(town: Town) -> Ask:
    registration = _registered(town)
    town.world.advance(minutes=2)
    return Ask(body={"registration": registration})


@SCENARIOS.of("auth.verifyEmail")
def verify_email(town: Town) -> Ask:
    registration = _registered(town)
    return Ask(body={"registration": registration, "code": _code(town)})


@SCENARIOS.of("auth.signIn")
def sign_in(town: Town) -> Ask:
    return Ask(body={"email": town.owner.email, "password": PASSWORD})


@SCENARIOS.of("auth.signIn", "with a second step")
def sign_in_two_factor(town: Town) -> Ask:
    with_email_codes(town.owner)
    with_backup_codes(town.owner)
    return sign_in(town)


def _challenge(town: Town) -> str:
    with_email_codes(town.owner)
    with_backup_codes(town.owner)
    return challenged(town.world, town.owner)


@SCENARIOS.of("auth.sendTwoFactorCode")
def send_two_factor_code(town: Town) -> Ask:
    return Ask(body={"challenge": _challenge(town)})


@SCENARIOS.of("auth.verifyTwoFactor", "an emailed code")
def verify_two_factor(town: Town) -> Ask:
    challenge = _challenge(town)
    town.ask("auth.sendTwoFactorCode", Ask(body={"challenge": challenge}))
    return Ask(body={"challenge": challenge, "method": "email", "code": _code(town)})


@SCENARIOS.of("auth.verifyTwoFactor", "an app's code")
def verify_two_factor_by_app(town: Town) -> Ask:
    seed = with_app(town.owner)
    challenge = challenged(town.world, town.owner)
    code = totp(seed, clock.now())
    return Ask(body={"challenge": challenge, "method": "app", "code": code})


@SCENARIOS.of("auth.forgotPassword")
def forgot_password(town: Town) -> Ask:
    return Ask(body={"email": town.owner.email})


@SCENARIOS.of("auth.resetPassword")
def reset_password(town: Town) -> Ask:
    town.ask("auth.forgotPassword", forgot_password(town))
    token = fragment_in(town.world.emails()[-1], "password-reset")
    return Ask(body={"token": token, "password": NEW_PASSWORD})


SCENARIOS.plain("auth.signOut", lambda town: Ask(town.owner.token))
SCENARIOS.plain("me.get", lambda town: Ask(town.owner.token))
SCENARIOS.plain("me.update", lambda town: Ask(town.owner.token, {"name": "Olivia Steinberger"}))


@SCENARIOS.of("me.putWorkspace")
def set_workspace(town: Town) -> Ask:
    other = town.world.workspace(town.owner, "Steinberger Coffees")
    town.world.activate(town.owner, town.workspace)
    return Ask(town.owner.token, {"workspaceId": str(other.id)})


@SCENARIOS.of("me.changePassword")
def change_password(town: Town) -> Ask:
    return Ask(town.owner.token, {"current": PASSWORD, "password": NEW_PASSWORD})


@SCENARIOS.of("me.changeEmail")
def change_email(town: Town) -> Ask:
    return Ask(town.owner.token, {"email": NEWCOMER, **PROOF})


@SCENARIOS.of("me.confirmEmail")
def confirm_email(town: Town) -> Ask:
    town.ask("me.changeEmail", change_email(town))
    return Ask(town.owner.token, {"code": _code(town)})


SCENARIOS.plain("me.startTwoFactorApp", lambda town: Ask(town.owner.token, PROOF))


@SCENARIOS.of("me.confirmTwoFactorApp")
def confirm_two_factor_app(town: Town) -> Ask:
    seed = town.ask("me.startTwoFactorApp", Ask(town.owner.token, PROOF)).json["secret"]
    return Ask(town.owner.token, {"code": totp(seed, clock.now())})


@SCENARIOS.of("me.disableTwoFactorApp")
def disable_two_factor_app(town: Town) -> Ask:
    with_app(town.owner)
    with_backup_codes(town.owner)
    return Ask(town.owner.token, PROOF)


SCENARIOS.plain("me.startTwoFactorEmail", lambda town: Ask(town.owner.token))


@SCENARIOS.of("me.confirmTwoFactorEmail")
def confirm_two_factor_email(town: Town) -> Ask:
    town.ask("me.startTwoFactorEmail", Ask(town.owner.token))
    return Ask(town.owner.token, {"code": _code(town)})


def _with_email_codes(town: Town) -> Someone:
    with_email_codes(town.owner)
    with_backup_codes(town.owner)
    return town.owner


SCENARIOS.plain("me.disableTwoFactorEmail", lambda town: Ask(_with_email_codes(town).token))
SCENARIOS.plain("me.replaceBackupCodes", lambda town: Ask(_with_email_codes(town).token, PROOF))


@SCENARIOS.of("me.forgetTrustedBrowsers", "one browser")
def forget_trusted_browsers(town: Town) -> Ask:
    challenge = _challenge(town)
    town.ask("auth.sendTwoFactorCode", Ask(body={"challenge": challenge}))
    body = {"challenge": challenge, "method": "email", "code": _code(town), "trustBrowser": True}
    town.ask("auth.verifyTwoFactor", Ask(body=body))
    return Ask(town.owner.token)


SCENARIOS.plain("me.delete", lambda town: Ask(town.member.token, PROOF))
SCENARIOS.plain("sessions.list", lambda town: Ask(town.owner.token), "3 sessions")


@SCENARIOS.of("sessions.delete")
def delete_session(town: Town) -> Ask:
    _, other = town.world.sign_in(town.owner.id)
    return Ask(town.owner.token, path={"id": other})


SCENARIOS.plain("sessions.deleteOthers", lambda town: Ask(town.owner.token), "2 others")
