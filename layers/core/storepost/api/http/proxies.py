"""The caller's address, if a trusted proxy is in front of the gateway.

Each proxy appends to `x-forwarded-for` the address that it was called from; anybody may have
written what is left of that (MDN, "X-Forwarded-For", "Selecting an IP address"). So it is read from
the right, past the trusted ones, and only if a trusted one called the gateway.
"""

import re
from collections.abc import Iterable
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from storepost.values.settings import settings

type Network = IPv4Network | IPv6Network
type Address = IPv4Address | IPv6Address

_WITH_PORT = re.compile(r"\[([0-9a-fA-F:.]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")
"""An address as some proxies append it, such as Azure's: with a port, IPv6 in brackets."""


@cache
def trusted_proxies() -> tuple[Network, ...]:
    """Returns the networks in the template's parameter; `203.0.113.7/24` means its network."""
    named = (each.strip() for each in settings().trusted_proxies)
    return tuple(ip_network(each, strict=False) for each in named if each)


def caller_address(
    source_ip: str | None, forwarded_for: str | None, trusted: Iterable[Network]
) -> str | None:
    """Returns the caller's address: the gateway's `source_ip`, or what a trusted proxy says."""
    networks = tuple(trusted)
    address = _address(source_ip or "")
    if address is None or not _is_within(address, networks):
        return source_ip
    for hop in reversed((forwarded_for or "").split(",")):
        claimed = _address(hop.strip())
        if claimed is None:
            break
        address = claimed
        if not _is_within(claimed, networks):
            break
    return str(address)


def _address(text: str) -> Address | None:
    """Returns the address; one of IPv4 that a proxy listening on IPv6 saw is IPv4's (RFC 4291)."""
    with_port = _WITH_PORT.fullmatch(text)
    try:
        found = ip_address((with_port[1] or with_port[2]) if with_port else text)
    except ValueError:
        return None
    return (isinstance(found, IPv6Address) and found.ipv4_mapped) or found


def _is_within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)
