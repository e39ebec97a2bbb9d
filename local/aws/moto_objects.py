"""Puts, reads and deletes S3 objects by name, as moto's own methods would do it.

A call with further parameters, or with a file as the object's content, is left to botocore and
moto.
"""

from base64 import b64encode
from datetime import UTC
from io import BytesIO
from zlib import crc32

from botocore.client import BaseClient
from botocore.response import StreamingBody
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.exceptions import MissingKey
from moto.s3.models import s3_backends

from local.aws.moto_methods import Call, Parameters


class MoreThanAName(Exception):  # noqa: N818 - it is what was asked
    """The call has more parameters than the object's name and, as bytes, its content."""


def _put(_client: BaseClient, _operation: str, parameters: Parameters) -> Parameters:
    bucket, name = _named(parameters, "Body")
    content = parameters.get("Body", b"")
    if type(content) is not bytes:
        raise MoreThanAName
    checksum = b64encode(crc32(content).to_bytes(4)).decode()
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    made = backend.put_object(bucket, name, content, storage="STANDARD", checksum_value=checksum)
    made.set_metadata({"content-type": _CONTENT_TYPE})
    made.set_acl(backend.get_bucket(bucket).acl)
    made.checksum_algorithm = "CRC32"
    return {"ETag": made.etag, "ChecksumCRC32": checksum}


def _get(_client: BaseClient, _operation: str, parameters: Parameters) -> Parameters:
    found = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].get_object(*_named(parameters))
    if found is None:
        raise MissingKey
    if found.checksum_algorithm != "CRC32" or not found.metadata.items() <= _PLAIN:
        raise MoreThanAName
    content = found.value
    return {
        "AcceptRanges": "bytes",
        "LastModified": found.last_modified.replace(microsecond=0, tzinfo=UTC),
        "ContentLength": len(content),
        "ETag": found.etag,
        "ChecksumCRC32": found.checksum_value,
        "ContentType": _CONTENT_TYPE,
        "Metadata": {},
        "Body": StreamingBody(BytesIO(content), len(content)),
    }


def _delete(_client: BaseClient, _operation: str, parameters: Parameters) -> Parameters:
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].delete_object(*_named(parameters))
    return {}


def _named(parameters: Parameters, *besides: str) -> tuple[str, str]:
    if not parameters.keys() - set(besides) == {"Bucket", "Key"}:
        raise MoreThanAName
    return parameters["Bucket"], parameters["Key"]


_CONTENT_TYPE = "binary/octet-stream"
_PLAIN = {
    ("content-type", _CONTENT_TYPE),
    ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
}
"""The metadata of an object that was put without any."""
OBJECT_CALLS: dict[str, Call] = {
    "DeleteObject": _delete,
    "GetObject": _get,
    "PutObject": _put,
}
