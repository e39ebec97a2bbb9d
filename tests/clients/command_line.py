"""The command line at a running service: answers, pages, problems, and who calls."""

import json
import subprocess
from pathlib import Path
from typing import Any


class Shell:
    """`storepost` with the credentials of a local run."""

    def __init__(self, command: Path, credentials: Path) -> None:
        """Both as files."""
        self.command: list[str | Path] = [command, "--credentials", credentials]
        self.credentials: dict[str, Any] = json.loads(credentials.read_text())

    def __call__(self, *words: str, typed: str = "", status: int = 0) -> Any:
        """What it prints: JSON where it is some."""
        done = subprocess.run(
            [*self.command, *words], input=typed, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        output = done.stderr if status else done.stdout
        return json.loads(output) if output.startswith("{") else output


def check(command: Path, credentials: Path) -> None:
    """Raises AssertionError where a command does something else than it says."""
    storepost = Shell(command, credentials)
    store = storepost.credentials["storeId"]
    _lists(storepost, store)
    _writes(storepost, credentials.parent)
    _problems(storepost)
    before = storepost("stores", "get-write-back", store)["url"]
    assert before.endswith("/_local/store/write-backs"), before


def _lists(storepost: Shell, store: str) -> None:
    page = storepost("orders", "list", "--store", store, "--page-size", "10", "--json")
    assert (page["total"], len(page["items"])) == (30, 10), page
    text = storepost("orders", "list", "--store", store, "--page-size", "10", "--all")
    heading, *rows = text.splitlines()
    assert heading.split()[:2] == ["id", "storeId"], heading
    assert len(rows) == 30, text
    lines = subprocess.run(
        [*storepost.command, "orders", "list", "--store", store, "--all", "--json"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    ids = [json.loads(line)["id"] for line in lines]
    assert len(set(ids)) == 30, ids
    order = storepost("orders", "get", ids[0])
    assert order["id"] == ids[0], order
    found = storepost("orders", "list", "--financial-status", "refunded,voided", "--json")
    states = {each["financialStatus"] for each in found["items"]}
    assert states == {"refunded", "voided"}, states


def _writes(storepost: Shell, folder: Path) -> None:
    ways = [("--body", '{"email": "a@example.com"}'), ("--body", "-")]
    file = folder / "body.json"
    file.write_text('{"email": "a@example.com"}')
    ways.append(("--body", f"@{file}"))
    ids = {storepost("profiles", "upsert", *way, typed=ways[0][1])["id"] for way in ways}
    file.unlink()
    assert len(ids) == 1, ids
    (made,) = ids
    key = ("--idempotency-key", "once")
    first, again = (
        storepost("events", "create", *key, "--body", f'{{"profile": {{"id": "{made}"}},'
                  ' "name": "looked", "properties": {}}') for _ in range(2)
    )  # fmt: skip
    assert first == again, (first, again)


def _problems(storepost: Shell) -> None:
    output = storepost("--as", "read", "profiles", "upsert", "--body", "{}", status=1)
    assert output.startswith("403 scope: "), output
    output = storepost("orders", "list", "--page-size", "11", status=1)
    assert "\n  query.pageSize: " in output, output
    assert "\n  request-id: " in output, output
    output = storepost("--as", "nobody", "orders", "list", status=2)
    assert output.startswith("--as must be one of admin, member, owner, propose, read, write"), (
        output
    )
    assert storepost("--as", "owner", "me", "get")["user"]["email"] == "olive@example.com"
