"""Clients of AWS services, with timeouts shorter than those of the function that waits.

By default botocore waits a minute for a connection and another for each response, and tries that
five times: a function of 15 seconds would be killed without a response to its caller.
"""

from typing import Any

CONNECT_SECONDS = 1
READ_SECONDS = 4
TRIES = 2
"""All attempts together end within the 13 seconds that a request has at least."""


def make_client(service: str, *, read_seconds: float = READ_SECONDS, tries: int = TRIES) -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """Returns a client of an AWS service; making one takes 20 ms and more, so keep it."""
    import boto3  # noqa: PLC0415 - 27 ms, and few requests need one
    from botocore.config import Config  # noqa: PLC0415

    config = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"total_max_attempts": tries, "mode": "standard"},
    )
    return boto3.client(service, config=config)  # type: ignore[call-overload]
