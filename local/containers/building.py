"""Builds SAM CLI's inputs: a local copy of the template, an image, and the environment.

SAM CLI passes a function only the variables that the template declares for it. A copy of the
template declares those of a local run, as a deployed stack must not have them.
"""

import json
import os
import platform
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

from samcli.local.docker.lambda_image import LambdaImage, Runtime

from local.aws import REGION
from local.console import CannotRun, say
from local.containers.engine import build_image
from local.containers.variables import LOCAL_VARIABLES
from local.template import FUNCTION, ROOT, globals_, template

DIRECTORY = ROOT / ".aws-sam" / "containers"
IMAGE = "storepost-functions"
"""The image of the runtime that contains the layers."""
LEAST_SECONDS = 60
"""The least timeout of a function here: its first call imports everything, on a machine that may be
busy. Lambda has a separate time limit for that."""
_ARCHITECTURES = {"arm64": "arm64", "aarch64": "arm64"}


def architecture() -> str:
    """Returns Lambda's name of this machine's architecture."""
    return _ARCHITECTURES.get(platform.machine().lower(), "x86_64")


def local_template() -> dict[str, Any]:
    """Returns the template for this machine, with the local run's variables declared.

    It builds the layers but attaches them to no function: the image contains them.
    """
    made = deepcopy(template())
    made["Parameters"]["Architecture"]["Default"] = architecture()
    shared = made["Globals"]["Function"]
    del shared["Layers"]
    shared["Environment"]["Variables"] |= dict.fromkeys(LOCAL_VARIABLES, "")
    functions = [r["Properties"] for r in made["Resources"].values() if r["Type"] == FUNCTION]
    for properties in (shared, *functions):
        if "Timeout" in properties:
            properties["Timeout"] = max(properties["Timeout"], LEAST_SECONDS)
    return made


def dockerfile() -> str:
    """Returns the Dockerfile of the image with the built layers.

    SAM CLI itself would send the layers to the engine anew for each function. Compiling them saves
    a second of each container's first call.
    """
    runtime = globals_()["Runtime"]
    image = Runtime.get_image_name_tag(runtime, architecture())
    lines = [f"FROM {LambdaImage._INVOKE_REPO_PREFIX}/{image}"]
    for layer in globals_()["Layers"]:
        lines += [f"COPY {layer['Ref']}/ /opt/", f"RUN {runtime} -m compileall -q /opt/python"]
    return "\n".join(lines) + "\n"


def build() -> Path:
    """Builds what has changed since the last time, and the image; returns the built template.

    Raises CannotRun, after the build's own output, if something can't be built.
    """
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    source = DIRECTORY / "template.json"
    source.write_text(json.dumps(local_template(), indent=1))
    # A directory of its own: `sam deploy` would deploy the content of SAM CLI's usual one.
    built = subprocess.run(
        [
            *sam("build"),
            *("--template", str(source), "--base-dir", str(ROOT)),
            *("--build-dir", str(DIRECTORY / "build"), "--cache-dir", str(DIRECTORY / "cache")),
            *("--cached", "--parallel"),
        ],
        check=False,
        env=sam_environment(),
        capture_output=True,
        text=True,
        # A terminal's Ctrl-C must reach only the run, which stops its processes in order.
        start_new_session=True,
    )
    if built.returncode:
        say(built.stdout + built.stderr)
        raise CannotRun("`sam build` failed; above is what it said.")
    try:
        build_image(IMAGE, dockerfile(), DIRECTORY / "build")
    except subprocess.CalledProcessError as failed:
        say(failed.stderr)
        raise CannotRun("`docker build` failed; above is what it said.") from None
    return DIRECTORY / "build" / "template.yaml"


def sam(*command: str) -> list[str]:
    """Returns a command line of the SAM CLI that is installed with this Python."""
    return [sys.executable, "-m", "samcli", *command]


def sam_environment() -> dict[str, str]:
    """Returns the environment of SAM CLI, which passes the credentials in it on to functions."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **environment,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        # The build looks up the runtime's Python by name in the path.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "SAM_CLI_TELEMETRY": "0",
    }
