"""The guides: what a reader types can be typed, and is short."""

import json
import re

import pytest

from local.template import ROOT
from tests.clients.guide import MAX_COMMANDS, PAGE, Block, blocks

PLACEHOLDERS = {"<the repository's address>", "<the link>"}


@pytest.fixture
def page() -> list[Block]:
    """The page's commands."""
    return blocks(PAGE.read_text("utf-8"))


def under(page: list[Block], heading: str) -> list[Block]:
    return [block for block in page if block.heading.startswith(heading)]


def test_each_block_of_commands_is_parsed() -> None:
    text = PAGE.read_text("utf-8")
    assert len(blocks(text)) == text.count("```sh\n") == 6


@pytest.mark.parametrize("language", ["Python", "TypeScript"])
def test_shop_is_connected_with_few_commands(page: list[Block], language: str) -> None:
    (service,), shops, (click,) = (under(page, heading) for heading in ("1.", "2.", "3."))
    (shop,) = [block for block in shops if language in block.before]
    assert len(service.commands + shop.commands + click.commands) <= MAX_COMMANDS


def test_placeholders_are_known(page: list[Block]) -> None:
    typed = "\n".join(command for block in page for command in block.commands)
    assert set(re.findall(r"<[^>\n]+>", typed)) == PLACEHOLDERS


def test_named_make_targets_and_files_exist(page: list[Block]) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in re.findall(r"make (\S+)", "\n".join(c for b in page for c in b.commands)):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
    for link in re.findall(r"\]\((\.\./[^)]+)\)", PAGE.read_text("utf-8")):
        assert (PAGE.parent / link).is_file(), link


@pytest.mark.parametrize("folder", ["clients/typescript", "examples/shop-typescript"])
def test_lock_files_name_no_registry(folder: str) -> None:
    lock = json.loads((ROOT / folder / "package-lock.json").read_text("utf-8"))
    resolved = {p["resolved"] for p in lock["packages"].values() if "resolved" in p}
    assert resolved <= {"../../clients/typescript"}
    assert all("integrity" in p for name, p in lock["packages"].items() if "node_modules/" in name
               and not p.get("link"))  # fmt: skip


def test_lock_file_of_python_client_has_hashes_and_no_url() -> None:
    lock = (ROOT / "clients/python/requirements.txt").read_text("utf-8")
    pinned = re.findall(r"^[a-z].*==.*$", lock, re.MULTILINE)
    assert len(pinned) > 10
    assert all(line.endswith(" \\") for line in pinned)
    assert "://" not in lock
