"""`make test-client`: a client made from `/openapi.json` makes the README's first calls.

Ends with 1 where something is wrong, and with 3 where the generator can't be had.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.local.runs import Run

GENERATOR = ["openapi-python-client==0.29.1", "ruff"]
CALLS = Path(__file__).parent / "calls.py"
_CAN_NOT_BE_HAD = 3


def main() -> int:
    """Generates, calls and says what happened."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        had = _run(programs / "pip", "install", "--quiet", *GENERATOR)
        if had.returncode:
            print(f"The generator can't be had:\n{had.stderr}")
            return _CAN_NOT_BE_HAD
        run = Run(folder).soon_ready()
        try:
            return _generate_and_call(run, folder, programs)
        finally:
            run.end()


def _generate_and_call(run: Run, folder: Path, programs: Path) -> int:
    told = run.credentials()
    client = folder / "client"
    url = f"{told['baseUrl']}/openapi.json"
    made = _run(
        programs / "openapi-python-client", "generate", "--url", url, "--output-path", client,
        path=programs,
    )  # fmt: skip
    said = made.stdout + made.stderr
    if made.returncode or "warning" in said.lower() or "error" in said.lower():
        print(f"The generator complains:\n{said}")
        return 1
    called = _run(
        programs / "python", CALLS, told["baseUrl"], told["apiKeys"]["read"],
        told["apiKeys"]["write"], told["storeId"], paths=client,
    )  # fmt: skip
    print(called.stdout + called.stderr)
    return called.returncode


def _run(
    *command: str | Path, path: Path | None = None, paths: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A program with nothing of ours in its environment; `paths` is where it finds packages."""
    environment = {"PATH": f"{path or ''}:/usr/bin:/bin", "PYTHONPATH": str(paths or "")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
