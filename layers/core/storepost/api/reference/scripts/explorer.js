"use strict";

const explorer = document.getElementById("explorer");
const LABELLED = "button.show-more[aria-label]";

/** What a button shows is what it is called: who speaks to a computer says what they see. */
function nameByText() {
  for (const button of explorer.querySelectorAll(LABELLED)) button.removeAttribute("aria-label");
}

/** `#orders.put` is where the plain pages have an operation; here its group stands before it. */
function groupBefore() {
  const plain = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const link = plain && plain.querySelector("a");
  const found = link && /\/reference\/(\w+)#(.+)$/.exec(link.href);
  if (found) history.replaceState(null, "", `#tag/${found[1]}/${found[2]}`);
}

if (window.Scalar) {
  groupBefore();
  Scalar.createApiReference(explorer, {
    url: explorer.dataset.description,
    // As on the pages without scripts, an operation's address ends in its id.
    generateOperationSlug: (operation) => operation.operationId || operation.path,
    generateTagSlug: (tag) => tag.name,
    agent: { disabled: true },
    authentication: { preferredSecurityScheme: "bearer" },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    documentDownloadType: "none",
    hiddenClients: true,
    hideClientButton: true,
    mcp: { disabled: true },
    persistAuth: false,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  });
  document.getElementById("plain").remove();
  new MutationObserver(nameByText).observe(explorer, { childList: true, subtree: true });
}
