"""Why a feed can't be imported as a whole."""

from enum import StrEnum


class FeedFailure(StrEnum):
    """Why an import failed, as answers show it."""

    UNREACHABLE = "unreachable"
    HTTP_ERROR = "http_error"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    ROW_TOO_LONG = "row_too_long"
    NO_ROWS = "no_rows"
    IMPORT_FAILED = "import_failed"


class FeedUnusable(Exception):  # noqa: N818 - it is what a feed is
    """The feed can't be imported as it is now."""

    def __init__(self, why: FeedFailure, detail: str | None = None) -> None:
        """`why` is what the import fails with; `detail` is a sentence on what is wrong where."""
        super().__init__(why.value)
        self.why = why
        self.detail = detail
