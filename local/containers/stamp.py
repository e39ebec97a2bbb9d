"""Fixes a built template to the architecture that its layers were compiled for.

CloudFormation then refuses to deploy it for another architecture, on which every import would fail.
"""

import sys
from pathlib import Path

from samcli.yamlhelper import yaml_dump, yaml_parse


def fix_architecture(built: Path, architecture: str) -> None:
    """Makes this the only allowed value of the built template's parameter."""
    template = yaml_parse(built.read_text())
    template["Parameters"]["Architecture"] |= {
        "Default": architecture,
        "AllowedValues": [architecture],
        "ConstraintDescription": (
            f"must be {architecture}, which this was built for;"
            " `make build ARCHITECTURE=...` builds for the other"
        ),
    }
    built.write_text(yaml_dump(template))


if __name__ == "__main__":
    fix_architecture(Path(sys.argv[1]), sys.argv[2])
