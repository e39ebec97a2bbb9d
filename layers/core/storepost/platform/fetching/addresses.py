"""Which IP addresses are public: those that an untrusted URL may lead to.

The list is from the IANA special-purpose registries (RFC 6890 and later additions), with the
multicast and reserved space. `ipaddress.is_global` is no substitute: it holds for NAT64
(`64:ff9b::a9fe:a9fe` is 169.254.169.254), IPv4-compatible addresses, the 6to4 relays and multicast.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_V4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network, unspecified (RFC 791)
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # carrier-grade NAT (RFC 6598), some clouds' metadata
        "127.0.0.0/8",  # loopback (RFC 1122)
        "168.63.129.16/32",  # Azure's host and metadata, in otherwise public space
        "169.254.0.0/16",  # link-local (RFC 3927), metadata and credentials of AWS
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # IETF protocol assignments (RFC 6890)
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.31.196.0/24",  # AS112 (RFC 7535)
        "192.52.193.0/24",  # automatic multicast tunnelling (RFC 7450)
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "192.175.48.0/24",  # AS112 (RFC 7534)
        "198.18.0.0/15",  # benchmarking (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved (RFC 1112), broadcast (RFC 919)
    )
)

# What IANA assigns as global unicast. Blocks outside of it need no entry: loopback and unspecified,
# IPv4-mapped and -compatible, NAT64, discard-only, SRv6, unique local (AWS's metadata among it),
# link-local, site-local, multicast, and those that aren't assigned yet.
_GLOBAL_UNICAST = IPv6Network("2000::/3")

_NOT_PUBLIC_V6 = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID (RFC 2928)
        "2001:db8::/32",  # documentation (RFC 3849)
        "2002::/16",  # 6to4: an IPv4 address inside (RFC 3056)
        "2620:4f:8000::/48",  # AS112 (RFC 7534)
        "3ffe::/16",  # 6bone, given back (RFC 3701)
        "3fff::/20",  # documentation (RFC 9637)
    )
)


def is_public(address: Address) -> bool:
    """Returns whether the address can be a public host's, and has no special purpose."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _NOT_PUBLIC_V4)
    return (
        address.scope_id is None
        and address in _GLOBAL_UNICAST
        and not any(address in block for block in _NOT_PUBLIC_V6)
    )
