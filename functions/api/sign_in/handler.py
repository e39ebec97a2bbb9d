"""Signing up, signing in and out, and choosing a new password."""

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


@app.post(
    "/v1/auth/sign-up",
    operation_id="auth.signUp",
    status_code=202,
    response_description="An email is on its way. Give its code to `POST "
    "/auth/verify-email` together with this `registration`.",
)
def sign_up(origin: From, writes: Writes, body: SignUp) -> SignUpBegun:
    """Sign up.

    Emails a code to the address; the account exists once `POST /auth/verify-email` gets it. An
    address that has an account gets an email that says so instead. The answer is the same either
    way, so that nobody learns who has an account. An address gets at most five such emails in an
    hour; past that, nothing is sent.
    """
    registration = registering.sign_up(body, origin.ip_address, origin.base_url, writes)
    return SignUpBegun(registration=registration)


@app.post(
    "/v1/auth/sign-up/resend",
    operation_id="auth.resendSignUp",
    status_code=202,
    response_description="A code is on its way if the sign-up is open. The answer has no body.",
)
def resend_sign_up(origin: From, writes: Writes, body: SignUpResend) -> None:
    """Resend the code of a sign-up.

    Emails another code; the one before ends. The answer is the same where the sign-up is unknown or
    older than 24 hours: then nothing is sent.
    """
    registering.resend(body.registration, origin.base_url, writes)


@app.post("/v1/auth/verify-email", operation_id="auth.verifyEmail")
def verify_email(origin: From, writes: Writes, body: EmailVerification) -> OpenedSession:
    """Confirm a sign-up with the emailed code.

    Creates the account with the name and password of this sign-up, and signs it in. Every other
    sign-up of the address ends. After five wrong codes only a new one helps.
    """
    device = device_of(origin.ip_address, origin.user_agent)
    return registering.verify_email(body.registration, body.code, device, writes)


@app.post(
    "/v1/auth/sign-in",
    operation_id="auth.signIn",
    response_description="An open session, or a challenge where a second step is needed: `status` "
    "says which.",
)
def sign_in(origin: From, writes: Writes, body: SignIn) -> SignedIn | SecondStepNeeded:
    """Sign in.

    Opens a session with address and password. Where the account has two-factor authentication on,
    and the browser isn't trusted, it answers a `challenge` for the second step instead. An unknown
    address and a wrong password get the same answer in the same time.
    """
    device = device_of(origin.ip_address, origin.user_agent)
    return signing_in.sign_in(body, device, writes)


@app.post(
    "/v1/auth/two-factor/send-code",
    operation_id="auth.sendTwoFactorCode",
    status_code=204,
    response_description="A code is on its way; it is valid for 10 minutes.",
)
def send_two_factor_code(writes: Writes, body: TwoFactorCodeRequest) -> None:
    """Send a code for the second step.

    Emails six digits to the address of the account that is signing in; a code that was sent before
    ends. Only where the account has the email method on.
    """
    signing_in.send_code(body.challenge, writes)


@app.post(
    "/v1/auth/two-factor/verify",
    operation_id="auth.verifyTwoFactor",
    response_description="An open session; with `trustedBrowser` where the request asked for it.",
)
def verify_two_factor(
    origin: From, writes: Writes, body: SecondStep
) -> OpenedTrustedSession | OpenedSession:
    """Complete the second step of signing in.

    Opens the session that the challenge stands for. A challenge ends after five wrong codes. After
    ten wrong codes of a person in an hour, over all challenges, no second step is accepted for an
    hour, and that person is notified by email.
    """
    device = device_of(origin.ip_address, origin.user_agent)
    return signing_in.complete_second_step(body, device, writes)


@app.post(
    "/v1/auth/sign-out",
    operation_id="auth.signOut",
    status_code=204,
    response_description="The session has ended.",
)
def sign_out(caller: SignedInCaller, writes: Writes) -> None:
    """Sign out.

    Ends the session that the request came with; its token never works again. Other sessions stay
    open.
    """
    signing_in.sign_out(caller, writes)


@app.post(
    "/v1/auth/password/forgot",
    operation_id="auth.forgotPassword",
    status_code=202,
    response_description="A link is on its way if the address has an account. The answer "
    "has no body.",
)
def forgot_password(origin: From, writes: Writes, body: ForgottenPassword) -> None:
    """Request a link for a new password.

    Emails a link to the address if it has an account; it works for 30 minutes, and once. The answer
    is the same where nobody has the address. An address gets at most five such emails in an hour;
    past that, nothing is sent.
    """
    resetting.forgot_password(body.email, origin.ip_address, origin.base_url, writes)


@app.post(
    "/v1/auth/password/reset",
    operation_id="auth.resetPassword",
    status_code=204,
    response_description="The password is changed, and every session has ended.",
)
def reset_password(writes: Writes, body: PasswordChoice) -> None:
    """Set a new password by an emailed link.

    Ends every session and every trusted browser of the person, and counts the address as verified.
    It opens no session: sign in with the new password. The person is notified by email.
    """
    resetting.reset_password(body.token, body.password, writes)


lambda_handler = app.handler()
