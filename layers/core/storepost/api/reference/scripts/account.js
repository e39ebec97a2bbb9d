let registration = null;
let challenge = null;
let session = null;

/** What a page does once somebody is known; a page may put its own in this place. */
let welcome = () => {
  byId("token").value = session.token;
  byId("expires").textContent = new Date(session.expiresAt).toLocaleString();
  show("signed-in");
};

function begin(found) {
  session = found;
  welcome();
}

const METHODS = {
  app: "The code in your authenticator app",
  email: "A code that we email you",
  backup_code: "A backup code",
};

function offer(methods) {
  const choice = byId("second-step-method");
  choice.replaceChildren(...methods.map((method) => new Option(METHODS[method] || method, method)));
  const sends = () => { byId("send-code").hidden = choice.value !== "email"; };
  choice.onchange = sends;
  sends();
  show("second-step");
}

on("sign-in", async ({ email, password }) => {
  const answer = await call("POST", "auth/sign-in", { body: { email, password } });
  byId("sign-in-password").value = "";
  if (answer.status === "signed_in") return begin(answer);
  challenge = answer.challenge;
  offer(answer.methods);
});

on("send-code", async () => {
  await call("POST", "auth/two-factor/send-code", { body: { challenge } });
  byId("code-sent").textContent = "The code is on its way to your inbox.";
});

on("second-step", async ({ method, code }) => {
  begin(await call("POST", "auth/two-factor/verify", { body: { challenge, method, code: code.trim() } }));
});

on("forgot", async ({ email }) => {
  await call("POST", "auth/password/forgot", { body: { email } });
  show("forgot-sent");
});

on("sign-up", async ({ name, email, password }) => {
  const answer = await call("POST", "auth/sign-up", { body: { name, email, password } });
  byId("sign-up-password").value = "";
  registration = answer.registration;
  show("confirm");
});

on("confirm", async ({ code }) => {
  begin(await call("POST", "auth/verify-email", { body: { registration, code: code.trim() } }));
});

on("resend", async () => {
  byId("resent").textContent = "";
  await call("POST", "auth/sign-up/resend", { body: { registration } });
  byId("resent").textContent = "Another code is on its way.";
});

on("sign-out", async () => {
  await call("POST", "auth/sign-out", { token: session.token });
  session = null;
  byId("token").value = "";
  show("signed-out");
});
