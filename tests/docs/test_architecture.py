"""The pages of the architecture and of the terms against the code that they name."""

import re
from pathlib import Path

from local.template import QUEUE, functions, template
from tests.docs import source

PACKAGE = source.ROOT / "layers" / "core" / "storepost"
DOCS = source.ROOT / "docs"
ARCHITECTURE = (DOCS / "architecture.md").read_text("utf-8")
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
STREAMS = {"outbox_relay", "search_postings"}
"""The workers that read the table's stream."""
_IMPORTED = re.compile(r"^\s*(?:from|import) storepost\.(\w+)", re.MULTILINE)
_PATH = re.compile(r"(?<![\w/.<>*#:-])((?:[\w-]+/)+(?:[\w-]+\.(?:py|md|json|yaml|toml))?)(?![\w<])")


def rows(text: str, head: str) -> list[list[str]]:
    """The cells of the table whose first line begins so."""
    table = text.split(f"\n| {head} |", 1)[1].split("\n\n", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def quoted(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def packages_of(group: Path) -> set[str]:
    """The packages of a group."""
    return {path.parent.name for path in group.glob("*/__init__.py")}


def queues() -> dict[str, bool]:
    """The queues that have a worker, and whether each is FIFO."""
    resources = template()["Resources"].items()
    found = {name: each["Properties"] for name, each in resources if each["Type"] == QUEUE}
    return {
        name: bool(properties.get("FifoQueue"))
        for name, properties in found.items()
        if not name.endswith("DeadLetters")
    }


def module_of(path: str) -> str:
    """The module of a file below the package, by its name in imports."""
    return f"storepost.{path.removesuffix('.py').replace('/', '.')}"


class TestGroups:
    """The table of the groups."""

    def test_every_package_group_is_listed_exactly_once(self) -> None:
        named = [quoted(group)[0] for group, *_ in rows(ARCHITECTURE, "Group")]
        assert sorted(named) == sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))

    def test_every_package_is_listed_in_the_right_group(self) -> None:
        named = {quoted(group)[0]: quoted(cell) for group, cell, _ in rows(ARCHITECTURE, "Group")}
        assert {group: set(packages) for group, packages in named.items() if packages} == {
            group: packages for group in named if (packages := packages_of(PACKAGE / group))
        }

    def test_groups_are_listed_in_import_order(self) -> None:
        order = [quoted(group)[0] for group, *_ in rows(ARCHITECTURE, "Group")]
        upward = {
            (importer, imported)
            for number, importer in enumerate(order)
            for path in (PACKAGE / importer).rglob("*.py")
            for imported in _IMPORTED.findall(path.read_text("utf-8"))
            if imported in order[:number]
        }
        assert upward == set()


class TestFunctions:
    """The tables of queues and schedules, and the picture."""

    def test_every_queue_worker_and_schedule_is_listed_with_its_module(self) -> None:
        named = {
            quoted(worker)[0]: quoted(worker)[1] for *_, worker in rows(ARCHITECTURE, "Queue")
        } | {quoted(row[0])[0]: quoted(row[-1])[0] for row in rows(ARCHITECTURE, "Schedule")}
        folders = {f.job: f.folder for f in functions() if not f.folder.startswith("functions/api")}
        assert named.keys() == folders.keys() - STREAMS
        for job, path in named.items():
            handler = (source.ROOT / folders[job] / "handler.py").read_text("utf-8")
            assert f"from {module_of(path)} import" in handler, job

    def test_every_queue_is_listed_with_a_message_group_if_fifo(self) -> None:
        named = {
            quoted(queue)[0]: bool(group) for queue, _, group, _ in rows(ARCHITECTURE, "Queue")
        }
        assert named == queues()

    def test_counts_in_the_picture_are_right(self) -> None:
        folders = [f.folder.split("/")[1] for f in functions()]
        assert f'"{folders.count("api")} API functions' in ARCHITECTURE
        assert f'"{len(queues())} SQS queues"' in ARCHITECTURE
        assert f'"{folders.count("workers") - len(STREAMS)} workers of queues' in ARCHITECTURE
        assert f'"{folders.count("schedules")} schedules' in ARCHITECTURE


class TestGlossary:
    """The table of terms."""

    def test_terms_are_sorted_alphabetically(self) -> None:
        terms = [term.casefold() for term, *_ in rows(GLOSSARY, "Term")]
        assert len(terms) > 60
        assert terms == sorted(terms)

    def test_every_term_names_an_existing_module(self) -> None:
        for term, _, cell in rows(GLOSSARY, "Term"):
            [module] = quoted(cell)
            assert (PACKAGE / module).is_file(), term


def test_every_path_in_architecture_and_glossary_exists() -> None:
    """A path begins with a group, below the package, or stands below the root."""
    groups = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    paths = {path for page in (ARCHITECTURE, GLOSSARY) for path in _PATH.findall(page)}
    assert len(paths) > 60
    for path in paths:
        root = PACKAGE if path.split("/", 1)[0] in groups else source.ROOT
        if root is source.ROOT and not (root / path).exists():
            root = DOCS
        assert (root / path).exists(), path
