"""The engine, called by Docker's own command, and the message where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from local.console import CannotRun
from local.containers import engine
from tests.local.runs import environment

DOCKER = """#!/bin/sh
echo "$@" >> "$DOCKER_CALLS"
case "$1 $2" in
  "info ") exit "${DOCKER_INFO:-0}" ;;
  "network ls") echo bridge; cat "$DOCKER_NETWORKS" ;;
  "network inspect") echo 172.30.0.1 ;;
  "ps --all") echo first; echo second ;;
esac
"""

# Its lock is elsewhere: a developer's own run may hold that of this folder.
_RUN = """
import sys
from pathlib import Path
from local import alone
from local.containers.__main__ import main
alone.LOCK = Path(sys.argv[1])
sys.exit(main())
"""


class Docker:
    """A command in Docker's place."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Installs it."""
        self._calls = directory / "calls"
        self._networks = directory / "networks"
        self._networks.touch()
        command = directory / "docker"
        command.write_text(DOCKER)
        command.chmod(0o755)
        monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
        monkeypatch.setenv("DOCKER_CALLS", str(self._calls))
        monkeypatch.setenv("DOCKER_NETWORKS", str(self._networks))

    def has_network(self, name: str) -> None:
        """Leaves a network, as an earlier run would."""
        self._networks.write_text(f"{name}\n")

    @property
    def calls(self) -> list[str]:
        """The commands that it was called with."""
        return self._calls.read_text().splitlines()


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    """Docker, as far as these tests need it."""
    monkeypatch.setattr("platform.system", lambda: "Linux")
    return Docker(tmp_path, monkeypatch)


REMOVED = [
    "ps --all --quiet --filter network=storepost-8000",
    "rm --force first second",
    "network rm storepost-8000",
]


class TestNetwork:
    def test_network_gateway_is_this_machine(self, docker: Docker) -> None:
        network = engine.make_network("storepost-8000")
        assert network == engine.Network("storepost-8000", "172.30.0.1", "172.30.0.1")
        assert docker.calls == [
            "info",
            "network ls --format {{.Name}}",
            "network create storepost-8000",
            "network inspect storepost-8000 --format {{(index .IPAM.Config 0).Gateway}}",
        ]

    def test_docker_desktop_uses_a_host_name(
        self, docker: Docker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("platform.system", lambda: "Darwin")
        network = engine.make_network("storepost-8000")
        assert (network.bind, network.host) == ("127.0.0.1", "host.docker.internal")

    def test_network_of_an_earlier_run_is_removed_first(self, docker: Docker) -> None:
        docker.has_network("storepost-8000")
        engine.make_network("storepost-8000")
        assert docker.calls[2:5] == REMOVED
        assert docker.calls[5] == "network create storepost-8000"

    def test_network_of_another_port_is_not_removed(self, docker: Docker) -> None:
        docker.has_network("storepost-80001")
        engine.make_network("storepost-8000")
        assert not [call for call in docker.calls if "rm" in call.split()]

    def test_delete_removes_containers_and_network(self, docker: Docker) -> None:
        network = engine.make_network("storepost-8000")
        docker.has_network("storepost-8000")
        network.delete()
        assert docker.calls[5:] == REMOVED


class TestCannotRun:
    def test_docker_not_responding(self, docker: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DOCKER_INFO", "1")
        with pytest.raises(CannotRun, match="`docker info` gets no answer"):
            engine.make_network("storepost-8000")
        assert docker.calls == ["info"]

    def refused(self, tmp_path: Path, **overrides: str) -> str:
        """The message of `make sam-local` on a machine without Docker, when it ends at once."""
        ended = subprocess.run(
            [sys.executable, "-c", _RUN, str(tmp_path / "lock")],
            check=False,
            env=environment(PATH=str(tmp_path), PORT="0", **overrides),
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert ended.returncode == 2
        assert ended.stdout == ""
        (line,) = ended.stderr.splitlines()
        return line

    def test_docker_missing(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path) == (
            "make sam-local needs Docker, and `docker info` gets no answer. Start it, or use"
            " `make run`, which needs none."
        )

    def test_unsupported_store(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path, STORE="dynoxide") == (
            "make sam-local keeps its data in memory, in moto. Leave STORE out."
        )
