"""`make invoke`: what it needs, and how it finds the run that answers."""

import json
import socket
import tomllib
from pathlib import Path

import pytest

from local.console import CannotRun
from local.containers import engine, invoking
from local.containers.building import DIRECTORY, IMAGE
from local.containers.engine import Network
from local.containers.variables import VARIABLES, variables_at
from local.template import ROOT

EVENT = str(ROOT / "events/api/orders.json")
BRIDGE = Network("bridge", "172.17.0.1", "172.17.0.1")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a run would leave its variables."""
    path = tmp_path / "variables.json"
    monkeypatch.setattr(invoking, "VARIABLES", path)
    monkeypatch.setattr(engine, "default_network", lambda: BRIDGE)
    return path


class TestRequirements:
    @pytest.mark.parametrize(
        ("function", "event", "expected"),
        [
            ("Orders", EVENT, r"FUNCTION must be one of .*OrdersFunction"),
            ("OrdersFunction", "events/api/none.json", "EVENT must be a file"),
            ("OrdersFunction", "", "EVENT must be a file"),
        ],
    )
    def test_unknown_function_or_event_is_refused(
        self, file: Path, function: str, event: str, expected: str
    ) -> None:
        with pytest.raises(CannotRun, match=expected):
            invoking.check(function, event)

    def test_docker_missing_is_refused(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(engine, "default_network", lambda: None)
        with pytest.raises(CannotRun, match="needs Docker"):
            invoking.check("OrdersFunction", EVENT)

    def test_no_run_is_refused(self, file: Path) -> None:
        with pytest.raises(CannotRun, match="there is none"):
            invoking.check("OrdersFunction", EVENT)

    def test_killed_run_is_refused(self, file: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
        with (
            variables_at(file, f"http://127.0.0.1:{port}", "http://127.0.0.1:8000/v1"),
            pytest.raises(CannotRun, match="there is none"),
        ):
            invoking.check("OrdersFunction", EVENT)

    def test_running_service_is_accepted(self, file: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            endpoint = f"http://127.0.0.1:{listening.getsockname()[1]}"
            with variables_at(file, endpoint, "http://127.0.0.1:8000/v1"):
                invoking.check("OrdersFunction", EVENT)
                parameters = json.loads(file.read_text())["Parameters"]
                assert parameters["AWS_ENDPOINT_URL"] == endpoint
        assert not file.exists()


def test_sam_config_points_to_the_files_of_make_invoke() -> None:
    settings = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    by_default = settings["default"]["local_invoke"]["parameters"]
    assert ROOT / by_default["template"] == DIRECTORY / "build" / "template.yaml"
    assert ROOT / by_default["env_vars"] == VARIABLES
    assert by_default["invoke_image"] == [IMAGE]
    assert by_default["region"] == "eu-central-1"


class TestDefaultNetwork:
    @pytest.mark.parametrize(
        "config",
        ['{"Subnet": "172.17.0.0/16", "Gateway": "172.17.0.1"}', '{"Subnet": "172.17.0.0/16"}'],
    )
    def test_is_reached_at_the_gateway_address(
        self, config: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It listens where only this machine's containers reach it, and never on all interfaces."""
        monkeypatch.setattr("platform.system", lambda: "Linux")
        monkeypatch.setattr(engine, "_docker", lambda *_arguments, **_options: config)
        assert engine.default_network() == BRIDGE

    def test_is_none_without_docker(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        assert engine.default_network() is None
