"""What can be wrong with signing in, besides what `identity.problems` says."""

from storepost.values.problems import ValidationFailed


class TokenInvalid(ValidationFailed):
    """The reset's token is unknown, was used, is older than 30 minutes or than the password."""

    code = "token_invalid"
    title = "The link can't be used any more"
    remedy = "Ask for a new link to choose a password."
