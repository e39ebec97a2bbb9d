"""The imports of the API's functions: one client, and nothing that only some requests need.

The figures are in `benchmarks/results/cold.json`; this asserts their causes.
"""

import json
import os
import subprocess
import sys

import pytest

from local.template import ROOT, functions

DEAR = {
    "argon2",
    "boto3",
    "cryptography.hazmat.primitives.ciphers.aead",
    "email.policy",
    "email_validator",
    "ijson",
    "iso4217",
    "jinja2",
    "langcodes",
    "moto",
    "mrml",
    "phonenumbers",
    "pyotp",
    "sqlite3",
    "ua_parser",
}
PROGRAM = """
import gc, json, sys
from importlib import import_module
from botocore.client import ClientCreator

made, plain = [], ClientCreator.create_client

def create_client(self, **settings):
    made.append(settings["service_name"])
    return plain(self, **settings)

ClientCreator.create_client = create_client
for handler in sys.argv[1:]:
    import_module(handler)
seen = {"clients": made, "modules": sorted(sys.modules), "frozen": gc.get_freeze_count()}
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """The modules of a new process after it imported them all."""
    folders = [f.folder for f in functions() if f.folder.startswith("functions/api/")]
    assert len(folders) > 10
    handlers = [folder.strip("/").replace("/", ".") + ".handler" for folder in folders]
    command = [sys.executable, "-c", PROGRAM, *handlers]
    path = {"PYTHONPATH": os.pathsep.join(("layers/core", "."))}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **path}, stdout=subprocess.PIPE, check=True
    )
    imported: dict[str, list[str]] = json.loads(done.stdout)
    return imported


def test_only_a_dynamodb_client_is_created(imported: dict[str, list[str]]) -> None:
    assert imported["clients"] == ["dynamodb"]


def test_no_expensive_module_is_imported(imported: dict[str, list[str]]) -> None:
    assert {"storepost.api.http.app", "pynamodb", "pydantic"} <= set(imported["modules"])
    assert DEAR.isdisjoint(imported["modules"])


def test_imported_objects_are_excluded_from_garbage_collection(imported: dict[str, int]) -> None:
    assert imported["frozen"] > 50_000
