"""Imports moto's Systems Manager without EC2, which moto imports for commands to instances.

Nothing here sends such commands, and reading EC2's regions and instance types takes a second of
each start.
"""

import sys
from importlib import import_module
from types import ModuleType

_EC2 = "moto.ec2"
_SYSTEMS_MANAGER = "moto.ssm.models"


def install() -> None:
    """Imports Systems Manager with a stub of EC2 without instances, then removes the stub."""
    if _EC2 in sys.modules or _SYSTEMS_MANAGER in sys.modules:
        return
    stand_in = ModuleType(_EC2)
    vars(stand_in)["ec2_backends"] = {}
    sys.modules[_EC2] = stand_in
    try:
        import_module(_SYSTEMS_MANAGER)
    finally:
        del sys.modules[_EC2]
