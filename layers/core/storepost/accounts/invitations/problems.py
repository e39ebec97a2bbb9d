"""What can be wrong with an invitation (docs/interface.md, section 2)."""

from storepost.values.problems import Conflict, Forbidden, Gone, TooManyRequests


class AlreadyMember(Conflict):
    """The address belongs to a member of the workspace."""

    code = "already_member"
    title = "Already a member"
    remedy = "Change the member's role instead."


class AlreadyInvited(Conflict):
    """The address has an open invitation, which may have expired."""

    code = "already_invited"
    title = "Already invited"
    remedy = "Resend the open invitation, or delete it first."


class NotInvited(Forbidden):
    """The caller isn't the invited person, or their address isn't verified."""

    code = "not_invited"
    title = "The invitation is for somebody else"
    remedy = "Sign in with the invited address and verify it."


class InvitationClosed(Conflict):
    """The invitation was accepted, declined or deleted."""

    code = "invitation_closed"
    title = "The invitation is no longer open"
    remedy = "Ask for a new invitation."


class InvitationExpired(Gone):
    """The invitation's seven days are over."""

    code = "invitation_expired"
    title = "The invitation has expired"
    remedy = "Ask for it to be sent again."


class SendLimit(TooManyRequests):
    """A person has sent 50 invitation emails in 24 hours."""

    code = "invitation_send_limit"
    title = "Too many invitations today"
    remedy = "A person can send 50 invitation emails in 24 hours. Wait as `Retry-After` says."


class RecentlySent(TooManyRequests):
    """The invitation was last sent less than an hour ago."""

    code = "invitation_recently_sent"
    title = "Sent less than an hour ago"
    remedy = "Wait as `Retry-After` says before sending it again."
