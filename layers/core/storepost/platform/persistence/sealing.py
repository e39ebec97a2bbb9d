"""Secrets at rest: those that must be read again, and codes too short for a plain hash.

They are sealed with AES-256-GCM under a data key from KMS, one for each container; the encrypted
data key is stored with the sealed text. `purpose` says what the secret is and `context` whose it
is; both are authenticated, so that a sealed text moved to another row or field can't be opened
there. One key in KMS makes the tags of codes and derives all other keys: what it signs begins with
the purpose too.
"""

import hashlib
import hmac
import json
import os
from base64 import b64decode, b64encode
from enum import StrEnum
from functools import cache
from typing import Any

from storepost.platform.persistence.clients import make_client
from storepost.values.settings import settings

FIRST_GENERATION = 1
_NONCE = 12


class Purpose(StrEnum):
    """All that is sealed, tagged or derived. What was made for one of them counts for no other."""

    OUTGOING_EMAIL = "outgoing email"
    INSTALL_STATE = "install state"
    SHOP_ACCESS_TOKEN = "shop access token"  # noqa: S105 - what it is, and none itself
    SHOP_REFRESH_TOKEN = "shop refresh token"  # noqa: S105
    WRITE_BACK_SECRET = "write-back secret"  # noqa: S105
    WEBHOOK_SECRET = "webhook secret"  # noqa: S105
    AUTHENTICATOR_SEED = "authenticator seed"
    EMAILED_CODE = "emailed code"
    BACKUP_CODE = "backup code"
    UNSUBSCRIBE_LINK = "unsubscribe link"
    OPT_IN_LINK = "opt-in link"
    OPT_IN_ADDRESS = "address that an opt-in email was sent to"
    ADDRESS_OF_EMAILS = "address that SES said something of"
    ERASED_ADDRESS = "erased address"
    SUPPRESSED_ADDRESS = "suppressed address"
    ERASED_EVIDENCE = "erased evidence"
    REQUEST_WITH_PASSWORD = "request with a password"  # noqa: S105
    ERASED_NAME = "words of an erased person's name"


def domain_bytes(purpose: str, *context: str) -> bytes:
    """Returns bytes that separate a purpose and a context from every other (domain separation)."""
    return json.dumps([purpose, *context], separators=(",", ":")).encode()


@cache
def _kms() -> Any:  # noqa: ANN401 - botocore's clients have no static type
    return make_client("kms")


@cache
def _own_data_key() -> tuple[bytes, bytes]:
    answer = _kms().generate_data_key(KeyId=settings().data_key_id, KeySpec="AES_256")
    return answer["Plaintext"], answer["CiphertextBlob"]


@cache
def _data_key(encrypted: bytes) -> bytes:
    return bytes(
        _kms().decrypt(CiphertextBlob=encrypted, KeyId=settings().data_key_id)["Plaintext"]
    )


def seal(secret: bytes, purpose: Purpose, context: str) -> str:
    """Returns the secret as text that only this service opens, for this purpose and context."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - rarely needed

    plain_key, encrypted_key = _own_data_key()
    nonce = os.urandom(_NONCE)
    ciphertext = AESGCM(plain_key).encrypt(nonce, secret, domain_bytes(purpose, context))
    return ".".join(b64encode(part).decode() for part in (encrypted_key, nonce, ciphertext))


def unseal(sealed: str, purpose: Purpose, context: str) -> bytes:
    """Returns the secret that was passed to `seal`.

    Raises InvalidTag if the text, its purpose or its context differs.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - rarely needed

    encrypted_key, nonce, ciphertext = (b64decode(part) for part in sealed.split("."))
    return AESGCM(_data_key(encrypted_key)).decrypt(
        nonce, ciphertext, domain_bytes(purpose, context)
    )


def code_mac(code: str, purpose: Purpose, context: str) -> str:
    """Returns the HMAC-SHA-256 of a short code, in hexadecimal; its key never leaves KMS."""
    return _mac(FIRST_GENERATION, "code", purpose, context, code)


def _mac(generation: int, use: str, *parts: str) -> str:
    mac = _kms().generate_mac(
        KeyId=settings().code_key_ids[generation],
        Message=domain_bytes(use, *parts),
        MacAlgorithm="HMAC_SHA_256",
    )["Mac"]
    return bytes(mac).hex()


def code_matches(code: str, purpose: Purpose, context: str, mac: str) -> bool:
    """Returns whether `mac` is the MAC of the code, compared in constant time."""
    return hmac.compare_digest(code_mac(code, purpose, context), mac)


@cache
def _root_key(use: str, purpose: Purpose, context: str, generation: int) -> bytes:
    return bytes.fromhex(_mac(generation, use, purpose, context))


@cache
def derived_key(purpose: Purpose, generation: int) -> bytes:
    """Returns 64 secret bytes, always the same for a purpose and generation.

    They are derived from the generation's key in KMS, so they aren't stored; a container asks KMS
    once.
    """
    from cryptography.hazmat.primitives.hashes import SHA512  # noqa: PLC0415 - rarely needed
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand  # noqa: PLC0415

    context = str(generation)
    expansion = HKDFExpand(algorithm=SHA512(), length=64, info=domain_bytes(purpose, context))
    return expansion.derive(_root_key("derived key", purpose, context, generation))


def keyed_hash(text: str, purpose: Purpose, context: str) -> str:
    """Returns the HMAC-SHA-256 of a text under a key of the purpose and context, in hexadecimal.

    KMS derives the key, once for each context and container; it isn't stored. It is always the
    first generation's: rows have these hashes in their keys.
    """
    return hmac.new(
        _root_key("hash key", purpose, context, FIRST_GENERATION), text.encode(), hashlib.sha256
    ).hexdigest()


def clear_key_cache() -> None:
    """Drops the container's cached keys, for tests that begin with new keys."""
    derived_key.cache_clear()
    _root_key.cache_clear()
    _own_data_key.cache_clear()
    _data_key.cache_clear()
