"""The environment of functions in containers: a file for SAM CLI's `--env-vars` during a run."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.template import ROOT, environment

VARIABLES = ROOT / ".local" / "variables.json"
"""Where samconfig.toml has `sam local invoke` look for them."""
LOCAL_VARIABLES = (
    "STOREPOST_LOCAL",
    "FEED_ALLOW_HOSTS",
    "SHOPIFY_STAND_IN",
    "POWERTOOLS_LOG_LEVEL",
    "POWERTOOLS_METRICS_DISABLED",
)
"""Those of a local run, which in a deployed stack nothing names."""


def function_environment(endpoint: str, base_url: str) -> dict[str, dict[str, str]]:
    """What `--env-vars` names: this process's own variables, and where AWS and the pages are.

    The resources must have been made, which sets the variables that refer to them. Links in emails
    are given an address because SAM CLI calls every gateway `localhost`.
    """
    names = {**environment(), **dict.fromkeys(LOCAL_VARIABLES)}
    found = {name: os.environ.get(name, "") for name in names}
    pages = found["APP_URL"] or f"{base_url}/pages"
    return {"Parameters": {**found, "AWS_ENDPOINT_URL": endpoint, "APP_URL": pages}}


@contextmanager
def variables_at(path: Path, endpoint: str, base_url: str) -> Iterator[None]:
    """Keeps them in the file until the end of the block."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text(json.dumps(function_environment(endpoint, base_url), indent=1))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
