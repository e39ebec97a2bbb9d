"""The problem of a caller past a budget."""

from storepost.values.problems import TooManyRequests


class RateLimited(TooManyRequests):
    """The caller, or the whole workspace, asks for more than its budget."""

    code = "rate_limited"
    title = "Too many requests"
    remedy = "Wait for as many seconds as `Retry-After` says, and send fewer requests a second."
