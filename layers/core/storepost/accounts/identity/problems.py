"""What can be wrong with a caller, and with what somebody proves who they are by."""

from storepost.values.problems import (
    Conflict,
    Forbidden,
    Gone,
    TooManyRequests,
    Unauthenticated,
    ValidationFailed,
)


class ScopeTooSmall(Forbidden):
    """The API key's scope doesn't allow the operation."""

    code = "scope"
    title = "The key's scope doesn't allow this"
    remedy = "Use an API key whose scope allows this."


class SignInRequired(Forbidden):
    """No API key can do this."""

    code = "sign_in_required"
    title = "Only a signed-in person may do this"
    remedy = "Sign in, and send the session's token instead of an API key."


class CredentialsInvalid(Unauthenticated):
    """No account has this address and password. The answer doesn't say which of the two is wrong,
    so that nobody learns who has an account.
    """

    code = "credentials_invalid"
    title = "Address or password is wrong"
    remedy = "Check both, or choose a new password with `POST /auth/password/forgot`."


class PasswordInvalid(ValidationFailed):
    """The signed-in person gave a wrong password. Their session stays open."""

    code = "password_wrong"
    title = "The password is wrong"
    remedy = "Repeat the request with the account's present password."


class CodeInvalid(ValidationFailed):
    """The code isn't the one that was sent or shown. Each wrong code counts as a try."""

    code = "code_invalid"
    title = "The code is wrong"
    remedy = "Check the code; after five wrong tries only a new one helps."


class ChallengeClosed(Gone):
    """The code has been tried wrongly five times, was used, or its time is over."""

    code = "challenge_closed"
    title = "The code can't be used any more"
    remedy = "Ask for a new code, or begin again."


class MethodOff(Conflict):
    """The two-factor method isn't turned on."""

    code = "method_off"
    title = "The two-factor method is off"
    remedy = "Turn the method on first, or use another one that is on."


class SignInLimit(TooManyRequests):
    """In 15 minutes there were 10 wrong passwords for an address from one source, or 100 for an
    address or from a source.
    """

    code = "sign_in_limit"
    title = "Too many wrong passwords"
    remedy = (
        "Wait as `Retry-After` says. The right password still works in a trusted "
        "browser, and from where the account signed in during the last 30 days."
    )


class TwoFactorLimit(TooManyRequests):
    """A person gave 10 wrong second factors in an hour, over all sign-ins."""

    code = "two_factor_limit"
    title = "Too many wrong second factors"
    remedy = "Wait as `Retry-After` says. The person was notified by email."


class CodeSendLimit(TooManyRequests):
    """In an hour 5 codes of one kind were emailed to an address or for a person's second step, or a
    person had 10 emailed to new addresses.
    """

    code = "code_send_limit"
    title = "Too many codes were sent"
    remedy = "Use the code that was sent last, or wait as `Retry-After` says."


class SignUpLimit(TooManyRequests):
    """There were 100 sign-ups from one source address in an hour."""

    code = "sign_up_limit"
    title = "Too many sign-ups"
    remedy = "Wait as `Retry-After` says."


class ResetLimit(TooManyRequests):
    """A new password was requested 100 times from one source address in an hour."""

    code = "password_reset_limit"
    title = "Too many requests for a new password"
    remedy = "Wait as `Retry-After` says, or use the link that was emailed last."
