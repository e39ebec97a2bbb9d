"""What can be wrong with an API key (docs/interface.md, section 4)."""

from storepost.accounts.api_keys.model import ACTIVE_KEYS
from storepost.values.problems import Conflict


class KeyLimit(Conflict):
    """The workspace has as many active keys as it may."""

    code = "key_limit"
    title = "Too many API keys"
    remedy = f"A workspace has {ACTIVE_KEYS} active keys at most; revoke one first."


class KeyRevoked(Conflict):
    """The API key was revoked, which can't be undone."""

    code = "key_revoked"
    title = "The key is revoked"
    remedy = "Create a new key."
