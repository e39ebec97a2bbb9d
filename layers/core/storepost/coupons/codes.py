"""Makes the texts of codes, compares and checks them."""

import hmac
import re
import secrets
from uuid import UUID

from storepost.values.ids import derived_id
from storepost.values.spreadsheets import is_rounded

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without O and 0, I and 1, which people mistake for each other."""

CODE_LENGTH = 10
"""50 bits: of a million codes, a guess hits one in a billion."""

MAX_CHARACTERS = 255
_WHITE_SPACE = re.compile(r"\s")


def new_seed() -> str:
    """Returns a secret from which a pool's codes are derived: a repeated run makes the same."""
    return secrets.token_urlsafe(32)


def seeded_code(prefix: str | None, seed: str, number: int) -> str:
    """Returns the code of that number, which nobody can guess without the seed."""
    drawn = hmac.digest(seed.encode(), number.to_bytes(8), "sha256")
    bits = int.from_bytes(drawn[:8])
    letters = (ALPHABET[(bits >> 5 * place) % len(ALPHABET)] for place in range(CODE_LENGTH))
    return (prefix or "") + "".join(letters)


def made_code(prefix: str | None) -> str:
    """Returns a new code that nobody can guess."""
    return (prefix or "") + "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def folded(text: str) -> str:
    """Returns the code in the form for comparison: case doesn't count."""
    return text.casefold()


def code_id(store_id: UUID, text: str) -> UUID:
    """Returns the id of a store's code, derived from the text, so that it is unique."""
    return derived_id(store_id, "coupon_code", folded(text))


def fault_of(text: str) -> str | None:
    """Returns why the text is no code, or None."""
    if not text:
        return "It is blank."
    if _WHITE_SPACE.search(text):
        return "It has white space."
    if is_rounded(text):
        return "A spreadsheet rounded it: format its column as text, and export the file again."
    if len(text) > MAX_CHARACTERS:
        return f"It has more than {MAX_CHARACTERS} characters."
    return None
