"""`make test-commands`: types the commands of the documents that a machine without AWS can run.

They are typed in a clone of what is committed, as the guide's are (`tests/clients/guide.py`). Ends
with 1 where one doesn't do what its page says.
"""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from local.template import ROOT
from tests.clients.terminals import Terminal
from tests.commands.plan import Typed, typed
from tests.docs.commands import PLACEHOLDER, commands

_EMAIL = "reader@kolo-shop.com"
_FILLED = {
    "<your name>": "Ada Reader",
    "<your email>": _EMAIL,
    "<12 characters or more>": "twelve characters or more",
    "<your shop>": "Kolo",
}
_ARN = "arn:aws:service:eu-central-1:123456789012:sample"
_NOBODY = "http://127.0.0.1:9"
"""Nobody listens there: what the AWS CLI sends there was taken by it before."""


class Reader:
    """A reader with a clone, this virtual environment, and a free port."""

    def __init__(self, folder: Path) -> None:
        """`folder` is empty."""
        self.clone = folder / "storepost"
        subprocess.run(["git", "clone", "--quiet", ROOT, self.clone], check=True)
        (self.clone / ".venv").symlink_to((ROOT / ".venv").resolve())
        # The pinned packages are installed already: the reader must not install them again.
        os.utime(self.clone / "requirements-dev.txt", (0, 0))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        own = {n: v for n, v in os.environ.items() if not n.startswith(("MAKE", "MFLAGS"))}
        for name in ("PYTHONPATH", "STORE", "VIRTUAL_ENV"):
            own.pop(name, None)
        self.service = Terminal(self.clone, {**own, "PORT": str(self.port)})
        self.shell = Terminal(self.clone, own)

    def close(self) -> None:
        """Closes both terminals."""
        self.shell.close()
        self.service.close()

    def run(self, line: str, known: dict[str, str] | None = None) -> str:
        """Types a line, filled in with what is known, in the second terminal: what it showed."""
        began = time.monotonic()
        typed_line = _filled(line, known or {})
        shown = self.shell.run(typed_line.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}"), 300)
        print(f"{time.monotonic() - began:6.1f} s  {line[:90]}", flush=True)
        return shown

    def get(self, path: str) -> Any:
        """The JSON at a path of the service."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return json.load(answer)


_OF_A_RUN = ("events/", "tests/formats/")


def main() -> int:
    """Types them all, page by page."""
    here = [command for command in commands() if typed(command) is Typed.HERE]
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(Path(folder))
        try:
            reader.service.type("make run")
            reader.service.shows("Ctrl-C stops it", 120)
            _list_orders(reader, [c.line for c in here if c.page == "README.md"])
            _begin(reader, [c.line for c in here if c.page == "docs/operating.md"])
            _contribute(reader, [c.line for c in here if c.page == "CONTRIBUTING.md"])
            reader.service.interrupt()
        except AssertionError as wrong:
            print(wrong)
            return 1
        finally:
            reader.close()
    return _check_with_aws([c.line for c in commands() if c.program == "aws"])


def _list_orders(reader: Reader, lines: list[str]) -> None:
    """README: the key is found, and the orders are listed."""
    read, curl = (next(line for line in lines if line.startswith(p)) for p in ("READ=", "curl"))
    reader.run(read)
    listed = json.loads(_answer(reader.run(f"{curl} -s")))
    assert listed["pageSize"] == 10, listed
    assert listed["items"], listed


def _begin(reader: Reader, lines: list[str]) -> None:
    """docs/operating.md: from nothing to a key that works."""
    known = {**_FILLED, "<BaseUrl>": f"http://127.0.0.1:{reader.port}/v1"}
    for line in lines:
        if not line.startswith(("export", "curl -s $BASE")):
            continue
        shown = reader.run(line, known)
        if line.startswith("curl"):
            answer = json.loads(_answer(shown))
            known |= {f"<{name}>": str(value) for name, value in answer.items()}
        if "/auth/sign-up" in line:
            known["<code>"] = _code(reader)
    reader.run("READ=<key>", known)
    reader.run('curl -sf http://127.0.0.1:8000/v1/orders -H "Authorization: Bearer $READ"')


def _filled(line: str, known: dict[str, str]) -> str:
    """The line with what the reader fills in. KeyError where they can't know it."""
    return PLACEHOLDER.sub(lambda found: known[found[0]], line)


def _code(reader: Reader) -> str:
    """The code that was emailed."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        emails = [email for email in reader.get("/_local/emails") if email["to"] == _EMAIL]
        if emails:
            return str(emails[-1]["codes"][0])
        time.sleep(0.2)
    raise AssertionError("no code was emailed")


def _contribute(reader: Reader, lines: list[str]) -> None:
    """CONTRIBUTING: each does its work, and what is generated is what is committed."""
    for line in dict.fromkeys(lines):
        shown = reader.run(line)
        assert "TESTS=" not in line or re.search(r"\[100%\]", shown), shown
    changed = reader.run("git status --porcelain").splitlines()
    # Samples and recorded rows have the moments and ids of their run; tests hold what they mean.
    other = [line for line in changed if not line.split()[-1].startswith(_OF_A_RUN)]
    assert changed, "make events wrote nothing"
    assert not other, f"what is generated isn't what is committed: {other}"


def _answer(shown: str) -> str:
    """The JSON of what `curl` showed."""
    return shown[shown.index("{") :].strip()


def _check_with_aws(lines: list[str]) -> int:
    """Lets the AWS CLI, if installed, check each command's parameters; it sends nothing to AWS."""
    try:
        version = subprocess.run(["aws", "--version"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        print("The AWS CLI isn't here: its commands were held to AWS's models alone.")
        return 0
    if version.stdout.startswith("aws-cli/1."):
        # The first version lacks it.
        lines = [line for line in lines if not line.startswith("aws logs tail")]
    wrong = [line for line in lines if not _is_taken(PLACEHOLDER.sub(_sample, line))]
    print(f"The AWS CLI takes {len(lines) - len(wrong)} of {len(lines)} commands.")
    return 1 if wrong else 0


def _is_taken(line: str) -> bool:
    """Whether the CLI accepts the command, and fails only as nothing listens at the address."""
    own = {
        "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nobody", "AWS_MAX_ATTEMPTS": "1",
        "AWS_DEFAULT_REGION": "eu-central-1", "AWS_ENDPOINT_URL": _NOBODY,
    }  # fmt: skip
    done = subprocess.run(
        shlex.split(line), env={**os.environ, **own}, check=False, capture_output=True, text=True
    )
    is_unreachable = "Could not connect to the endpoint" in done.stderr
    if not is_unreachable:
        print(f"{line}\n{done.stderr.strip()[-500:]}")
    return is_unreachable


def _sample(placeholder: re.Match[str]) -> str:
    """A value that the CLI accepts in the place of a placeholder."""
    kinds = {
        "ARN": _ARN,
        "2026-": "2026-01-31T12:00:00Z",
        "milliseconds": "1",
        "account": "123456789012",
        "URL": _NOBODY,
    }
    return next((value for kind, value in kinds.items() if kind in placeholder[0]), "sample")


if __name__ == "__main__":
    sys.exit(main())
