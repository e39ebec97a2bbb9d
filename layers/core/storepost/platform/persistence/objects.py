"""Objects on S3: data too large for a row, kept for a few days (template.yaml says how many)."""

from functools import cache
from pathlib import Path
from typing import Any

from storepost.platform.persistence.clients import make_client
from storepost.values.settings import settings

_PIECE_BYTES = 1024**2


class ObjectGone(Exception):  # noqa: N818 - it is what happened
    """The object doesn't exist, or has expired."""


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


def get_file(name: str, path: Path) -> None:
    """Writes the object of that name to a file, a piece at a time. Raises ObjectGone."""
    try:
        answer = _s3().get_object(Bucket=settings().job_objects, Key=name)
    except _s3().exceptions.NoSuchKey as error:
        raise ObjectGone(name) from error
    with path.open("wb") as content:
        for piece in answer["Body"].iter_chunks(_PIECE_BYTES):
            content.write(piece)


def delete_object(name: str) -> None:
    """Deletes the object of that name, if there is one."""
    _s3().delete_object(Bucket=settings().job_objects, Key=name)
