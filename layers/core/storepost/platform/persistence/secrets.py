"""Secrets that operators store outside of the stack, in Systems Manager's parameter store.

They are read on first use and cached for five minutes, so that a long-running container learns of a
rotation.
"""

from datetime import datetime, timedelta
from functools import cache
from typing import Any

from botocore.exceptions import ClientError

from storepost.platform.persistence.clients import make_client
from storepost.values import clock

CACHED_FOR = timedelta(minutes=5)
_cached: dict[str, tuple[str, datetime]] = {}


@cache
def _ssm() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return make_client("ssm")


def read_secret(name: str) -> str | None:
    """Returns the value of the parameter, decrypted; None if there is no such parameter."""
    now = clock.now()
    if name in _cached and now < _cached[name][1]:
        return _cached[name][0]
    try:
        value = str(_ssm().get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
        return None
    _cached[name] = (value, now + CACHED_FOR)
    return value


def clear_secret_cache() -> None:
    """Drops the cached secrets, for tests."""
    _cached.clear()
