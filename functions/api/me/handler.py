"""The signed-in person: account, two-factor settings, sessions."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Path

from storepost.accounts.me import account, credentials, deletion, sessions, two_factor_settings
from storepost.accounts.me.schemas import (
    AddressChange,
    AppSetUp,
    BackupCodes,
    ChosenWorkspace,
    CodeProof,
    Me,
    MeUpdate,
    PasswordChange,
    PasswordProof,
    SessionSummary,
)
from storepost.accounts.workspaces.schemas import WorkspaceSummary
from storepost.api.http.app import create_app
from storepost.api.http.callers import Known, SignedIn
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/me", operation_id="me.get")
def get_me(caller: Known) -> Me:
    """Get the caller.

    Answers the signed-in person with their workspaces. For an API key it is the person who made it,
    with the key's workspace alone; where that person's account is deleted, it is 403
    `sign_in_required`.
    """
    return Me.of(account.account_of(caller))


@app.patch(
    "/v1/me",
    operation_id="me.update",
    response_description="The person with their new name, as `GET /me` answers it.",
)
def update_me(caller: SignedIn, writes: Writes, body: MeUpdate) -> Me:
    """Change your name.

    Members of the person's workspaces see the new name.
    """
    return Me.of(account.account_of(account.rename(caller, body.name, writes)))


@app.get("/v1/me/workspace", operation_id="me.getWorkspace")
def get_workspace(caller: SignedIn) -> WorkspaceSummary:
    """Get the active workspace.

    Every request of this session works in it. Where none is active, as after the end of a
    membership, it is 404.
    """
    return WorkspaceSummary.of(account.active_workspace(caller))


@app.put(
    "/v1/me/workspace",
    operation_id="me.putWorkspace",
    response_description="The workspace that the session works in now.",
)
def set_workspace(caller: SignedIn, writes: Writes, body: ChosenWorkspace) -> WorkspaceSummary:
    """Choose the active workspace.

    Every later request of this session works in that workspace, and the person's next session opens
    in it. Other open sessions stay in theirs.
    """
    return WorkspaceSummary.of(account.choose_workspace(caller, body.workspace_id, writes))


@app.post(
    "/v1/me/password",
    operation_id="me.changePassword",
    status_code=204,
    response_description="The password is changed, and every other session has ended.",
)
def change_password(caller: SignedIn, origin: From, writes: Writes, body: PasswordChange) -> None:
    """Change your password.

    Every other session and every trusted browser ends; this session stays open. The person is
    notified by email.
    """
    credentials.change_password(caller, body.current, body.password, origin.ip_address, writes)


@app.post(
    "/v1/me/email",
    operation_id="me.changeEmail",
    status_code=202,
    response_description="A code is on its way, unless the address is taken or is the "
    "account's own. The answer has no body.",
)
def change_email(caller: SignedIn, origin: From, writes: Writes, body: AddressChange) -> None:
    """Request another email address.

    Emails a code to the new address. The account keeps its address until `POST /me/email/confirm`
    gets the code. Where the new address belongs to an account already, its owner gets an email
    instead; the answer is the same, so that nobody learns that.
    """
    credentials.ask_for_address(caller, body.email, body.password, origin.ip_address, writes)


@app.post(
    "/v1/me/email/confirm",
    operation_id="me.confirmEmail",
    status_code=204,
    response_description="The account has the new address.",
)
def confirm_email(caller: SignedIn, writes: Writes, body: CodeProof) -> None:
    """Confirm your new email address.

    Moves the account to the address that the code was sent to, and notifies the old one by email.
    The person signs in with the new address from then on. Every trusted browser ends.
    """
    credentials.confirm_address(caller, body.code, writes)


@app.post(
    "/v1/me/two-factor/app",
    operation_id="me.startTwoFactorApp",
    response_description="The secret for the app, which is shown this once.",
)
def start_two_factor_app(
    caller: SignedIn, origin: From, writes: Writes, body: PasswordProof
) -> AppSetUp:
    """Start setting up an authenticator app.

    Answers the secret that the app needs. The method isn't on yet: give a code that the app shows
    to `POST /me/two-factor/app/confirm`. Starting again replaces the secret.
    """
    return AppSetUp.of(
        *two_factor_settings.start_app(caller, body.password, origin.ip_address, writes)
    )


@app.post(
    "/v1/me/two-factor/app/confirm",
    operation_id="me.confirmTwoFactorApp",
    response_description="The app is on. Ten backup codes come with the first method that "
    "is turned on, none with the second.",
)
def confirm_two_factor_app(caller: SignedIn, writes: Writes, body: CodeProof) -> BackupCodes:
    """Turn on the authenticator app.

    Takes a code of the app that was set up. From then on a sign-in needs a second step. The first
    method that is turned on creates ten backup codes, the second one none. Every trusted browser
    ends.
    """
    return BackupCodes(backup_codes=two_factor_settings.confirm_app(caller, body.code, writes))


@app.post(
    "/v1/me/two-factor/app/disable",
    operation_id="me.disableTwoFactorApp",
    status_code=204,
    response_description="The authenticator app is off.",
)
def disable_two_factor_app(
    caller: SignedIn, origin: From, writes: Writes, body: PasswordProof
) -> None:
    """Turn off the authenticator app.

    Every trusted browser ends. Where it is the last method, two-factor authentication is off
    altogether, and the backup codes end too. The last method can't be turned off while a workspace
    of the person requires one.
    """
    two_factor_settings.disable_app(caller, body.password, origin.ip_address, writes)


@app.post(
    "/v1/me/two-factor/email",
    operation_id="me.startTwoFactorEmail",
    status_code=204,
    response_description="A code is on its way; the method is off until it is confirmed.",
)
def start_two_factor_email(caller: SignedIn, writes: Writes) -> None:
    """Send a code to turn on the email method.

    Emails six digits to the account's address. The method isn't on yet: give them to `POST
    /me/two-factor/email/confirm`.
    """
    two_factor_settings.start_email(caller, writes)


@app.post(
    "/v1/me/two-factor/email/confirm",
    operation_id="me.confirmTwoFactorEmail",
    response_description="Codes by email are on. Ten backup codes come with the first "
    "method that is turned on, none with the second.",
)
def confirm_two_factor_email(caller: SignedIn, writes: Writes, body: CodeProof) -> BackupCodes:
    """Turn on codes by email.

    Takes the code that was emailed. From then on a sign-in needs a second step. The first method
    that is turned on creates ten backup codes, the second one none. Every trusted browser ends.
    """
    return BackupCodes(backup_codes=two_factor_settings.confirm_email(caller, body.code, writes))


@app.post(
    "/v1/me/two-factor/email/disable",
    operation_id="me.disableTwoFactorEmail",
    status_code=204,
    response_description="Codes by email are off.",
)
def disable_two_factor_email(caller: SignedIn, writes: Writes) -> None:
    """Turn off codes by email.

    Sign-ins then need the app or a backup code. Every trusted browser ends. Where it is the last
    method, two-factor authentication is off altogether, and the backup codes end too. The last
    method can't be turned off while a workspace of the person requires one.
    """
    two_factor_settings.disable_email(caller, writes)


@app.post(
    "/v1/me/two-factor/backup-codes",
    operation_id="me.replaceBackupCodes",
    response_description="Ten new backup codes, which are shown this once.",
)
def new_backup_codes(
    caller: SignedIn, origin: From, writes: Writes, body: PasswordProof
) -> BackupCodes:
    """Replace the backup codes.

    Makes ten new codes; the old ones stop working, and every trusted browser ends.
    """
    codes = two_factor_settings.renew_backup_codes(caller, body.password, origin.ip_address, writes)
    return BackupCodes(backup_codes=codes)


@app.post(
    "/v1/me/two-factor/trusted-browsers/forget",
    operation_id="me.forgetTrustedBrowsers",
    status_code=204,
    response_description="No browser is trusted any more.",
)
def revoke_trusted_browsers(caller: SignedIn, writes: Writes) -> None:
    """Forget all trusted browsers.

    Every browser needs a second step again at its next sign-in. Open sessions stay open.
    """
    two_factor_settings.revoke_trusted_browsers(caller, writes)


@app.post(
    "/v1/me/delete",
    operation_id="me.delete",
    status_code=204,
    response_description="The account is deleted, and every session has ended.",
)
def delete_me(caller: SignedIn, origin: From, writes: Writes, body: PasswordProof) -> None:
    """Delete your account.

    It can't be undone. Every session ends, and so do the memberships. API keys that the person made
    go on working; their `createdBy` becomes null. Who owns a workspace has to transfer or delete it
    first.
    """
    deletion.delete_account(caller, body.password, origin.ip_address, writes)


@app.get("/v1/sessions", operation_id="sessions.list")
def list_sessions(
    caller: SignedIn, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[SessionSummary]:
    """List your sessions.

    Lists the browsers and devices where the person is signed in, most recently active first.
    Sessions that have ended aren't shown.
    """
    listing = sessions.list_sessions(caller, PageRequest(page, page_size))
    current = caller.session.id
    return Page[SessionSummary].of(listing, lambda row: SessionSummary.of(row, current))


@app.delete(
    "/v1/sessions/<id>",
    operation_id="sessions.delete",
    status_code=204,
    response_description="The browser or device is signed out.",
)
def delete_session(
    id: Annotated[UUID, Path(description="The session to end, one of the signed-in person's own.")],
    caller: SignedIn,
    writes: Writes,
) -> None:
    """Sign out a session.

    That browser or device is signed out at once. It may be the session that asks. A trusted browser
    stays trusted.
    """
    sessions.end_session(caller, id, writes)


@app.post(
    "/v1/sessions/sign-out-others",
    operation_id="sessions.deleteOthers",
    status_code=204,
    response_description="Only the session that sent the request is still open.",
)
def delete_other_sessions(caller: SignedIn, writes: Writes) -> None:
    """Sign out all other sessions.

    Signs every browser and device out but the one that asks. Trusted browsers stay trusted.
    """
    sessions.end_other_sessions(caller, writes)


lambda_handler = app.handler()
