"""Runs work with this checkout's code, and with an earlier commit's if one is given."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from local.template import ROOT

WORKER = ROOT / "benchmarks" / "processes" / "loading_worker.py"

IN_CHECKOUT = ROOT / "benchmarks" / "processes" / "in_checkout.py"

type Figures = dict[str, float]
"""Seconds by the clock and of the CPU, units and calls."""


def checkouts(ours: str = "loaded") -> dict[str, Path]:
    """Returns the checkout that `BEFORE` names, if any, and this one."""
    before = os.environ.get("BEFORE")
    return ({"before": Path(before)} if before else {}) | {ours: ROOT}


def done_in(checkout: Path, worker: str, run: object, url: str) -> dict[str, Any]:
    """Runs a worker with a checkout's code and with that engine; returns the worker's report."""
    environment = {
        **os.environ,
        "AWS_ENDPOINT_URL_DYNAMODB": url,
        "PYTHONPATH": f"{checkout / 'layers' / 'core'}:{checkout}",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
    }
    done = subprocess.run(
        [sys.executable, str(IN_CHECKOUT), worker, json.dumps(vars(run))],
        cwd=checkout,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measured_in(checkout: Path, load: str, count: int, milliseconds: float) -> dict[str, Figures]:
    """Returns the cost of each part of a load in a checkout, with a least duration of each call."""
    done = subprocess.run(
        [sys.executable, str(WORKER), load, str(count), str(milliseconds)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout / 'layers' / 'core'}:{checkout}"},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))
