"""The service that the command line calls, and the caller whose token it uses."""

import json
from pathlib import Path

import pytest
from storepost_client.cli.settings import Settings, SettingsError, settings_of

URL = "http://127.0.0.1:8000/v1"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, in which a local run wrote its credentials."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STOREPOST_URL", raising=False)
    monkeypatch.delenv("STOREPOST_KEY", raising=False)
    write(tmp_path / ".local" / "credentials.json")
    return tmp_path


def write(file: Path) -> None:
    """Writes a local run's credentials."""
    keys = {"read": "r", "propose": "p", "write": "w"}
    credentials = {"baseUrl": URL, "apiKeys": keys, "sessions": {"owner": "o"}, "storeId": "s"}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(credentials))


@pytest.mark.parametrize(("caller", "token"), [("write", "w"), ("read", "r"), ("owner", "o")])
def test_a_local_run_of_this_folder(caller: str, token: str) -> None:
    assert settings_of(None, caller) == Settings(URL, token, "s")


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOREPOST_URL", "https://api.example.com/v1/")
    assert settings_of(None, "write") == Settings("https://api.example.com/v1", None, None)
    monkeypatch.setenv("STOREPOST_KEY", "mine")
    assert settings_of(None, "write").token == "mine"


@pytest.mark.parametrize(("key", "store"), [("w", "s"), ("mine", None)])
def test_a_key_of_the_local_run_in_the_environment_has_its_store(
    key: str, store: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOREPOST_URL", URL)
    monkeypatch.setenv("STOREPOST_KEY", key)
    assert settings_of(None, "write") == Settings(URL, key, store)
    (folder / ".local" / "credentials.json").unlink()
    assert settings_of(None, "write") == Settings(URL, key, None)


def test_a_named_file_comes_before_both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOREPOST_URL", "https://api.example.com/v1")
    write(folder / "other.json")
    assert settings_of("other.json", "write") == Settings(URL, "w", "s")


def test_what_is_missing_is_told_with_what_helps(folder: Path) -> None:
    with pytest.raises(SettingsError, match="--as must be one of owner, propose, read, write"):
        settings_of(None, "admin")
    (folder / ".local" / "credentials.json").unlink()
    with pytest.raises(SettingsError, match="Set STOREPOST_URL and STOREPOST_KEY"):
        settings_of(None, "write")
