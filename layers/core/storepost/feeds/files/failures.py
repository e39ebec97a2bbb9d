"""Why a feed can't be imported as a whole."""

from storepost.values.stored_enum import StoredEnum


class FeedFailure(StoredEnum):
    """Why an import failed.

    `unreachable`: no answer came from the address. `http_error`: its server answered with an error.
    `unreadable`: the file is none of the formats. `too_large`: it is over 1 GiB. `row_too_long`: a
    row is over 1 MiB, or has over 2,000 columns. `no_rows`: it has no rows, or none has an id
    though the feed had such rows before, so nothing was removed. `import_failed`: an import by
    schedule would have removed more than half, or something failed in Storepost.
    """

    UNREACHABLE = "unreachable"
    HTTP_ERROR = "http_error"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    ROW_TOO_LONG = "row_too_long"
    NO_ROWS = "no_rows"
    IMPORT_FAILED = "import_failed"


class FeedUnusable(Exception):  # noqa: N818 - it is what a feed is
    """Says that the feed can't be imported as it is now, and why."""

    def __init__(self, why: FeedFailure, detail: str | None = None) -> None:
        """`why` is the import's failure; `detail` says in a sentence what is wrong, and where."""
        super().__init__(why.value)
        self.why = why
        self.detail = detail
