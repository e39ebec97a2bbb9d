"""JSON that is large for a row: deflated, as a row's bytes are what its reads and writes cost."""

import json
import zlib
from typing import Any

from pynamodb.attributes import Attribute
from pynamodb.constants import BINARY


class Deflated(Attribute[Any]):
    """Any JSON, compact and deflated, as a binary."""

    attr_type = BINARY

    def serialize(self, value: object) -> bytes:
        """Compact JSON, deflated."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode())

    def deserialize(self, value: bytes) -> Any:  # noqa: ANN401 - whatever was written
        """What `serialize` wrote."""
        return json.loads(zlib.decompress(value))
