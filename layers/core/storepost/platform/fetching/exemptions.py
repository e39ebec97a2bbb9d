"""Addresses that the local run may reach besides the public internet: this machine's servers.

Only the local run sets `STOREPOST_LOCAL=1`; without it nothing is exempt, whatever else is set.
`FEED_ALLOW_HOSTS` names single servers as `host:port`, separated by commas; `FEED_ALLOW_LOOPBACK=1`
allows this machine's loopback addresses, and `localhost`, on every port.
"""

import os
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network

from storepost.platform.fetching.addresses import Address

_LOOPBACK = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))


def exemption(host: str, port: int, literal: Address | None) -> Callable[[Address], bool] | None:
    """Returns the test of an exempt host's addresses besides public ones; None for any other host.

    `literal` is the address if the host is written as one.
    """
    if os.environ.get("STOREPOST_LOCAL") != "1":
        return None
    if f"{host}:{port}" in _named():
        return _any
    if allows_loopback() and _is_this_machine(host, literal):
        return _is_loopback
    return None


def allows_loopback() -> bool:
    """Returns whether every server of this machine may be reached."""
    switches = ("STOREPOST_LOCAL", "FEED_ALLOW_LOOPBACK")
    return all(os.environ.get(name) == "1" for name in switches)


def _named() -> frozenset[str]:
    names = os.environ.get("FEED_ALLOW_HOSTS", "").lower().split(",")
    return frozenset(name.strip() for name in names)


def _is_this_machine(host: str, literal: Address | None) -> bool:
    """Returns whether the URL itself says so: a name that resolves here may be a stranger's."""
    return host == "localhost" if literal is None else _is_loopback(literal)


def _is_loopback(address: Address) -> bool:
    return any(address in block for block in _LOOPBACK)


def _any(_address: Address) -> bool:
    return True
