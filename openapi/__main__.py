"""`make openapi`: writes the interface and the problems beside the code that serves them."""

import json
from pathlib import Path

from local import aws

aws.prepare_environment()

from openapi.groups import ROOT  # noqa: E402 - the service reads its environment when imported
from openapi.interface import text  # noqa: E402
from openapi.problems import catalogue  # noqa: E402

REFERENCE = ROOT / "layers/core/storepost/api/reference"


def written() -> dict[Path, str]:
    """Returns the content of each generated file, by path."""
    problems = json.dumps(catalogue(), indent=1, ensure_ascii=False) + "\n"
    return {REFERENCE / "openapi.json": text(), REFERENCE / "problems.json": problems}


if __name__ == "__main__":
    for path, content in written().items():
        path.write_text(content, "utf-8")
