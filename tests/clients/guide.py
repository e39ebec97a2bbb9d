"""docs/guides/connect-your-shop.md, typed as a reader types it: three terminals, each command."""

import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from local.template import ROOT
from tests.clients.terminals import Terminal

PAGE = ROOT / "docs" / "guides" / "connect-your-shop.md"
MAX_COMMANDS = 10
"""From the clone to the first verified write-back."""
MAX_SECONDS = 300
"""From `make run`, once it is installed, to the first verified write-back."""
_ADDRESS, _LINK = "<the repository's address>", "<the link>"
_SECONDS = 300
_BLOCK = re.compile(
    r"^(?P<before>[^\n]+)\n\n```sh\n(?P<commands>.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """Commands that the page has together."""

    heading: str
    before: str
    """The line above them."""
    commands: tuple[str, ...]


def blocks(page: str) -> list[Block]:
    """All of the page's, in its order."""
    found = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading = section.partition("\n")[0]
        for block in _BLOCK.finditer(section):
            found.append(
                Block(heading, block["before"], tuple(block["commands"].strip().splitlines()))
            )
    return found


class Guide:
    """A reader of the page, in an empty folder. The reader chose a port that is free here."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where the reader clones."""
        self._blocks = blocks(PAGE.read_text("utf-8"))
        self._home = folder
        self._clone = folder / "storepost"
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        left_out = {"PYTHONPATH", "STORE", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
        own = {name: value for name, value in os.environ.items() if name not in left_out}
        self._environment = {**own, "PORT": port}
        self._open: list[Terminal] = []
        self._service_seconds = 0.0
        self.times: list[tuple[float, str]] = []

    def __enter__(self) -> Self:
        """Itself, for a block at whose end all terminals are closed."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the terminals, the youngest first."""
        for terminal in reversed(self._open):
            terminal.close()

    @property
    def command(self) -> Path:
        """The command line that the guide made."""
        return self._clone / "clients" / ".venv" / "bin" / "storepost"

    @property
    def credentials(self) -> Path:
        """Those of the service that the guide started."""
        return self._clone / ".local" / "credentials.json"

    def start_service(self) -> None:
        """The first terminal."""
        (block,) = self._under("1.")
        clone, enter, run = block.commands
        terminal = self._terminal(self._home)
        terminal.run(clone.replace(_ADDRESS, str(ROOT)), _SECONDS)
        self._link_environment()
        terminal.run(enter, 10)
        began = time.monotonic()
        terminal.type(run)
        terminal.shows("Ctrl-C stops it", _SECONDS)
        self._service_seconds = self._took(began, run) - began

    def connect(self, language: str) -> None:
        """The second terminal, until the click in the third is verified there."""
        (shop,) = [block for block in self._under("2.") if language in block.before]
        (click,) = self._under("3.")
        (service,) = self._under("1.")
        typed = [*service.commands, *shop.commands, *click.commands]
        assert len(typed) <= MAX_COMMANDS, typed
        terminal = self._terminal(self._clone)
        began = start = time.monotonic()
        for command in shop.commands[:-1]:
            terminal.run(command, _SECONDS)
            began = self._took(began, command)
        terminal.type(shop.commands[-1])
        link = terminal.shows(r"(http://\S+/unsubscribe/\S+)", _SECONDS)
        terminal.shows("Waiting for write-backs", 10)
        (curl,) = click.commands
        self._terminal(self._clone).run(curl.replace(_LINK, link), 30)
        terminal.shows("Verified: customer-1 is unsubscribed", 60)
        end = self._took(began, f"{shop.commands[-1]}, until the click was verified")
        assert self._service_seconds + end - start <= MAX_SECONDS, self.times
        terminal.interrupt()
        terminal.shows("The shop is closed.", 20)

    def look_closer(self) -> None:
        """The commands after the click: a list, and a listener that receives an unsubscription."""
        look, listen = (block.commands[0] for block in self._under("Look closer"))
        asking = self._terminal(self._clone)
        listed = asking.run(look, 30)
        (ada,) = [line.split()[0] for line in listed.splitlines() if "ada@python-shop" in line]
        (other,) = [line.split()[0] for line in listed.splitlines() if "ada.lind@" in line]
        assert ada != other
        listening = self._terminal(self._clone)
        listening.type(listen)
        listening.shows("Listening at http://127.0.0.1:", 30)
        change = """consent put-email {} --body '{{"state": "unsubscribed"}}'"""
        asking.run(f"clients/.venv/bin/storepost {change.format(other)}", 30)
        listening.shows("verified  consent.changed  email  unsubscribed  ada.lind@", 60)
        listening.interrupt()

    def _under(self, heading: str) -> list[Block]:
        return [block for block in self._blocks if block.heading.startswith(heading)]

    def _terminal(self, folder: Path) -> Terminal:
        terminal = Terminal(folder, self._environment)
        self._open.append(terminal)
        return terminal

    def _link_environment(self) -> None:
        """Links what `make install` makes: it exists here, and takes a reader's first minute."""
        (self._clone / ".venv").symlink_to((ROOT / ".venv").resolve())
        os.utime(self._clone / "requirements-dev.txt", (0, 0))

    def _took(self, began: float, what: str) -> float:
        now = time.monotonic()
        self.times.append((now - began, what))
        return now
