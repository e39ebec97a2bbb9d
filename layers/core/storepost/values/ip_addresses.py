"""Network addresses of people, in one form each."""

from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

MAX_LENGTH = 64
IP_FORM = "Must be an IPv4 or IPv6 address, like `203.0.113.7` or `2001:db8::7`"


def normalised(address: str) -> str:
    """Returns the address as RFC 5952 writes it. Raises ValueError where it is none.

    That is in small letters, with the longest run of zeros left out. A zone, as in `fe80::1%eth0`,
    means something to one machine alone, and is refused.
    """
    try:
        parsed = ip_address(address.strip())
    except ValueError:
        raise ValueError(IP_FORM) from None
    if parsed.version == 6 and parsed.scope_id:
        raise ValueError(IP_FORM)
    return str(parsed)


IpAddress = Annotated[
    str,
    StringConstraints(max_length=MAX_LENGTH),
    AfterValidator(normalised),
    Field(json_schema_extra={"examples": ["203.0.113.7"]}),
]
"""An IPv4 or IPv6 address in a request."""
