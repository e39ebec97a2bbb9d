const token = fragment();

on("reset", async ({ password }) => {
  await call("POST", "auth/password/reset", { body: { token, password } });
  // The token is used up: nobody who goes back finds it in the address.
  history.replaceState(null, "", location.pathname);
  byId("reset-password").value = "";
  show("done");
});

byId("show-password").addEventListener("click", () => {
  const input = byId("reset-password");
  const hidden = input.type === "password";
  input.type = hidden ? "text" : "password";
  byId("show-password").textContent = `${hidden ? "Hide" : "Show"} the password`;
});
if (token) show("reset");
else broken();
