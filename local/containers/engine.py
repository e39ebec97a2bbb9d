"""The container engine: a network for one run's containers, on which they reach this machine.

All containers on the network belong to the run, so that it can remove them all, even those that SAM
CLI started.
"""

import json
import platform
import subprocess
import time
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from local.console import CannotRun

# Docker Desktop's name for the host machine; other engines use the network's gateway.
DESKTOP_HOST = "host.docker.internal"
_CONFIG = "{{json (index .IPAM.Config 0)}}"
_LOOK_SECONDS = 3
_DELETE_TRIES = 10
_GATEWAY = "{{(index .IPAM.Config 0).Gateway}}"


@dataclass(frozen=True)
class Network:
    """A network, and the address at which its containers reach this machine."""

    name: str
    bind: str
    """The address to listen at."""
    host: str
    """The name or address that containers call."""

    def delete_containers(self) -> None:
        """Removes its containers at once, by force."""
        _delete_containers(self.name)

    def delete(self) -> None:
        """Removes it with its containers."""
        _delete(self.name)


def make_network(name: str) -> Network:
    """Makes a network, after removing one of this name that an earlier run left behind.

    Raises CannotRun if no engine answers.
    """
    _check_engine()
    _delete(name)
    _docker("network", "create", name)
    if platform.system() != "Linux":
        return Network(name, "127.0.0.1", DESKTOP_HOST)
    gateway = _docker("network", "inspect", name, "--format", _GATEWAY)
    return Network(name, gateway, gateway)


def default_network() -> Network | None:
    """Returns the engine's default network for containers; None if there is no engine."""
    try:
        found = _docker("network", "inspect", "bridge", "--format", _CONFIG, seconds=_LOOK_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    if platform.system() != "Linux":
        return Network("bridge", "127.0.0.1", DESKTOP_HOST)
    config = json.loads(found)
    # Some engines omit the gateway; it is then the network's first address.
    gateway = config.get("Gateway") or str(ip_network(config["Subnet"])[1])
    return Network("bridge", gateway, gateway)


def build_image(name: str, dockerfile: str, directory: Path) -> None:
    """Builds an image from the directory; unchanged layers are reused."""
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
    """Removes a network; retries, as the engine refuses while SAM CLI still removes a container."""
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
        # Errors are ignored: SAM CLI may have removed one meanwhile. If a container is left, the
        # network can't be removed, which is then retried.
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
