"""What a project has for those who come to it: rules, templates, and a workflow that checks."""

import re
from pathlib import Path

import pytest
import yaml

from local.template import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
TEMPLATES = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.md"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_pins_actions_by_commit_and_is_read_only(workflow: Path) -> None:
    text = workflow.read_text("utf-8")
    content = yaml.safe_load(text)
    assert content["permissions"] == {"contents": "read"}
    for line in re.findall(r"uses: (.+)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


def test_workflow_runs_only_ci_run() -> None:
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
    assert [step["run"] for job in jobs for step in job["steps"] if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_issue_template_has_front_matter_and_body(template: Path) -> None:
    _, head, body = template.read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(head).keys() == {"name", "about"}
    assert body.strip()


def test_vulnerabilities_are_reported_privately() -> None:
    security = (ROOT / "SECURITY.md").read_text("utf-8")
    assert "advisory" in security
    for name in ("CONTRIBUTING.md", ".github/ISSUE_TEMPLATE/bug.md"):
        assert "SECURITY.md" in (ROOT / name).read_text("utf-8")


def test_each_path_in_contributing_exists() -> None:
    """A path of a package stands below `layers/core/storepost`; one with `<` is a pattern."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    package = ROOT / "layers" / "core" / "storepost"
    named = {p for p in re.findall(r"`([\w./-]+/[\w./-]*)`", text) if "=" not in p}
    assert len(named) > 20
    missing = {p for p in named if not (ROOT / p).exists() and not (package / p).exists()}
    assert missing == set()
