const link = `connect-links/${encodeURIComponent(fragment())}`;

function present({ store }) {
  byId("store").textContent = byId("connected-store").textContent = store.name;
  byId("shop").textContent = store.externalId;
  byId("preview").hidden = false;
  show("sign-in");
}

/** Those that wait for this shop come first; what can't be chosen yet can't be. */
function offerWorkspaces({ myWorkspaces, requestedWorkspaceIds, twoFactorWorkspaces, previousWorkspace }) {
  const locked = new Set(twoFactorWorkspaces.map(({ id }) => id));
  const awaited = ({ id }) => requestedWorkspaceIds.includes(id);
  const ordered = [...myWorkspaces.filter(awaited), ...myWorkspaces.filter((w) => !awaited(w))];
  const options = ordered.map(({ id, name }) => {
    const option = new Option(locked.has(id) ? `${name} (two-factor sign-in needed)` : name, id);
    option.disabled = locked.has(id);
    return option;
  });
  byId("connect-workspaceId").replaceChildren(...options);
  byId("connect-workspaceId-hint").hidden = locked.size === 0;
  byId("moves").hidden = !previousWorkspace;
  byId("previous").textContent = previousWorkspace ? previousWorkspace.name : "";
  const open = options.find((option) => !option.disabled);
  if (open) open.selected = true;
  byId("back").hidden = !open;
  show(open ? "choose" : "make");
}

welcome = () => {
  call("GET", `${link}`, { token: session.token }).then(offerWorkspaces, broken);
};

async function connect(choice, name) {
  await call("POST", `${link}/connect`, { token: session.token, body: choice });
  byId("connected-workspace").textContent = name;
  byId("preview").hidden = true;
  // The link is used up: nobody who goes back finds it in the address.
  history.replaceState(null, "", location.pathname);
  show("connected");
}

on("connect", ({ workspaceId }) => {
  const chosen = byId("connect-workspaceId").selectedOptions[0];
  return connect({ action: "connect", workspaceId }, chosen.textContent);
});

on("connect-new", ({ workspaceName }) =>
  connect({ action: "connect_new", workspaceName }, workspaceName.trim()));

(async () => {
  try {
    if (!fragment()) return broken();
    present(await call("GET", `${link}/preview`));
  } catch (problem) {
    broken(problem);
  } finally {
    byId("waiting").hidden = true;
  }
})();
