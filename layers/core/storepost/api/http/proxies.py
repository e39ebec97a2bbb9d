"""The caller's address, if a trusted proxy is in front of the gateway.

Each proxy appends to `x-forwarded-for` the address that it was called from; anybody may have
written what is left of that (MDN, "X-Forwarded-For", "Selecting an IP address"). So it is read from
the right, past the trusted ones, and only if a trusted one called the gateway.
"""

from collections.abc import Iterable
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from storepost.values.settings import settings

type Network = IPv4Network | IPv6Network


@cache
def trusted_proxies() -> tuple[Network, ...]:
    """Returns the networks in the template's parameter."""
    return tuple(ip_network(each.strip()) for each in settings().trusted_proxies if each.strip())


def caller_address(
    source_ip: str | None, forwarded_for: str | None, trusted: Iterable[Network]
) -> str | None:
    """Returns the caller's address: the gateway's `source_ip`, or what a trusted proxy says."""
    networks = tuple(trusted)
    if not networks or not _is_within(source_ip, networks):
        return source_ip
    address = source_ip
    for hop in reversed((forwarded_for or "").split(",")):
        claimed = hop.strip()
        if not _is_address(claimed):
            return address
        address = claimed
        if not _is_within(claimed, networks):
            return address
    return address


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_within(text: str | None, networks: Iterable[Network]) -> bool:
    if text is None or not _is_address(text):
        return False
    address = ip_address(text)
    return any(address in network for network in networks)
