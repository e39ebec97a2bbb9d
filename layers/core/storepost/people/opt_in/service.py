"""Follows an opt-in link: opening its page changes nothing, answering it subscribes."""

from dataclasses import dataclass, field

from storepost.accounts.workspaces.repository import WorkspaceRepository
from storepost.people.consent.evidence import EvidenceDetails
from storepost.people.consent.model import Proof
from storepost.people.consent.statements import ConsentStatement
from storepost.people.consent.states import ConsentState, OptInLevel
from storepost.people.opt_in.links import OptInLink, read_link
from storepost.people.opt_in.model import OptInRequest, OptInStatus
from storepost.people.opt_in.problems import OptInLinkOver
from storepost.people.opt_in.recording import AddressRecord
from storepost.people.opt_in.repository import OptInRepository
from storepost.people.profiles.consent_summary import identity_of
from storepost.people.profiles.model import Profile
from storepost.people.profiles.repository import ProfileRepository
from storepost.people.profiles.resolution import look_up
from storepost.platform.persistence.changes import Changes
from storepost.values import clock
from storepost.values.emails import masked
from storepost.values.languages import Language, language_of


@dataclass(frozen=True)
class Followed:
    """A link that a visitor follows."""

    request: OptInRequest
    sender: str
    """The workspace's name."""
    profile: Profile = field(repr=False)
    """The profile that has the address now."""
    record: AddressRecord = field(repr=False)

    @property
    def is_confirmed(self) -> bool:
        """Returns whether the link was confirmed before."""
        return self.request.confirmed_at is not None

    @property
    def language(self) -> Language | None:
        """Returns the language of the profile with the address, if this service has it."""
        return language_of(self.profile.locale)

    @property
    def masked_email(self) -> str:
        """Returns the address, masked so that only its owner recognises it: links get forwarded."""
        return masked(self.request.email)


def follow_link(token: str) -> Followed:
    """Returns the target of a token's link; changes nothing. Raises OptInLinkOver.

    A link is over after seven days, unless it was confirmed; once the person unsubscribed or was
    erased; and where no profile has the address any more, or the workspace was deleted.
    """
    return _link_target(token, Changes())


def _link_target(token: str, changes: Changes) -> Followed:
    link = read_link(token)
    request = OptInRepository(link.workspace).get(link) if link else None
    if link is None or request is None or request.status_at(clock.now()) is OptInStatus.EXPIRED:
        raise OptInLinkOver()
    workspace, holder = WorkspaceRepository(link.workspace).get(), _holder(link, request)
    if workspace is None or holder is None:
        raise OptInLinkOver()
    record = AddressRecord(changes, holder, request.address)
    if request.is_over(record.consent):
        raise OptInLinkOver()
    return Followed(request, workspace.name, holder, record)


def confirm(token: str, visitor: Proof, changes: Changes) -> Followed:
    """Subscribes the address that the link was sent to, with a confirmed opt-in.

    `visitor` has the request's own IP address and user agent. Confirming again changes nothing.
    Raises OptInLinkOver.
    """
    followed = _link_target(token, changes)
    if not followed.is_confirmed:
        request = followed.request
        proof = Proof(request.origin.proof.reference, visitor.ip, visitor.user_agent)
        evidence = EvidenceDetails(request.wording, opt_in_level=OptInLevel.CONFIRMED)
        statement = ConsentStatement(
            ConsentState.SUBSCRIBED, request.origin.proven_by(proof), evidence=evidence
        )
        followed.record.add(statement)
        followed.record.queue_level_updates()
        OptInRepository(request.workspace).confirm(changes, request, clock.now())
    return followed


def _holder(link: OptInLink, request: OptInRequest) -> Profile | None:
    """The profile with the address; None without one, or if the request's person was erased."""
    profiles, identity = ProfileRepository(link.workspace), identity_of(request.address)
    holder = look_up(profiles, [identity]).holder_of(identity)
    if holder is None or holder.id == link.profile_id:
        return holder
    return holder if profiles.get(link.profile_id) else None
