"""What can go wrong with a shop, classified by what helps."""

from dataclasses import dataclass


class ShopifyError(Exception):
    """Says what went wrong with a shop. Its text may be logged: it says nothing of anybody."""


class ShopUnavailable(ShopifyError):  # noqa: N818 - it is what happened
    """The shop can't answer now: unreachable, frozen, failing or throttled. Try again later."""


class NeedsReauth(ShopifyError):  # noqa: N818 - it is what is needed
    """The shop takes our tokens no more: somebody has to approve the app again."""


class AccessDenied(ShopifyError):  # noqa: N818 - it is what happened
    """The shop never gave a scope that the request needs, or took it back."""


class RequestRefused(ShopifyError):  # noqa: N818 - it is what happened
    """Shopify understands the request and won't do it, however often it is sent."""


@dataclass(frozen=True)
class UserError:
    """One reason why a mutation did nothing."""

    message: str
    field: tuple[str, ...] = ()
    code: str | None = None


class MutationRefused(RequestRefused):
    """A mutation came back with user errors. Their messages may repeat what was sent."""

    def __init__(self, errors: tuple[UserError, ...]) -> None:
        """`errors` are at least one."""
        super().__init__(f"user errors: {', '.join(e.code or 'without a code' for e in errors)}")
        self.errors = errors
