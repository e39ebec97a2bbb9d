"""Signing up, signing in and out, and choosing a new password."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Body

from storepost.accounts.identity.limits import PASSWORDS_OF_SOURCE
from storepost.accounts.identity.sessions import device_of
from storepost.accounts.sign_in import registering, resetting, signing_in
from storepost.accounts.sign_in.schemas import (
    EmailVerification,
    ForgottenPassword,
    OpenedSession,
    OpenedTrustedSession,
    PasswordChoice,
    SecondStep,
    SecondStepNeeded,
    SignedIn,
    SignIn,
    SignUp,
    SignUpBegun,
    SignUpResend,
    TwoFactorCodeRequest,
)
from storepost.api.http.app import create_app
from storepost.api.http.callers import SignedIn as SignedInCaller
from storepost.api.http.once import Writes
from storepost.api.http.origin import From

app = create_app(unreadable_limit=PASSWORDS_OF_SOURCE)


@app.post("/v1/auth/sign-up", operation_id="auth.signUp", status_code=202)
def sign_up(origin: From, writes: Writes, body: Annotated[SignUp, Body()]) -> SignUpBegun:
    """Emails a code to the address, or tells its owner that it has an account already."""
    registration = registering.sign_up(body, origin.ip_address, origin.base_url, writes)
    return SignUpBegun(registration=registration)


@app.post("/v1/auth/sign-up/resend", operation_id="auth.resendSignUp", status_code=202)
def resend_sign_up(origin: From, writes: Writes, body: Annotated[SignUpResend, Body()]) -> None:
    """Emails another code for a registration; the one before ends."""
    registering.resend(body.registration, origin.base_url, writes)


@app.post("/v1/auth/verify-email", operation_id="auth.verifyEmail")
def verify_email(
    origin: From, writes: Writes, body: Annotated[EmailVerification, Body()]
) -> OpenedSession:
    """Makes the account of a registration and signs it in."""
    device = device_of(origin.ip_address, origin.user_agent)
    return registering.verify_email(body.registration, body.code, device, writes)


@app.post("/v1/auth/sign-in", operation_id="auth.signIn")
def sign_in(
    origin: From, writes: Writes, body: Annotated[SignIn, Body()]
) -> SignedIn | SecondStepNeeded:
    """Opens a session, or a challenge where the account has two-factor on."""
    device = device_of(origin.ip_address, origin.user_agent)
    return signing_in.sign_in(body, device, writes)


@app.post("/v1/auth/two-factor/send-code", operation_id="auth.sendTwoFactorCode", status_code=204)
def send_two_factor_code(writes: Writes, body: Annotated[TwoFactorCodeRequest, Body()]) -> None:
    """Emails a code for the second step of a sign-in."""
    signing_in.send_code(body.challenge, writes)


@app.post("/v1/auth/two-factor/verify", operation_id="auth.verifyTwoFactor")
def verify_two_factor(
    origin: From, writes: Writes, body: Annotated[SecondStep, Body()]
) -> OpenedTrustedSession | OpenedSession:
    """Takes the second step, which opens the session."""
    device = device_of(origin.ip_address, origin.user_agent)
    return signing_in.complete_second_step(body, device, writes)


@app.post("/v1/auth/sign-out", operation_id="auth.signOut", status_code=204)
def sign_out(caller: SignedInCaller, writes: Writes) -> None:
    """Ends the session whose token is sent."""
    signing_in.sign_out(caller, writes)


@app.post("/v1/auth/password/forgot", operation_id="auth.forgotPassword", status_code=202)
def forgot_password(
    origin: From, writes: Writes, body: Annotated[ForgottenPassword, Body()]
) -> None:
    """Emails a link to choose a new password with, where somebody has the address."""
    resetting.forgot_password(body.email, origin.ip_address, origin.base_url, writes)


@app.post("/v1/auth/password/reset", operation_id="auth.resetPassword", status_code=204)
def reset_password(writes: Writes, body: Annotated[PasswordChoice, Body()]) -> None:
    """Sets a new password; every session and every trusted browser ends."""
    resetting.reset_password(body.token, body.password, writes)


lambda_handler = app.handler()
