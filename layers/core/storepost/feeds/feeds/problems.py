"""What can be wrong with a feed (docs/interface.md, section 8)."""

from storepost.feeds.files.failures import FeedFailure
from storepost.stores.stores.problems import UrlNotAllowed
from storepost.values.problems import Conflict, FieldError, UnreadableContent, ValidationFailed


class FeedExists(Conflict):
    """The store has a feed of that address and locale."""

    code = "feed_exists"
    title = "The store has this feed already"
    remedy = "Change the feed that has this address and locale, or delete it first."


class MappingMissingId(ValidationFailed):
    """No column of the mapping is the id."""

    code = "mapping_missing_id"
    title = "No column is mapped to `id`"
    remedy = "Map one column to `id`: it says which product a row is about."

    def __init__(self) -> None:
        """It is the mapping that lacks the column."""
        super().__init__(errors=[FieldError("/mapping", "Must map one column to `id`")])


class FeedUnreachable(ValidationFailed):
    """No answer came from the feed's address."""

    code = "unreachable"
    title = "The feed can't be reached"
    remedy = "Check the address, and that its server answers in time and without a password."


class FeedHttpError(ValidationFailed):
    """The feed's server answered with an error."""

    code = "http_error"
    title = "The feed's server answered with an error"
    remedy = "Check that the address answers 200, after five redirects at most."


class FeedTooLarge(ValidationFailed):
    """The feed is larger than 1 GiB."""

    code = "too_large"
    title = "The feed is too large"
    remedy = "Use a feed of at most 1 GiB, or several smaller ones."


class FeedRowTooLong(ValidationFailed):
    """A row of the feed is longer than 1 MiB, or has more than 2,000 columns."""

    code = "row_too_long"
    title = "A row of the feed is too long"
    remedy = (
        "Look for a quote that is never closed, shorten the row, or send at most 2,000 columns."
    )


class FeedWithoutRows(ValidationFailed):
    """The feed has no rows."""

    code = "no_rows"
    title = "The feed has no rows"
    remedy = (
        "Check that the file has products: lines below the header, `item` or `entry` elements, or "
        "objects."
    )


def url_refused(reason: str) -> UrlNotAllowed:
    """Returns the problem of an address that the guard would never open, and why."""
    return UrlNotAllowed("Use a public http or https address.", errors=[FieldError("/url", reason)])


def problem_of(why: FeedFailure, detail: str | None = None) -> ValidationFailed:
    """Returns the problem that says why a feed can't be previewed or checked; `detail` is where."""
    match why:
        case FeedFailure.UNREACHABLE:
            return FeedUnreachable()
        case FeedFailure.HTTP_ERROR:
            return FeedHttpError()
        case FeedFailure.TOO_LARGE:
            return FeedTooLarge()
        case FeedFailure.ROW_TOO_LONG:
            return FeedRowTooLong()
        case FeedFailure.NO_ROWS:
            return FeedWithoutRows()
        case _:
            return UnreadableContent(
                detail or "A feed is CSV, TSV, XML (RSS or Atom) or JSON, plain or gzipped."
            )
