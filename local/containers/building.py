"""What SAM CLI is given: the template made local and built, an image, and the environment.

SAM CLI hands a function only variables that the template declares for it. Those of a local run are
declared in a copy: in a deployed stack nothing names them.
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
"""The runtime with the layers in it."""
LEAST_SECONDS = 60
"""A function's timeout here: its first call imports everything, on a machine that may be busy.
Lambda gives time of its own for that."""
_ARCHITECTURES = {"arm64": "arm64", "aarch64": "arm64"}


def architecture() -> str:
    """This machine's, by Lambda's name."""
    return _ARCHITECTURES.get(platform.machine().lower(), "x86_64")


def local_template() -> dict[str, Any]:
    """The template for this machine, with the local run's variables declared.

    The layers are built and no function has them: they are in the image.
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
    """How the image is made of the built layers.

    SAM CLI itself would send them to the engine anew for each function. Compiled, they save each
    container's first call a second of work.
    """
    runtime = globals_()["Runtime"]
    image = Runtime.get_image_name_tag(runtime, architecture())
    lines = [f"FROM {LambdaImage._INVOKE_REPO_PREFIX}/{image}"]
    for layer in globals_()["Layers"]:
        lines += [f"COPY {layer['Ref']}/ /opt/", f"RUN {runtime} -m compileall -q /opt/python"]
    return "\n".join(lines) + "\n"


def build() -> Path:
    """Builds what has changed since the last time, and the image; the built template.

    Raises CannotRun, after what was said, where something can't be built.
    """
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    source = DIRECTORY / "template.json"
    source.write_text(json.dumps(local_template(), indent=1))
    # A directory of its own: `sam deploy` takes what is in SAM CLI's usual one.
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
        # A terminal's Ctrl-C is for the run alone, which stops in its own order.
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
    """A command of the SAM CLI that is installed with this Python."""
    return [sys.executable, "-m", "samcli", *command]


def sam_environment() -> dict[str, str]:
    """The environment of SAM CLI, which passes the credentials that it finds on to functions."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {
        **environment,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        # The build looks for the runtime's own Python by its name.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "SAM_CLI_TELEMETRY": "0",
    }
