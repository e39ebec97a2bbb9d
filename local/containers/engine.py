"""The container engine: a network for one run's containers, where they reach this machine.

Whatever is on the network is the run's own, so that it can end all of it, whoever started it.
"""

import json
import platform
import subprocess
import time
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from local.console import CannotRun

# Docker Desktop's own name for the machine that it runs on; elsewhere the network's gateway is it.
DESKTOP_HOST = "host.docker.internal"
_CONFIG = "{{json (index .IPAM.Config 0)}}"
_LOOK_SECONDS = 3
_DELETE_TRIES = 10
_GATEWAY = "{{(index .IPAM.Config 0).Gateway}}"


@dataclass(frozen=True)
class Network:
    """A network, and by which address of this machine its containers reach it."""

    name: str
    bind: str
    """The address to listen at."""
    host: str
    """The name or address that containers call."""

    def delete_containers(self) -> None:
        """Ends what is on it, at once and without asking."""
        _delete_containers(self.name)

    def delete(self) -> None:
        """Removes it with everything on it."""
        _delete(self.name)


def make_network(name: str) -> Network:
    """A new network; one of this name that an earlier run left behind goes first.

    Raises CannotRun where no engine answers.
    """
    _check_engine()
    _delete(name)
    _docker("network", "create", name)
    if platform.system() != "Linux":
        return Network(name, "127.0.0.1", DESKTOP_HOST)
    gateway = _docker("network", "inspect", name, "--format", _GATEWAY)
    return Network(name, gateway, gateway)


def default_network() -> Network | None:
    """The engine's own network, where containers are that nobody named one for; None without it."""
    try:
        found = _docker("network", "inspect", "bridge", "--format", _CONFIG, seconds=_LOOK_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    if platform.system() != "Linux":
        return Network("bridge", "127.0.0.1", DESKTOP_HOST)
    config = json.loads(found)
    # Some engines leave the gateway out; it is then the first of the network's addresses.
    gateway = config.get("Gateway") or str(ip_network(config["Subnet"])[1])
    return Network("bridge", gateway, gateway)


def build_image(name: str, dockerfile: str, directory: Path) -> None:
    """Builds an image of what is in the directory; what has not changed is taken as it was."""
    _docker("build", "--quiet", "--tag", name, "--file", "-", str(directory), stdin=dockerfile)


def _check_engine() -> None:
    try:
        _docker("info")
    except (FileNotFoundError, subprocess.CalledProcessError):
        raise CannotRun(
            "make sam-local needs Docker, and `docker info` gets no answer. Start it, or use"
            " `make run`, which needs none."
        ) from None


def _delete(network: str) -> None:
    """Removes a network; the engine keeps it while a container that SAM CLI removes is going."""
    if network not in _docker("network", "ls", "--format", "{{.Name}}").splitlines():
        return
    for tries_left in reversed(range(_DELETE_TRIES)):
        _delete_containers(network)
        try:
            _docker("network", "rm", network)
        except subprocess.CalledProcessError:
            if not tries_left:
                raise
            time.sleep(1)
        else:
            return


def _delete_containers(network: str) -> None:
    found = _docker("ps", "--all", "--quiet", "--filter", f"network={network}").split()
    if found:
        # Not checked: SAM CLI may have removed one meanwhile. What is left keeps the network.
        _docker("rm", "--force", *found, check=False)


def _docker(
    *arguments: str, stdin: str = "", check: bool = True, seconds: float | None = None
) -> str:
    done = subprocess.run(
        ["docker", *arguments],
        check=check,
        capture_output=True,
        text=True,
        input=stdin,
        timeout=seconds,
    )
    return done.stdout.strip()
