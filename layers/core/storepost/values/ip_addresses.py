"""People's network addresses, each in its canonical form."""

from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

MAX_LENGTH = 64
IP_FORM = "Must be an IPv4 or IPv6 address, like `203.0.113.7` or `2001:db8::7`"


def normalised(address: str) -> str:
    """Returns the address in the form of RFC 5952. Raises ValueError if it is none.

    That form is in lower case, without the longest run of zeros. A zone, as in `fe80::1%eth0`, has
    a meaning on one machine only, and is refused.
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
