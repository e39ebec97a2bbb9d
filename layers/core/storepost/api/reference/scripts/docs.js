"use strict";

/** Each block of code can be copied. */
for (const block of document.querySelectorAll("main pre")) {
  if (!navigator.clipboard) break;
  const sample = document.createElement("div");
  sample.className = "sample";
  block.replaceWith(sample);
  const button = document.createElement("button");
  button.className = "second";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  sample.append(block, button);
}

/** The search: its index is fetched when somebody first looks for something. */
const form = document.querySelector(".search");
const MAX_RESULTS = 12;
let index = null;

async function loadIndex() {
  const answer = await fetch(form.dataset.index);
  const documents = await answer.json();
  const found = new MiniSearch({
    fields: ["title", "text"],
    storeFields: ["title", "page", "address"],
    searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 2, fuzzy: (term) => (term.length > 5 ? 0.15 : false) },
  });
  found.addAll(documents.map((each, id) => ({ id, ...each })));
  return found;
}

function show(results) {
  const links = results.slice(0, MAX_RESULTS).map(({ title, page, address }) => {
    const link = document.createElement("a");
    link.href = form.dataset.root + address;
    link.textContent = title;
    if (page !== title) {
      const where = document.createElement("small");
      where.textContent = page;
      link.append(where);
    }
    const item = document.createElement("li");
    item.append(link);
    return item;
  });
  const shown = form.querySelector(".results");
  shown.querySelector("ul").replaceChildren(...links);
  document.getElementById("found").textContent = results.length ? `${results.length} results` : "Nothing found. Try another word.";
  shown.hidden = false;
}

async function search() {
  const words = form.elements.query.value.trim();
  if (!words) { form.querySelector(".results").hidden = true; return; }
  index = index || loadIndex();
  const found = await index;
  if (words === form.elements.query.value.trim()) show(found.search(words));
}

function moveFocus(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") { form.querySelector(".results").hidden = true; form.elements.query.focus(); }
  if (!step) return;
  const stops = [form.elements.query, ...form.querySelectorAll(".results a")];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (next) { event.preventDefault(); next.focus(); }
}

if (form && window.MiniSearch) {
  form.hidden = false;
  form.addEventListener("input", search);
  form.addEventListener("keydown", moveFocus);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = form.querySelector(".results a");
    if (first) first.click();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !isTyping) { event.preventDefault(); form.elements.query.focus(); }
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) form.querySelector(".results").hidden = true;
  });
}
