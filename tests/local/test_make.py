"""`make` itself: where Python comes from, what a failed installation leaves, what is checked first.

It runs in a copy of what it reads, with nothing but fakes and a few plain tools on the PATH.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.template import ROOT

TOOLS = (
    "awk", "bash", "cat", "cp", "date", "dirname", "env", "grep", "make", "mkdir", "mktemp",
    "rm", "sh", "sleep", "touch", "uname",
)  # fmt: skip
READ = (".ci", ".python-version", "Makefile", "requirements-dev.txt")
ONE_LINE = "Storepost needs Python 3.13"
# `-c` answers its version; `-m venv FOLDER` makes what the real one makes, with a pip that is told
# by $PIP what to do.
PYTHON = """#!/bin/sh
case $1 in
  -c) case $2 in *_base_executable*) echo "$0" ;;
      *exit*) [ {version} = 3.13 ] || {{ echo "PYTHON names {version}" >&2; exit 1; }} ;;
      *) echo {version} ;; esac ;;
  -m) mkdir -p "$3/bin" && echo {name} > "$3/made-by" && cp "$FAKES/pip" "$3/bin/pip" ;;
esac
"""
PIP = """#!/bin/sh
case ${PIP:-works} in
  works) echo "$@" >> "$FAKES/installed" ;;
  fails) echo "no such host" >&2; exit 1 ;;
  hangs) touch "$FAKES/hangs"; sleep 60 ;;
esac
"""
UV = """#!/bin/sh
case "$2" in
  find) [ -f "$FAKES/brought" ] || exit 2; echo "$FAKES/python-of-uv" ;;
  install) {bring} ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """A folder with the project's Makefile, and a PATH that has fakes alone."""

    project: Path
    fakes: Path

    def has(self, name: str, text: str) -> None:
        """Installs a program there."""
        (self.fakes / name).write_text(text)
        (self.fakes / name).chmod(0o755)

    def has_python(self, name: str, version: str) -> None:
        """Installs a Python there."""
        self.has(name, PYTHON.format(name=name, version=version))

    def has_uv(self, *, brings: bool, found: bool = False) -> None:
        """Installs uv there, which may have a Python 3.13 already, or may install one."""
        self.has("uv", UV.format(bring='touch "$FAKES/brought"' if brings else "exit 1"))
        self.has_python("python-of-uv", "3.13")
        if found:
            (self.fakes / "brought").touch()

    def variables(self, overrides: Mapping[str, str]) -> dict[str, str]:
        """The environment variables of a program there."""
        return {"PATH": str(self.fakes), "FAKES": str(self.fakes), **overrides}

    def make(self, *targets: str, **overrides: str) -> subprocess.CompletedProcess[str]:
        """Runs make to its end."""
        return subprocess.run(
            ["make", *targets], cwd=self.project, env=self.variables(overrides),
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    @property
    def made_by(self) -> str | None:
        """Which Python made the virtual environment; None where it isn't finished."""
        venv = self.project / ".venv"
        return (venv / "made-by").read_text().strip() if (venv / "installed").exists() else None


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without Python."""
    project, fakes = tmp_path / "project", tmp_path / "fakes"
    project.mkdir()
    fakes.mkdir()
    for name in READ:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, project / name)
    for name in TOOLS:
        (fakes / name).symlink_to(str(shutil.which(name)))
    made = Machine(project, fakes)
    made.has("pip", PIP)
    return made


class TestPython:
    """Which Python the virtual environment is made with."""

    def test_python_on_the_path_is_used(self, machine: Machine) -> None:
        machine.has_python("python3", "3.12")
        machine.has_python("python3.13", "3.13")
        assert machine.make("install").returncode == 0
        assert machine.made_by == "python3.13"

    def test_broken_shim_is_skipped(self, machine: Machine) -> None:
        machine.has("python3.13", "#!/bin/sh\necho 'pyenv: not installed' >&2\nexit 127\n")
        machine.has_python("python3", "3.13")
        assert machine.make("install").returncode == 0
        assert machine.made_by == "python3"

    @pytest.mark.parametrize("other", ["3.12", "3.14"])
    def test_python_found_by_uv_is_used(self, machine: Machine, other: str) -> None:
        machine.has_python("python3", other)
        machine.has_uv(brings=False, found=True)
        assert machine.make("install").returncode == 0
        assert machine.made_by == "python-of-uv"

    def test_python_installed_by_uv_is_used(self, machine: Machine) -> None:
        machine.has_python("python3", "3.14")
        machine.has_uv(brings=True)
        ran = machine.make("install")
        assert ran.returncode == 0
        assert "uv brings it" in ran.stderr
        assert machine.made_by == "python-of-uv"

    @pytest.mark.parametrize("uv", [True, False])
    def test_missing_python_is_reported_in_one_line(self, machine: Machine, uv: bool) -> None:
        machine.has_python("python3", "3.14")
        if uv:
            machine.has_uv(brings=False)
        ran = machine.make("install")
        assert ran.returncode == 2
        lines = [line for line in ran.stderr.splitlines() if ONE_LINE in line]
        assert len(lines) == 1
        assert "uv" in lines[0]
        assert not (machine.project / ".venv").exists()

    def test_python_variable_must_name_the_right_version(self, machine: Machine) -> None:
        machine.has_python("own", "3.12")
        machine.has_python("python3.13", "3.13")
        ran = machine.make("install", f"PYTHON={machine.fakes / 'own'}")
        assert ran.returncode == 2
        assert "PYTHON names 3.12" in ran.stderr
        machine.has_python("own", "3.13")
        assert machine.make("install", f"PYTHON={machine.fakes / 'own'}").returncode == 0
        assert machine.made_by == "own"


class TestInstall:
    """What an installation that failed leaves behind."""

    def test_failed_installation_leaves_no_virtual_environment(self, machine: Machine) -> None:
        machine.has_python("python3.13", "3.13")
        ran = machine.make("install", PIP="fails")
        assert ran.returncode == 2
        assert "no such host" in ran.stderr
        assert not (machine.project / ".venv").exists()
        assert machine.make("install").returncode == 0
        assert machine.made_by == "python3.13"

    def test_killed_installation_is_repeated(self, machine: Machine) -> None:
        machine.has_python("python3.13", "3.13")
        running = subprocess.Popen(
            ["make", "install"], cwd=machine.project, env=machine.variables({"PIP": "hangs"}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + 30
        while not (machine.fakes / "hangs").exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        (machine.project / ".venv" / "half-made").touch()
        assert machine.made_by is None
        assert machine.make("install").returncode == 0
        assert machine.made_by == "python3.13"
        assert not (machine.project / ".venv" / "half-made").exists()

    def test_finished_installation_is_not_repeated(self, machine: Machine) -> None:
        machine.has_python("python3.13", "3.13")
        assert machine.make("install").returncode == 0
        assert machine.make("install", PIP="fails").returncode == 0
        assert machine.made_by == "python3.13"

    def test_requirements_are_installed_with_hashes(self, machine: Machine) -> None:
        machine.has_python("python3.13", "3.13")
        machine.make("install")
        (installed,) = (machine.fakes / "installed").read_text().splitlines()
        assert installed.endswith("--require-hashes -r requirements-dev.txt")


class TestCheck:
    """`make check`: the checks that fail soonest run first."""

    ORDER = (
        *("ruff format", "ruff check", "lint-imports", "python -m openapi.compatibility"),
        *("sam", "cfn-lint", "mypy", "python"),
    )

    def check(self, machine: Machine, failing: str, *options: str) -> tuple[list[str], str]:
        """The commands that ran, in order, if one of them fails; and the output."""
        venv = machine.project / ".venv"
        (venv / "bin").mkdir(parents=True)
        (venv / "installed").touch()
        for name in {step.split()[0] for step in self.ORDER}:
            tool = venv / "bin" / name
            tool.write_text(
                '#!/bin/sh\necho "${0##*/} $@" >> "$FAKES/ran"\n'
                'case "${0##*/} $@" in "$FAILING"*) exit 1 ;; esac\n'
            )
            tool.chmod(0o755)
        ran = machine.make("check", *options, FAILING=failing)
        assert (ran.returncode == 0) is (failing == "nothing")
        return (machine.fakes / "ran").read_text().splitlines(), ran.stdout

    @pytest.mark.parametrize("options", [[], ["-j4"]])
    def test_runs_from_formatter_to_fuzzing(self, machine: Machine, options: list[str]) -> None:
        ran, shown = self.check(machine, "nothing", *options)
        assert len(ran) == len(self.ORDER)
        assert all(line.startswith(step) for line, step in zip(ran, self.ORDER, strict=True))
        assert ran[-1] == "python -m tests.fuzzing"
        assert "fuzz: generated requests, a minute ..." in shown
        assert shown.count(" took ") == len(self.ORDER)

    @pytest.mark.parametrize("step", ORDER[:2])
    def test_formatter_or_linter_failure_stops_before_other_checks(
        self, machine: Machine, step: str
    ) -> None:
        ran, shown = self.check(machine, step)
        assert ran[-1].startswith(step)
        assert len(ran) <= 2
        assert "fuzz" not in shown
