"""The signed-in person: account, two-factor settings, sessions."""

from typing import Annotated
from uuid import UUID

from aws_lambda_powertools.event_handler.openapi.params import Body

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
from storepost.api.http.app import create_app
from storepost.api.http.callers import Known, SignedIn
from storepost.api.http.lists import Page, PageNumber, Size
from storepost.api.http.once import Writes
from storepost.api.http.origin import From
from storepost.values.pagination import PageRequest, PageSize

app = create_app()


@app.get("/v1/me", operation_id="me.get")
def get_me(caller: Known) -> Me:
    """Who calls; for a key the person who made it, with the key's workspace alone."""
    return Me.of(account.account_of(caller))


@app.patch("/v1/me", operation_id="me.update", status_code=204)
def update_me(caller: SignedIn, writes: Writes, body: Annotated[MeUpdate, Body()]) -> None:
    """Changes the person's name."""
    account.rename(caller, body.name, writes)


@app.put("/v1/me/workspace", operation_id="me.setWorkspace", status_code=204)
def set_workspace(
    caller: SignedIn, writes: Writes, body: Annotated[ChosenWorkspace, Body()]
) -> None:
    """Chooses the workspace that this session works in; the next session opens in it too."""
    account.choose_workspace(caller, body.workspace_id, writes)


@app.post("/v1/me/password", operation_id="me.changePassword", status_code=204)
def change_password(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[PasswordChange, Body()]
) -> None:
    """A new password; every other session and every trusted browser ends."""
    credentials.change_password(caller, body.current, body.password, origin.ip_address, writes)


@app.post("/v1/me/email", operation_id="me.changeEmail", status_code=202)
def change_email(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[AddressChange, Body()]
) -> None:
    """Emails a code to the new address; whether it belongs to an account stays untold."""
    credentials.ask_for_address(caller, body.email, body.password, origin.ip_address, writes)


@app.post("/v1/me/email/confirm", operation_id="me.confirmEmail", status_code=204)
def confirm_email(caller: SignedIn, writes: Writes, body: Annotated[CodeProof, Body()]) -> None:
    """Moves the account to the new address; the old one is told."""
    credentials.confirm_address(caller, body.code, writes)


@app.post("/v1/me/two-factor/app", operation_id="me.startTwoFactorApp")
def start_two_factor_app(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[PasswordProof, Body()]
) -> AppSetUp:
    """A secret for an authenticator app; the method is on once a code of it is confirmed."""
    return AppSetUp.of(
        *two_factor_settings.start_app(caller, body.password, origin.ip_address, writes)
    )


@app.post("/v1/me/two-factor/app/confirm", operation_id="me.confirmTwoFactorApp")
def confirm_two_factor_app(
    caller: SignedIn, writes: Writes, body: Annotated[CodeProof, Body()]
) -> BackupCodes:
    """Turns the app method on; the first method brings ten backup codes, a second none."""
    return BackupCodes(backup_codes=two_factor_settings.confirm_app(caller, body.code, writes))


@app.post("/v1/me/two-factor/app/disable", operation_id="me.disableTwoFactorApp", status_code=204)
def disable_two_factor_app(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[PasswordProof, Body()]
) -> None:
    """Turns the app method off, and with the last method two-factor as a whole."""
    two_factor_settings.disable_app(caller, body.password, origin.ip_address, writes)


@app.post("/v1/me/two-factor/email", operation_id="me.startTwoFactorEmail", status_code=204)
def start_two_factor_email(caller: SignedIn, writes: Writes) -> None:
    """Emails a code; the method is on once that is confirmed."""
    two_factor_settings.start_email(caller, writes)


@app.post("/v1/me/two-factor/email/confirm", operation_id="me.confirmTwoFactorEmail")
def confirm_two_factor_email(
    caller: SignedIn, writes: Writes, body: Annotated[CodeProof, Body()]
) -> BackupCodes:
    """Turns the email method on; the first method brings ten backup codes, a second none."""
    return BackupCodes(backup_codes=two_factor_settings.confirm_email(caller, body.code, writes))


@app.post(
    "/v1/me/two-factor/email/disable", operation_id="me.disableTwoFactorEmail", status_code=204
)
def disable_two_factor_email(caller: SignedIn, writes: Writes) -> None:
    """Turns the email method off, and with the last method two-factor as a whole."""
    two_factor_settings.disable_email(caller, writes)


@app.post("/v1/me/two-factor/backup-codes", operation_id="me.newBackupCodes")
def new_backup_codes(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[PasswordProof, Body()]
) -> BackupCodes:
    """Ten new backup codes; the old ones and every trusted browser end."""
    codes = two_factor_settings.renew_backup_codes(caller, body.password, origin.ip_address, writes)
    return BackupCodes(backup_codes=codes)


@app.post(
    "/v1/me/two-factor/trusted-browsers/forget",
    operation_id="me.forgetTrustedBrowsers",
    status_code=204,
)
def revoke_trusted_browsers(caller: SignedIn, writes: Writes) -> None:
    """Every browser asks for a two-factor code again at its next sign-in."""
    two_factor_settings.revoke_trusted_browsers(caller, writes)


@app.post("/v1/me/delete", operation_id="me.delete", status_code=204)
def delete_me(
    caller: SignedIn, origin: From, writes: Writes, body: Annotated[PasswordProof, Body()]
) -> None:
    """Deletes the account; keys that it made go on and are nobody's."""
    deletion.delete_account(caller, body.password, origin.ip_address, writes)


@app.get("/v1/sessions", operation_id="sessions.list")
def list_sessions(
    caller: SignedIn, page: PageNumber = 1, page_size: Size = PageSize.TWENTY_FIVE
) -> Page[SessionSummary]:
    """Where the person is signed in, most recently active first."""
    listing = sessions.list_sessions(caller, PageRequest(page, page_size))
    current = caller.session.id
    return Page[SessionSummary].of(listing, lambda row: SessionSummary.of(row, current))


@app.delete("/v1/sessions/<id>", operation_id="sessions.delete", status_code=204)
def delete_session(id: UUID, caller: SignedIn, writes: Writes) -> None:
    """Signs a browser or device out at once."""
    sessions.end_session(caller, id, writes)


@app.post("/v1/sessions/sign-out-others", operation_id="sessions.deleteOthers", status_code=204)
def delete_other_sessions(caller: SignedIn, writes: Writes) -> None:
    """Signs every browser and device out but the one that asks."""
    sessions.end_other_sessions(caller, writes)


lambda_handler = app.handler()
