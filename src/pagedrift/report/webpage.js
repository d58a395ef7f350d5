// The only script of the report; no page of the comparison can run any.
"use strict";
const views = [...document.querySelectorAll("main > section")];
const tabs = [...document.querySelectorAll("[data-view]")];
const rows = [...document.querySelectorAll("li[data-change]")];
const boxes = [...document.querySelectorAll("fieldset input")];
const sides = [...document.querySelectorAll("#sides iframe")];
const page = document.querySelector("#page iframe");
const where = document.querySelector("#where");
let current = null;

function show(name) {
  for (const view of views) view.hidden = view.id !== name;
  for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === name));
  if (current) jump(current);
}

function filter() {
  const off = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
  for (const row of rows) row.hidden = off.has("kind " + row.dataset.kind) || off.has("mark " + row.dataset.mark);
  tell();
}

function tell() {
  const open = rows.filter((row) => !row.hidden);
  where.textContent = `${open.indexOf(current) + 1 || "–"} of ${open.length}`;
}

function select(row) {
  if (current) current.classList.remove("current");
  current = row;
  row.classList.add("current");
  row.scrollIntoView({ block: "nearest" });
  jump(row);
  tell();
}

function jump(row) {
  // The frame is of no origin: its place can be set, nothing in it can be read.
  if (!page.closest("section").hidden) page.contentWindow.location.replace("about:srcdoc#" + row.dataset.change);
  for (const side of sides) {
    const mark = side.contentDocument && side.contentDocument.getElementById(row.dataset.change);
    if (mark && !side.closest("section").hidden) mark.scrollIntoView({ block: "center" });
  }
}

function step(by) {
  const open = rows.filter((row) => !row.hidden);
  if (!open.length) return;
  const at = open.indexOf(current);
  select(open[at < 0 ? (by > 0 ? 0 : open.length - 1) : (at + by + open.length) % open.length]);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n") step(1);
  if (event.key === "p") step(-1);
}

// Both sides scroll together: places with the same mark meet, and between them in proportion.
function landmarks(from, to) {
  const top = (side, mark) => mark.getBoundingClientRect().top + side.contentWindow.scrollY;
  const found = [[0, 0]];
  for (const row of rows) {
    const [one, other] = [from, to].map((side) => side.contentDocument.getElementById(row.dataset.change));
    if (one && other) found.push([top(from, one), top(to, other)]);
  }
  const end = (side) => side.contentDocument.documentElement.scrollHeight;
  found.sort((one, other) => one[0] - other[0]);
  return [...found, [end(from), end(to)]].filter((mark, index, all) => !index || mark[1] >= all[index - 1][1]);
}

let led = null;
let leading = 0;
function follow(from, to) {
  if (led === from && performance.now() - leading < 150) return; // it was moved by the other
  led = to;
  leading = performance.now();
  const at = from.contentWindow.scrollY + from.clientHeight / 2;
  const marks = landmarks(from, to);
  let index = marks.findIndex((mark) => mark[0] > at);
  if (index < 1) index = marks.length - 1;
  const [[a, b], [c, d]] = [marks[index - 1], marks[index]];
  const middle = b + ((at - a) / Math.max(1, c - a)) * (d - b);
  to.contentWindow.scrollTo(0, from.contentWindow.scrollY === 0 ? 0 : middle - to.clientHeight / 2);
}

function tie() {
  const [one, other] = sides;
  if (!one.contentDocument || !other.contentDocument) return;
  for (const [from, to] of [[one, other], [other, one]]) {
    from.contentWindow.addEventListener("scroll", () => follow(from, to));
    from.contentWindow.addEventListener("keydown", key);
  }
}

for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.view));
for (const row of rows) row.addEventListener("click", () => select(row));
for (const box of boxes) box.addEventListener("change", filter);
document.querySelector("#next").addEventListener("click", () => step(1));
document.querySelector("#previous").addEventListener("click", () => step(-1));
document.addEventListener("keydown", key);
window.addEventListener("load", tie);
show("changes");
filter();
