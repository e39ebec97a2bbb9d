"""What is typed: arguments that can't be used are told with the reason, and nothing is sent."""

import json
import socket
from pathlib import Path

import httpx
import pytest
from answering import Service
from storepost_client.cli import calling
from storepost_client.cli.main import main, parser
from storepost_client.client import Storepost


@pytest.fixture(autouse=True)
def service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An address at which nothing answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STOREPOST_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("STOREPOST_KEY", "stp_secret")


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 2
    return capsys.readouterr().err


def test_missing_file_of_a_body_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "profiles", "upsert", "--body", "@nowhere.json") == (
        "--body: the file nowhere.json can't be read: No such file or directory\n"
    )


def test_body_that_is_no_text_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "body.json").write_bytes(b"\xff\xfe{}")
    assert refused(capsys, "profiles", "upsert", "--body", "@body.json") == (
        "--body: the file body.json can't be read: it isn't text in UTF-8\n"
    )


def test_body_that_is_no_json_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "profiles", "upsert", "--body", "{bad")
    assert message.startswith("--body is no JSON: Expecting property name")


@pytest.mark.parametrize(
    ("content", "why"),
    [("x", "can't be read: Expecting value"), ("{}", "isn't a file that a local run"),
     ("[]", "isn't a file that a local run")],
)  # fmt: skip
def test_broken_file_of_credentials_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str, why: str
) -> None:
    (tmp_path / "credentials.json").write_text(content)
    message = refused(capsys, "--credentials", "credentials.json", "me", "get")
    assert message.startswith(f"credentials.json {why}")


def test_port_in_use_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = refused(capsys, "listen", "--events", "*", "--port", str(port))
    assert message == f"--port {port} can't be used: Address already in use\n"


def test_port_out_of_range_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "listen", "--events", "*", "--port", "70000")
    assert message == "--port 70000 can't be used: it must be 0 to 65535\n"


def test_store_of_listen_must_be_an_id(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["listen", "--store", "mine"])
    assert "argument --store: invalid UUID value: 'mine'" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--sort", "-placedAt"], ["--sort=-placedAt"]])
def test_descending_order_is_no_option(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sorts = []

    def show(_client: Storepost, _operation: object, options: object) -> int:
        sorts.append(options.sort)  # type: ignore[attr-defined]
        return 0

    monkeypatch.setattr(calling, "run", show)
    assert main(["orders", "list", *words, "--page-size", "10"]) == 0
    assert sorts == ["-placedAt"]


def test_a_table_shows_control_characters_as_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    item = {"id": "1", "name": "Fern\n\x1b[2J\u202e"}
    page = {"items": [item], "total": 1, "page": 1, "pageSize": 25}
    options = parser().parse_args(["stores", "list"])
    with Service([httpx.Response(200, content=json.dumps(page))]).client() as client:
        assert calling.run(client, options.operation, options) == 0
    assert capsys.readouterr().out == "id  name\n1   Fern  [2J\n"
