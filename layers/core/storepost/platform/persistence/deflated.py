"""Large JSON in a row, compressed: DynamoDB bills reads and writes by a row's bytes."""

import json
import zlib
from typing import Any

from pynamodb.attributes import Attribute
from pynamodb.constants import BINARY


class Deflated(Attribute[Any]):
    """An attribute of any JSON, compressed by zlib, as a binary."""

    attr_type = BINARY

    def serialize(self, value: object) -> bytes:
        """Returns the value as compact JSON, compressed."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode())

    def deserialize(self, value: bytes) -> Any:  # noqa: ANN401 - whatever was written
        """Returns the value that was passed to `serialize`."""
        return json.loads(zlib.decompress(value))
