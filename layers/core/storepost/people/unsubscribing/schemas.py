"""Unsubscribe links on the wire."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from storepost.people.consent.bodies import REFERENCE_LENGTH
from storepost.people.consent.model import ConsentSource
from storepost.people.unsubscribing.links import UnsubscribeLink
from storepost.values.wire import RequestBody, SecretAnswer, Shape, Uri

REFERENCE_BYTES = 300
"""So that the longest link fits into a line of an email's head: 998 bytes (RFC 5322, 2.1.1)."""


def _fits_a_header(reference: str) -> str:
    if len(reference.encode()) > REFERENCE_BYTES:
        raise ValueError(f"Must have at most {REFERENCE_BYTES} bytes in UTF-8")
    return reference


def _first(values: object) -> object:
    """A form's fields come as lists, of one value mostly."""
    return values[0] if isinstance(values, list) else values


class NewUnsubscribeLink(RequestBody):
    """Which email an unsubscribe link is made for."""

    reference: (
        Annotated[
            str,
            StringConstraints(strip_whitespace=True, min_length=1, max_length=REFERENCE_LENGTH),
            AfterValidator(_fits_a_header),
        ]
        | None
    ) = Field(
        default=None,
        description="Names the email, such as its campaign, and comes back as "
        "`proof.reference` of the change. At most 300 bytes in UTF-8. Null "
        "or left out: none.",
    )


class UnsubscribeUrl(SecretAnswer):
    """A link by which the person who has the address unsubscribes it."""

    url: Uri = Field(
        description="The address of the link. Put it into the email and into its "
        "`List-Unsubscribe` header."
    )

    @classmethod
    def of(cls, link: UnsubscribeLink, base_url: str) -> "UnsubscribeUrl":
        """Returns the link in this shape, under the service's base address."""
        return cls(url=f"{base_url}/unsubscribe/{link.token}")


class Unsubscribing(StrEnum):
    """Who sends the form. `One-Click`: a mailbox provider's own button (RFC 8058). `By-Page`:
    the page behind the link.
    """

    ONE_CLICK = "One-Click"
    BY_PAGE = "By-Page"


class UnsubscribeForm(Shape):
    """The form that unsubscribes (RFC 8058, section 3.1). Other fields of it are ignored."""

    says: Annotated[Unsubscribing, BeforeValidator(_first)] = Field(
        alias="List-Unsubscribe",
        description="`One-Click` from a mailbox provider's own button, `By-Page` from "
        "the page behind the link.",
    )

    @property
    def source(self) -> ConsentSource:
        """Returns how the change comes."""
        if self.says is Unsubscribing.ONE_CLICK:
            return ConsentSource.ONE_CLICK
        return ConsentSource.UNSUBSCRIBE_LINK
