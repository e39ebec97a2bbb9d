"use strict";

const byId = (id) => document.getElementById(id);
const fragment = () => location.hash.slice(1);

/** Calls the API; what goes wrong is thrown as a problem detail. */
async function call(method, path, { body, token } = {}) {
  const headers = { accept: "application/json" };
  if (body) headers["content-type"] = "application/json";
  if (token) headers.authorization = `Bearer ${token}`;
  const request = { method, headers, body: body && JSON.stringify(body), credentials: "omit" };
  let answer;
  try {
    answer = await fetch(`../${path}`, request);
  } catch {
    throw { detail: "The service can't be reached. Check your connection and try again." };
  }
  const text = await answer.text();
  const content = text && (answer.headers.get("content-type") || "").includes("json") ? JSON.parse(text) : {};
  if (answer.ok) return content;
  throw content.detail ? content : { detail: "The service didn't answer as it should. Try again in a moment." };
}

/** Shows one step of the page and no other. */
function show(name) {
  for (const step of document.querySelectorAll("[data-step]")) step.hidden = step.dataset.step !== name;
  const title = byId(`${name}-title`);
  document.title = `${title.textContent} · Storepost`;
  title.focus();
}

/** What people read of a problem: without the marks that set code apart. */
const said = (problem) => problem.detail.replaceAll("`", "");

/** A link that can't be used; an id that is wrong or names nothing is a matter of the link. */
function broken(problem) {
  if (problem && ![404, 422].includes(problem.status)) byId("broken-detail").textContent = said(problem);
  show("broken");
}

function clear(form) {
  form.querySelector(".problem").textContent = "";
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  for (const message of form.querySelectorAll(".field")) message.textContent = "";
}

/** A field's message stands under it; the first such field gets the focus. */
function refuse(form, problem) {
  let first = null;
  for (const { path, message } of problem.errors || []) {
    const input = form.elements.namedItem(path.slice(1));
    if (!input) continue;
    input.setAttribute("aria-invalid", "true");
    byId(`${input.id}-error`).textContent = message;
    first = first || input;
  }
  if (first) first.focus();
  else form.querySelector(".problem").textContent = said(problem);
}

function missing(form) {
  const empty = [...form.elements].filter((e) => e.name && !e.value.trim());
  return empty.map((e) => ({ path: `/${e.name}`, message: "Fill this in." }));
}

/** Does the form's work when it is sent, once at a time. */
function on(id, work) {
  const form = byId(id);
  if (!form) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clear(form);
    const errors = missing(form);
    if (errors.length) return refuse(form, { errors });
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      await work(Object.fromEntries(new FormData(form)));
    } catch (problem) {
      refuse(form, problem.detail ? problem : { detail: "Something went wrong on this page." });
    } finally {
      button.disabled = false;
    }
  });
}

for (const button of document.querySelectorAll("[data-show]")) {
  button.addEventListener("click", () => show(button.dataset.show));
}
addEventListener("hashchange", () => location.reload());
