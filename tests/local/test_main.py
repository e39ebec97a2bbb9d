"""`python -m local`: its messages when it can't run, and that Ctrl-C ends it cleanly."""

import signal
import socket
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest

from tests.local.runs import Run, command, environment


def refused(**overrides: str) -> str:
    """The message when it ends at once."""
    with TemporaryDirectory() as folder:
        return refused_in(Path(folder), **overrides)


def refused_in(folder: Path, **overrides: str) -> str:
    """The same, with the files of the run in that folder."""
    ended = subprocess.run(
        command(folder / "credentials.json", folder / "credentials.lock"),
        check=False,
        env=environment(**overrides),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return line


def test_unknown_store_is_refused() -> None:
    assert refused(STORE="redis", PORT="0") == (
        "STORE must be dynoxide, or be left out to have everything in memory, not 'redis'."
    )


def test_unknown_demo_is_refused() -> None:
    assert refused(DEMO="huge", PORT="0") == "DEMO must be large, or be left out, not 'huge'."


@pytest.mark.parametrize("orders", ["none", "0", "1000001", "-5"])
def test_invalid_number_of_orders_is_refused(orders: str) -> None:
    message = refused(DEMO="large", ORDERS=orders, PORT="0")
    assert message == f"ORDERS must be a number from 1 to 1,000,000, not '{orders}'."


@pytest.mark.parametrize("port", ["http", "-1", "65536", "8000.5"])
def test_invalid_port_is_refused(port: str) -> None:
    assert refused(PORT=port) == f"PORT must be a number up to 65535, not '{port}'."


def test_port_in_use_is_reported_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        message = refused(PORT=str(port))
    assert message == (
        f"Port {port} can't be used (Address already in use)."
        f" Choose another one: make run PORT={port + 1}"
    )


@pytest.mark.parametrize("on_its_port", [True, False])
def test_second_run_of_a_folder_is_refused_and_leaves_the_first_its_credentials(
    tmp_path: Path, *, on_its_port: bool
) -> None:
    run = Run(tmp_path).soon_ready()
    credentials = run.credentials()
    port = str(urlsplit(credentials["baseUrl"]).port) if on_its_port else "0"
    assert refused_in(tmp_path, PORT=port) == (
        f"Another local run (process {run.process.pid}) uses this folder, and its credentials are"
        " in .local/credentials.json. Stop that one first, with Ctrl-C in its terminal, or start"
        " this one in another clone."
    )
    assert run.credentials() == credentials
    assert run.call("GET", "/me", credentials["sessions"]["owner"])["user"]
    run.end(signal.SIGKILL)
    assert Run(tmp_path).soon_ready().end().splitlines()[-1] == "Stopping ..."


def assert_a_shop_of_this_machine_may_be_called(run: Run) -> None:
    credentials = run.credentials()
    key, url = credentials["apiKeys"]["write"], "http://localhost:9/storepost"
    path = f"/stores/{credentials['storeId']}/write-back"
    assert run.call("PUT", path, key, {"url": url})["url"] == url
    made = run.call("POST", "/webhook-endpoints", key, {"url": url, "events": ["*"]})
    assert made["endpoint"]["url"] == url


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_starts_and_stops_cleanly_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    run = Run(tmp_path)
    run.soon_ready()
    assert_a_shop_of_this_machine_may_be_called(run)
    base_url = run.credentials()["baseUrl"]
    message = run.end(number)
    assert run.process.returncode == 0, message
    assert message.splitlines() == [
        "Starting AWS in this process ...",
        "Loading demo data through the API ...",
        "",
        "Stopping ...",
    ]
    assert f"Storepost runs at {base_url} " in run.shown
    assert not (tmp_path / "credentials.json").exists()


def test_large_demo_over_10000_orders_is_refused_in_memory() -> None:
    assert refused(DEMO="large", STORE="moto", PORT="0") == (
        "ORDERS may be 10,000 at most with STORE=moto, which has all in memory. Leave STORE out."
    )


def test_ctrl_c_stops_cleanly_while_the_large_demo_is_loading(tmp_path: Path) -> None:
    run = Run(tmp_path, "moto", variables={"DEMO": "large", "ORDERS": "1000"}).soon_ready()
    message = run.end()
    assert run.process.returncode == 0, message
    assert message.splitlines()[-2:] == ["", "Stopping ..."]
    assert "0 of 1,340 records of the large demo" in message.splitlines()
