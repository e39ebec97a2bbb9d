"""Where a request comes from, and the address under which it reached the service."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from aws_lambda_powertools.event_handler import Depends, Request
from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

from storepost.api.http.proxies import caller_address, trusted_proxies
from storepost.values.settings import settings

USER_AGENT_LENGTH = 1000


@dataclass(frozen=True)
class RequestOrigin:
    """The circumstances of a request.

    The IP address is the gateway's, or a trusted proxy's; never any other header's.
    """

    ip_address: str | None
    user_agent: str | None
    base_url: str
    """The service's base address, with `/v1`."""


def base_url(event: BaseProxyEvent) -> str:
    """Returns the service's own domain if it has one, else the address that the caller used.

    Things made with it, such as a link in an email, may have to outlive the stack.
    """
    if settings().base_url:
        return settings().base_url
    domain = event["requestContext"]["domainName"]
    # API Gateway has TLS alone: of another scheme there only the caller can have spoken, and a link
    # in somebody else's email would have it.
    forwarded = event.headers.get("x-forwarded-proto")
    scheme = "http" if settings().is_local and forwarded == "http" else "https"
    return f"{scheme}://{domain}/v1"


def origin_of(request: Request) -> RequestOrigin:
    """Returns the request's circumstances."""
    event = request.resolved_event
    http = event["requestContext"]["http"]
    agent = event.headers.get("user-agent")
    return RequestOrigin(
        ip_address=caller_address(
            http.get("sourceIp"), event.headers.get("x-forwarded-for"), trusted_proxies()
        ),
        user_agent=agent[:USER_AGENT_LENGTH] if agent else None,
        base_url=base_url(event),
    )


From = Annotated[RequestOrigin, Depends(origin_of)]
"""A route's parameter for the request's circumstances."""


def raw_query(request: Request) -> str:
    """Returns the query as it was sent, without the question mark."""
    return str(request.resolved_event.get("rawQueryString") or "")


RawQuery = Annotated[str, Depends(raw_query)]
"""A route's parameter for a query that its sender signed."""


@dataclass(frozen=True)
class SentRequest:
    """A request as it was sent, over which a signature was made."""

    headers: Mapping[str, str]
    body: bytes


def sent_request(request: Request) -> SentRequest:
    """Returns the headers, and the body's bytes."""
    event = request.resolved_event
    body = event.body or ""
    raw = b64decode(body) if event.is_base64_encoded else body.encode()
    return SentRequest(dict(event.headers), raw)


AsSent = Annotated[SentRequest, Depends(sent_request)]
"""A route's parameter for a request that its sender signed."""
