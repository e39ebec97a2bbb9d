"""KMS keys that outlive moto, which makes new ones in each run and can't import old ones."""

import os
from base64 import b64decode, b64encode
from dataclasses import dataclass
from uuid import uuid4

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.kms.models import kms_backends

_BYTES = 32


@dataclass(frozen=True)
class KeyMaterial:
    """A key: its id, which is part of every ciphertext that it made, and its 256 bits."""

    id: str
    secret: bytes

    @classmethod
    def new(cls) -> "KeyMaterial":
        """Returns a new random key."""
        return cls(str(uuid4()), os.urandom(_BYTES))

    @classmethod
    def of_json(cls, content: dict[str, str]) -> "KeyMaterial":
        """Returns the key that `as_json` wrote."""
        return cls(content["id"], b64decode(content["secret"]))

    def as_json(self) -> dict[str, str]:
        """Its id, and its secret in base64."""
        return {"id": self.id, "secret": b64encode(self.secret).decode()}


def replace(made: str, by: KeyMaterial) -> str:
    """Gives a key of moto's another id and secret; returns the new id."""
    keys = kms_backends[DEFAULT_ACCOUNT_ID][os.environ["AWS_REGION"]].keys
    key = keys.pop(made)
    key.arn = key.arn.replace(made, by.id)
    key.id, key.key_material = by.id, by.secret
    keys[by.id] = key
    return by.id
