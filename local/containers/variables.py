"""The environment of functions in containers, in a file for SAM CLI's `--env-vars`."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.template import ROOT, environment

VARIABLES = ROOT / ".local" / "variables.json"
"""The file that samconfig.toml names for `sam local invoke`."""
LOCAL_VARIABLES = (
    "STOREPOST_LOCAL",
    "FEED_ALLOW_HOSTS",
    "SHOPIFY_STAND_IN",
    "POWERTOOLS_LOG_LEVEL",
    "POWERTOOLS_METRICS_DISABLED",
)
"""The variables of a local run, which a deployed stack doesn't have."""


def function_environment(endpoint: str, base_url: str) -> dict[str, dict[str, str]]:
    """Returns the `--env-vars` content: this process's variables, and AWS's and the pages' URLs.

    The resources must exist, as creating them sets the variables that refer to them. `APP_URL`, the
    base of emailed links, is set because SAM CLI names every gateway `localhost`.
    """
    names = {**environment(), **dict.fromkeys(LOCAL_VARIABLES)}
    found = {name: os.environ.get(name, "") for name in names}
    pages = found["APP_URL"] or f"{base_url}/pages"
    return {"Parameters": {**found, "AWS_ENDPOINT_URL": endpoint, "APP_URL": pages}}


@contextmanager
def variables_at(path: Path, endpoint: str, base_url: str) -> Iterator[None]:
    """Writes them to the file, which is deleted at the end of the block."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(json.dumps(function_environment(endpoint, base_url), indent=1))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
