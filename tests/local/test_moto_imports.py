"""moto's Systems Manager starts without EC2, which other importers still get unchanged."""

import subprocess
import sys

from tests.local.runs import environment

PROGRAM = """
import sys
from local import aws
aws.prepare_environment()
aws.start()
aws.create_resources()
name = aws.os.environ["SHOPIFY_SECRET_NAME"]
found = aws.client("ssm").get_parameter(Name=name, WithDecryption=True)["Parameter"]["Type"]
without = not any(each.startswith("moto.ec2") for each in sys.modules)
from moto.ec2 import ec2_backends
print(found, without, type(ec2_backends).__name__)
"""


def test_ssm_backend_does_not_import_ec2() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.split() == ["SecureString", "True", "BackendDict"], run.stderr
