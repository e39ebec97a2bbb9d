"""moto's Systems Manager without EC2, which it imports for commands to instances.

Nobody here sends such commands, and EC2's regions and types of instances take a second of each
start to read.
"""

import sys
from importlib import import_module
from types import ModuleType

_EC2 = "moto.ec2"
_SYSTEMS_MANAGER = "moto.ssm.models"


def install() -> None:
    """Imports Systems Manager with an EC2 that has no instances, and takes that away again."""
    if _EC2 in sys.modules or _SYSTEMS_MANAGER in sys.modules:
        return
    stand_in = ModuleType(_EC2)
    vars(stand_in)["ec2_backends"] = {}
    sys.modules[_EC2] = stand_in
    try:
        import_module(_SYSTEMS_MANAGER)
    finally:
        del sys.modules[_EC2]
