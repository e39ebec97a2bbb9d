"""Objects on S3: data too large for a row, kept for a few days (template.yaml says how many)."""

from functools import cache
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from storepost.platform.persistence.clients import make_client
from storepost.values.settings import settings

_PIECE_BYTES = 1024**2


class ObjectGone(Exception):  # noqa: N818 - it is what happened
    """The object doesn't exist, or has expired."""


class ObjectChanged(Exception):  # noqa: N818 - it is what happened
    """Another run has put or deleted the object since its version was read."""


_NOT_FOUND = 404
_CHANGED = frozenset({_NOT_FOUND, 409, 412})
"""How S3 refuses a conditional put: the object is gone, is being put, or has another version."""


@cache
def _s3() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return make_client("s3")


def put_object(name: str, content: bytes) -> None:
    """Stores the content under that name; an object that is there is replaced."""
    _s3().put_object(Bucket=settings().job_objects, Key=name, Body=content)


def get_object(name: str) -> bytes:
    """Returns what was stored under that name. Raises ObjectGone."""
    try:
        answer = _s3().get_object(Bucket=settings().job_objects, Key=name)
    except _s3().exceptions.NoSuchKey as error:
        raise ObjectGone(name) from error
    return bytes(answer["Body"].read())


def put_file(name: str, path: Path) -> None:
    """Stores a file's content under that name, a piece at a time."""
    with path.open("rb") as content:
        _s3().put_object(Bucket=settings().job_objects, Key=name, Body=content)


def replace_file(name: str, path: Path, version: str | None) -> str:
    """Stores a file's content where the object still has the version; returns the new version.

    None demands that there is no object. Raises ObjectChanged: also where the answer to an earlier
    try got lost.
    """
    condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
    with path.open("rb") as content:
        try:
            answer = _s3().put_object(
                Bucket=settings().job_objects, Key=name, Body=content, **condition
            )
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] in _CHANGED:
                raise ObjectChanged(name) from error
            raise
    return str(answer["ETag"])


def version_of(name: str) -> str | None:
    """Returns the version of the object of that name; None if there is none."""
    try:
        answer = _s3().head_object(Bucket=settings().job_objects, Key=name)
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] == _NOT_FOUND:
            return None
        raise
    return str(answer["ETag"])


def get_file(name: str, path: Path) -> str:
    """Writes the object of that name to a file, a piece at a time; returns its version.

    Raises ObjectGone.
    """
    try:
        answer = _s3().get_object(Bucket=settings().job_objects, Key=name)
    except _s3().exceptions.NoSuchKey as error:
        raise ObjectGone(name) from error
    with path.open("wb") as content:
        for piece in answer["Body"].iter_chunks(_PIECE_BYTES):
            content.write(piece)
    return str(answer["ETag"])


def delete_object(name: str) -> None:
    """Deletes the object of that name, if there is one."""
    _s3().delete_object(Bucket=settings().job_objects, Key=name)
