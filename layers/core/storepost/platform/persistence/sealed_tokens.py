"""Tokens that are valid for years and need no row: their content is sealed in them.

AES-SIV (RFC 5297) makes the same token from the same content and needs no nonce, so that no number
of tokens wears its key out. The first byte is the generation, which names the key in KMS: the
newest key seals, and removing a key invalidates all tokens that it has sealed. The workspace's id
is in the token in plain form, and is authenticated.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any
from uuid import UUID

from storepost.platform.persistence.sealing import Purpose, derived_key
from storepost.values.scope import WorkspaceScope
from storepost.values.settings import settings

_ID = 16


def seal_token(content: bytes, workspace: WorkspaceScope, purpose: Purpose) -> str:
    """Returns the content as a token that only this service opens, for the same purpose only.

    It consists of letters, digits, `-` and `_`: four for every three bytes of the content and of 33
    more.
    """
    generation = max(settings().code_key_ids)
    head = bytes([generation]) + workspace.id.bytes
    return _text(head + _cipher(generation, purpose).encrypt(content, [head]))


def open_token(token: str, purpose: Purpose) -> tuple[WorkspaceScope, bytes] | None:
    """Returns what was passed to `seal_token`; None for any other token, or a changed one."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - rarely needed

    raw = _bytes(token)
    head, box = raw[: 1 + _ID], raw[1 + _ID :]
    if len(head) <= _ID or head[0] not in settings().code_key_ids:
        return None
    try:
        content = _cipher(head[0], purpose).decrypt(box, [head])
    except InvalidTag:
        return None
    return WorkspaceScope(UUID(bytes=head[1:])), bytes(content)


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Returns the bytes of a text that `_text` wrote; none for any other text.

    Python's decoder ignores characters outside the alphabet, and the last letter's spare bits.
    """
    try:
        raw = urlsafe_b64decode(text.encode() + b"==")
    except ValueError:
        return b""
    return raw if _text(raw) == text else b""


def _cipher(generation: int, purpose: Purpose) -> Any:  # noqa: ANN401 - it is imported only here
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415

    return AESSIV(derived_key(purpose, generation))
