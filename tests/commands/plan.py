"""Which commands of the documents are run here, which elsewhere, and which only on AWS."""

import re
from enum import Enum

from tests.docs.commands import Command


class Typed(Enum):
    """Where a command is typed, with its whole effect."""

    HERE = "tests/commands"
    GUIDES = "tests/docs/test_guide_requests.py, each against the service in the guide's order"
    CLIENTS = "make test-clients"
    CONTAINERS = "make test-sam-local"
    CI = ".ci/run"
    BY_HAND = "by hand: long, or it needs uv"
    ON_AWS = "on AWS alone: its options are held to AWS's models, and to its CLI where there is one"


_PLAN: tuple[tuple[str, Typed], ...] = (
    (r'curl (-X \w+ )?"\$STOREPOST_URL/|export STOREPOST_(URL|KEY|SESSION)=', Typed.GUIDES),
    (r"make run$", Typed.HERE),
    (r"READ=|curl -H .* 'http://127", Typed.HERE),
    (r"make test TESTS=tests/feeds", Typed.HERE),
    (r"make (install|openapi|examples|formats|events)$", Typed.HERE),
    (r"export (BASE|TOKEN)=|curl -s \$BASE/", Typed.HERE),
    (r"aws |export AWS_(DEFAULT_)?REGION", Typed.ON_AWS),
    (r"\.venv/bin/sam (deploy|delete)|make redrive|git (pull|checkout)", Typed.ON_AWS),
    (r"make rebuild-search ", Typed.ON_AWS),
    (r"make (clients|client-\w+|test-clients)$|clients/\.venv|npm |cd examples", Typed.CLIENTS),
    (r"git clone|cd storepost|curl -d List-Unsubscribe", Typed.CLIENTS),
    (r"make (sam-local|test-sam-local|invoke\b.*)$|\.venv/bin/sam local", Typed.CONTAINERS),
    (r"make (test|check|format check|build|lint-openapi|test-dynoxide|test-commands)$", Typed.CI),
    (
        r"make (test-newer-libraries|run (STORE=dynoxide|DEMO=large( ORDERS=\d+)?)|costs|faults"
        r"|requirements|fuzz CASES=\d+)$",
        Typed.BY_HAND,
    ),
    (r"make test TESTS=tests/people/consent$", Typed.BY_HAND),
)


def typed(command: Command) -> Typed:
    """Where the command is typed. LookupError if the plan doesn't list it."""
    line = re.sub(r"\s+#.*", "", command.line)
    for pattern, where in _PLAN:
        if re.match(pattern, line):
            return where
    raise LookupError(f"{command.page}: {line}")
