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
    """The key's scope is too small."""

    code = "scope"
    title = "The key's scope is too small"
    remedy = "Use a key of a larger scope."


class SignInRequired(Forbidden):
    """Keys may not do this."""

    code = "sign_in_required"
    title = "Only a signed-in person may do this"
    remedy = "Sign in and use the session's token; API keys can't do this."


class CredentialsInvalid(Unauthenticated):
    """No account has this address and password; which of the two is wrong stays untold."""

    code = "credentials_invalid"
    title = "Address or password is wrong"
    remedy = "Check both, or ask for a new password by email."


class PasswordInvalid(ValidationFailed):
    """A signed-in person gave a wrong password, so their token is none the worse."""

    code = "credentials_invalid"
    title = "The password is wrong"
    remedy = "Repeat the request with the account's present password."


class CodeInvalid(ValidationFailed):
    """A wrong code, of whatever kind; it counts as a try."""

    code = "code_invalid"
    title = "The code is wrong"
    remedy = "Check the code; after five wrong tries only a new one helps."


class ChallengeClosed(Gone):
    """The code has been tried wrongly five times, was used, or its time is over."""

    code = "challenge_closed"
    title = "The code can't be used any more"
    remedy = "Ask for a new code, or begin again."


class MethodOff(Conflict):
    """The second-factor method isn't turned on."""

    code = "method_off"
    title = "The method is off"
    remedy = "Use a method that is on."


class SignInLimit(TooManyRequests):
    """In 15 minutes 10 wrong passwords for an address from one source, or 100 of either."""

    code = "sign_in_limit"
    title = "Too many wrong passwords"
    remedy = (
        "Wait as `Retry-After` says. The right password is still taken from a trusted browser, and "
        "from where the account signed in during the last 30 days."
    )


class TwoFactorLimit(TooManyRequests):
    """10 wrong second factors of a person in an hour, over all challenges."""

    code = "two_factor_limit"
    title = "Too many wrong second factors"
    remedy = "Wait as `Retry-After` says; the account's owner was told by email."


class CodeSendLimit(TooManyRequests):
    """5 emailed codes of one kind in an hour: to an address, or for a person's second step."""

    code = "code_send_limit"
    title = "Too many codes sent"
    remedy = "Use the code that was sent last, or wait as `Retry-After` says."


class SignUpLimit(TooManyRequests):
    """100 sign-ups from one source address in an hour."""

    code = "sign_up_limit"
    title = "Too many sign-ups"
    remedy = "Wait as `Retry-After` says."


class ResetLimit(TooManyRequests):
    """100 forgotten passwords from one source address in an hour."""

    code = "password_reset_limit"
    title = "Too many forgotten passwords"
    remedy = "Wait as `Retry-After` says, or use the link that was emailed last."
