"""What a request says to prove a consent."""

from typing import Annotated

from pydantic import Field, StringConstraints

from storepost.people.consent import model
from storepost.people.consent.evidence import EvidenceDetails
from storepost.people.consent.states import OptInLevel
from storepost.values.ip_addresses import IpAddress
from storepost.values.wire import NotNull, RequestBody, Text, Url

USER_AGENT_LENGTH, REFERENCE_LENGTH, WORDING_LENGTH = 1000, 200, 4000


class ProofInput(RequestBody):
    """What proves the person's choice. Address and browser are the person's own, never yours."""

    reference: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REFERENCE_LENGTH)
    ] = Field(description="Names what proves it in your own records, such as a form's submission.")
    ip: IpAddress | None = Field(
        default=None,
        description="The IPv4 or IPv6 address that the person had. It is answered as RFC 5952 "
        "writes it. Null or left out: it isn't known.",
    )
    user_agent: Annotated[str, StringConstraints(max_length=USER_AGENT_LENGTH)] | None = Field(
        default=None,
        description="The `User-Agent` of the person's browser. Null or left out: it isn't known.",
    )

    def value(self) -> model.Proof:
        """Returns the proof before the server adds who called."""
        return model.Proof(self.reference, self.ip, self.user_agent)


class EvidenceInput(RequestBody):
    """What the person agreed to, and where."""

    text: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=WORDING_LENGTH)
        ]
        | None
    ) = Field(
        default=None,
        description="The wording that the person agreed to, the same for all who saw "
        "the form. It is kept once for the workspace, also after somebody "
        "who agreed to it was erased: put nothing of a person into it.",
    )
    text_version: Text | None = Field(
        default=None, description="Which version of the wording it was, in your own counting."
    )
    url: Url | None = Field(default=None, description="The page that had the form.")
    opt_in_level: Annotated[OptInLevel | None, NotNull()] = Field(
        default=None,
        description="`confirmed`: the person followed a link that was sent to the "
        "address. `single`: they didn't have to. `unknown` if left out.",
    )

    def value(self) -> EvidenceDetails:
        """Returns the evidence as the service takes it."""
        level = self.opt_in_level or OptInLevel.UNKNOWN
        return EvidenceDetails(self.text, self.text_version, self.url, level)
