"""Product feeds as files: any format and encoding in, rows of text out, in flat memory."""

from storepost.feed_files.bounds import Bound, Sample
from storepost.feed_files.failures import FeedFailure, FeedUnusable
from storepost.feed_files.formats import FeedFormat
from storepost.feed_files.reading import FeedFile, Row, read_feed

__all__ = [
    "Bound",
    "FeedFailure",
    "FeedFile",
    "FeedFormat",
    "FeedUnusable",
    "Row",
    "Sample",
    "read_feed",
]
