"""What a request says to prove a consent."""

from typing import Annotated

from pydantic import StringConstraints

from storepost.people.consent import model
from storepost.people.consent.evidence import EvidenceDetails
from storepost.people.consent.states import OptInLevel
from storepost.values.wire import NotNull, RequestBody, Text, Url

IP_LENGTH, USER_AGENT_LENGTH, REFERENCE_LENGTH, WORDING_LENGTH = 64, 1000, 200, 4000


class ProofInput(RequestBody):
    """What shows that the person wanted it; the address and browser are the person's own."""

    reference: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=REFERENCE_LENGTH)
    ]
    ip: Annotated[str, StringConstraints(max_length=IP_LENGTH)] | None = None
    user_agent: Annotated[str, StringConstraints(max_length=USER_AGENT_LENGTH)] | None = None

    def value(self) -> model.Proof:
        """Returns the proof before the server adds who called."""
        return model.Proof(self.reference, self.ip, self.user_agent)


class EvidenceInput(RequestBody):
    """What the person agreed to, and where; `text` is the same for all who see the form.

    `text` is the wording. It is kept once for the workspace, also after somebody who agreed to it
    was erased: put nothing of a person into it. `url` is the page that had the form. `optInLevel`
    is `confirmed` where the person followed a link that was sent to the address.
    """

    text: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=WORDING_LENGTH)
        ]
        | None
    ) = None
    text_version: Text | None = None
    url: Url | None = None
    opt_in_level: Annotated[OptInLevel | None, NotNull()] = None

    def value(self) -> EvidenceDetails:
        """Returns the evidence as the service takes it."""
        level = self.opt_in_level or OptInLevel.UNKNOWN
        return EvidenceDetails(self.text, self.text_version, self.url, level)
