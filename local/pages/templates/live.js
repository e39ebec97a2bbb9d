// Updates the page without disturbing the reader: parts with the focus or a selection stay.
const button = document.getElementById("live");
let asking = false;

button.hidden = false;
button.addEventListener("click", () => {
  button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
});

function isFree(part) {
  const selection = document.getSelection();
  const selected = selection && !selection.isCollapsed && part.contains(selection.anchorNode);
  return !selected && !part.contains(document.activeElement);
}

function replace(selector, page) {
  const mine = document.querySelector(selector);
  const theirs = page.querySelector(selector);
  if (!theirs || mine.innerHTML === theirs.innerHTML || !isFree(mine)) return;
  const open = [...mine.querySelectorAll("details")].filter((each) => each.open).length;
  if (!open) mine.replaceChildren(...theirs.childNodes);
}

async function look() {
  const wanted = button.getAttribute("aria-pressed") === "true" && !document.hidden && !asking;
  if (!wanted) return;
  asking = true;
  try {
    const answer = await fetch(location.href, { headers: { "x-live": "1" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    replace("main time", page);
    replace("[data-live]", page);
  } catch {
    button.setAttribute("aria-pressed", "false"); // The run has ended: asking on would fill the console.
  } finally {
    asking = false;
  }
}

setInterval(look, 1500);
