const invitation = `invitations/${encodeURIComponent(fragment())}`;

const CLOSED = {
  accepted: "It was accepted already.",
  rejected: "It was declined.",
  canceled: "It was withdrawn. Ask for a new one.",
  expired: "It has expired. Ask for it to be sent again.",
};

function present(preview) {
  byId("invited-by").textContent = preview.invitedBy;
  for (const name of ["workspace", "email", "role"]) byId(name).textContent = preview[name];
  byId("preview").hidden = false;
  for (const form of ["sign-in", "sign-up", "forgot"]) byId(`${form}-email`).value = preview.email;
  byId("joined").textContent = preview.workspace;
  if (preview.status === "pending") return show("sign-in");
  byId("closed-detail").textContent = CLOSED[preview.status] || "";
  show("closed");
}

welcome = () => show("answer");

on("accept", async () => {
  await call("POST", `${invitation}/accept`, { token: session.token });
  show("accepted");
});

on("decline", async () => {
  await call("POST", `${invitation}/decline`, { token: session.token });
  show("declined");
});

(async () => {
  try {
    if (!fragment()) return broken();
    present(await call("GET", `${invitation}/preview`));
  } catch (problem) {
    broken(problem);
  } finally {
    byId("waiting").hidden = true;
  }
})();
