"""The service that the command line calls, and the caller whose token it uses."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOCAL_CREDENTIALS = Path(".local") / "credentials.json"
"""The file that a local run of the service writes in its folder."""
_NAMES = {"baseUrl", "apiKeys", "sessions", "storeId"}


class SettingsError(Exception):
    """The service's address or a token can't be found; the message says how to set it."""


class ArgumentError(Exception):
    """An argument can't be used as it is; the message says why."""


@dataclass(frozen=True)
class Settings:
    """An address, and a command's default token and store."""

    base_url: str
    token: str | None
    store_id: str | None


def settings_of(credentials: str | None, caller: str) -> Settings:
    """Returns the environment's settings, or else those of a file that a local run writes.

    `caller` selects a token of the file: a key's scope, or a person's role.
    """
    base_url = os.environ.get("STOREPOST_URL")
    if base_url and not credentials:
        token = os.environ.get("STOREPOST_KEY")
        return Settings(base_url.rstrip("/"), token, _store_of(token))
    local_run = _read(Path(credentials) if credentials else LOCAL_CREDENTIALS)
    tokens = {**local_run["sessions"], **local_run["apiKeys"]}
    if caller not in tokens:
        raise SettingsError(f"--as must be one of {', '.join(sorted(tokens))}, not {caller!r}.")
    return Settings(local_run["baseUrl"], tokens[caller], local_run["storeId"])


def _store_of(token: str | None) -> str | None:
    """Returns the store of the local run whose key the token is; None for any other token."""
    if not LOCAL_CREDENTIALS.exists():
        return None
    local_run = _read(LOCAL_CREDENTIALS)
    return local_run["storeId"] if token in local_run["apiKeys"].values() else None


def _read(file: Path) -> dict[str, Any]:
    try:
        credentials = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise SettingsError(
            f"There is no {file}. Set STOREPOST_URL and STOREPOST_KEY, or run this in the"
            " folder of a local run (`make run`), or name its file with --credentials."
        ) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} can't be read: {error}") from None
    if not isinstance(credentials, dict) or not credentials.keys() >= _NAMES:
        raise SettingsError(f"{file} isn't a file that a local run (`make run`) wrote.")
    return credentials
