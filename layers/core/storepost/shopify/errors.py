"""Errors of a shop's API, classified by their remedy."""

from dataclasses import dataclass


class ShopifyError(Exception):
    """An error of a shop. Its text may be logged: it has no personal data."""


class ShopUnavailable(ShopifyError):  # noqa: N818 - it is what happened
    """The shop can't answer now: unreachable, frozen, failing or throttled. Try again later."""


class NeedsReauth(ShopifyError):  # noqa: N818 - it is what is needed
    """The shop refuses our tokens: somebody must approve the app again."""


class AccessDenied(ShopifyError):  # noqa: N818 - it is what happened
    """The shop didn't grant a scope that the request needs, or revoked it."""


class RequestRefused(ShopifyError):  # noqa: N818 - it is what happened
    """Shopify understood the request and refuses it; sending it again won't help."""


@dataclass(frozen=True)
class UserError:
    """One reason why a mutation did nothing."""

    message: str
    field: tuple[str, ...] = ()
    code: str | None = None


class MutationRefused(RequestRefused):
    """A mutation's answer has user errors. Their messages may repeat what was sent."""

    def __init__(self, errors: tuple[UserError, ...]) -> None:
        """`errors` has at least one."""
        super().__init__(f"user errors: {', '.join(e.code or 'without a code' for e in errors)}")
        self.errors = errors
