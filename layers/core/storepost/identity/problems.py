"""What can be wrong with a caller."""

from storepost.problems import Forbidden


class ScopeTooSmall(Forbidden):
    """The key's scope is too small (specification, Authentication 4)."""

    code = "scope"
    title = "The key's scope is too small"
    mend = "Use a key of a larger scope."


class SignInRequired(Forbidden):
    """Keys may not do this."""

    code = "sign_in_required"
    title = "Only a signed-in person may do this"
    mend = "Sign in and use the session's token; API keys can't do this."
