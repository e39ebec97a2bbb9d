"""Requests for opt-in on the wire."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from storepost.people.consent.states import Channel
from storepost.people.opt_in import model
from storepost.people.opt_in.model import OptInStatus
from storepost.values.wire import Shape, Timestamp


class OptInRequest(Shape):
    """A request for opt-in: an email that asks the person whether they want marketing."""

    id: UUID = Field(description="Names the request; each email has another one.")
    channel: Channel = Field(description="What the request is for: marketing by `email`.")
    status: OptInStatus = Field(
        description="`sent` until the person confirms, then `confirmed`; `expired` where they "
        "didn't within seven days."
    )
    sent_at: Timestamp = Field(description="When the email was handed over for sending.")
    expires_at: Timestamp = Field(description="Until when the email's link works.")
    confirmed_at: Timestamp | None = Field(
        description="When the person confirmed. Null until they do."
    )

    @classmethod
    def of(cls, request: model.OptInRequest, now: datetime) -> "OptInRequest":
        """Returns the request in this shape, as it is at a moment."""
        return cls.from_model(
            request, channel=request.address.channel, status=request.status_at(now)
        )
