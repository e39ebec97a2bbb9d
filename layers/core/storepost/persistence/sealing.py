"""Secrets at rest: what must be read again, and codes too short for a plain hash.

Sealed with AES-256-GCM under a data key from KMS that is kept per container; the encrypted data key
travels with the sealed text. `context` says what the secret is and whose, and is authenticated, so
that a sealed text moved to another row can't be opened there.
"""

import hashlib
import hmac
import os
from base64 import b64decode, b64encode
from functools import cache
from typing import Any

from storepost.settings import settings

_NONCE = 12


@cache
def _kms() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    import boto3  # noqa: PLC0415 - 27 ms, and most requests have no secret

    return boto3.client("kms")


@cache
def _own_data_key() -> tuple[bytes, bytes]:
    answer = _kms().generate_data_key(KeyId=settings().data_key_id, KeySpec="AES_256")
    return answer["Plaintext"], answer["CiphertextBlob"]


@cache
def _data_key(encrypted: bytes) -> bytes:
    return bytes(
        _kms().decrypt(CiphertextBlob=encrypted, KeyId=settings().data_key_id)["Plaintext"]
    )


def seal(secret: bytes, context: str) -> str:
    """The secret as text that only this service opens, and only for the same `context`."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - rarely needed

    plain_key, encrypted_key = _own_data_key()
    nonce = os.urandom(_NONCE)
    box = AESGCM(plain_key).encrypt(nonce, secret, context.encode())
    return ".".join(b64encode(part).decode() for part in (encrypted_key, nonce, box))


def unseal(sealed: str, context: str) -> bytes:
    """What `seal` was given; raises where the text or its context is another."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - rarely needed

    encrypted_key, nonce, box = (b64decode(part) for part in sealed.split("."))
    return AESGCM(_data_key(encrypted_key)).decrypt(nonce, box, context.encode())


def code_mac(code: str, context: str) -> str:
    """HMAC-SHA-256 of a short code under a key that never leaves KMS, in hexadecimal."""
    mac = _kms().generate_mac(
        KeyId=settings().code_key_id,
        Message=f"{context}\x1f{code}".encode(),
        MacAlgorithm="HMAC_SHA_256",
    )["Mac"]
    return bytes(mac).hex()


def code_matches(code: str, context: str, mac: str) -> bool:
    """Whether `mac` is that of the code, compared in constant time."""
    return hmac.compare_digest(code_mac(code, context), mac)


@cache
def _root_key(purpose: str) -> bytes:
    return bytes.fromhex(code_mac(purpose, "derived key"))


@cache
def derived_key(purpose: str) -> bytes:
    """64 bytes that are this service's alone and always the same for a purpose.

    They follow from the key behind `code_mac`, so they are kept nowhere; a container asks KMS once.
    """
    from cryptography.hazmat.primitives.hashes import SHA512  # noqa: PLC0415 - rarely needed
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand  # noqa: PLC0415

    expansion = HKDFExpand(algorithm=SHA512(), length=64, info=purpose.encode())
    return expansion.derive(_root_key(purpose))


def keyed_hash(text: str, context: str) -> str:
    """HMAC-SHA-256 of a text under the context's own key, in hexadecimal.

    The key is derived by KMS, once a context and container, and stands nowhere.
    """
    return hmac.new(_root_key(context), text.encode(), hashlib.sha256).hexdigest()


def forget_keys() -> None:
    """Drops what the container keeps, for tests that begin with new keys."""
    derived_key.cache_clear()
    _root_key.cache_clear()
    _kms.cache_clear()
    _own_data_key.cache_clear()
    _data_key.cache_clear()
