"""Fetching of untrusted URLs: the only place in the project that opens a customer's URL."""

from storepost.platform.fetching.client import ANSWER_BYTES, Answer, post
from storepost.platform.fetching.conversation import Conversation
from storepost.platform.fetching.download import Download, download
from storepost.platform.fetching.guard import (
    HTTP_OR_HTTPS,
    HTTPS,
    Failure,
    FetchFailed,
    UrlNotAllowed,
    check_url,
)

__all__ = [
    "ANSWER_BYTES",
    "HTTPS",
    "HTTP_OR_HTTPS",
    "Answer",
    "Conversation",
    "Download",
    "Failure",
    "FetchFailed",
    "UrlNotAllowed",
    "check_url",
    "download",
    "post",
]
