// Conveniences. All pages work without this file.
"use strict";

// Times are written in UTC by the server; here they become times in the zone of the reader.
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

function format(at, form) {
  const day = { day: "numeric", month: "short" };
  if (form !== "brief" || at.getFullYear() !== new Date().getFullYear()) day.year = "numeric";
  const clock = form === "day" || form === "days" ? {} : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const name = form === "moment" ? { timeZoneName: "short" } : {};
  return new Intl.DateTimeFormat("en-GB", { ...day, ...clock, ...name, timeZone: zone });
}

function localise(root) {
  for (const time of root.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    const form = time.dataset.local;
    if (form !== "title") time.textContent = format(at, form).format(at);
    time.title = format(at, "moment").format(at);
    delete time.dataset.local;
  }
  for (const days of root.querySelectorAll("[data-local=days]")) {
    const since = new Date(days.dataset.since);
    days.textContent = format(since, "days").formatRange(since, new Date(days.dataset.until));
    delete days.dataset.local;
  }
}

localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target.parentElement || document));
const named = document.querySelector("#zone");
if (named) named.textContent = `Times are in your time zone (${zone.replaceAll("_", " ")}).`;

// Edits of a change: n and p go through them; frames of the page jump along.
const steps = [...document.querySelectorAll(".steps > li")];
let current = -1;

function select(at) {
  if (steps[current]) steps[current].classList.remove("current");
  current = (at + steps.length) % steps.length;
  steps[current].classList.add("current");
  const folded = steps[current].closest("ol").closest("details");
  if (folded) folded.open = true;
  steps[current].scrollIntoView({ block: "center" });
  const link = steps[current].querySelector("a.anchor");
  if (link) link.focus({ preventScroll: true });
}

// Frames are of another origin: their place can be set, nothing in them can be read.
const frames = [...document.querySelectorAll("iframe[data-places]")];
const where = document.querySelector("#where");
let places = [];
let at = -1;

async function findPlaces() {
  const answer = await fetch(frames[0].dataset.places);
  if (answer.ok) places = await answer.json();
  where.textContent = places.length ? `${places.length} ${places.length === 1 ? "edit" : "edits"}` : "";
}

function jump(by) {
  if (!places.length) return;
  at = at < 0 && by < 0 ? places.length - 1 : (at + by + places.length) % places.length;
  for (const frame of frames) {
    const [address] = frame.src.split("#");
    frame.src = `${address}#${frame.dataset.prefix}-${places[at]}`;
  }
  where.textContent = `${at + 1} of ${places.length}`;
}

if (frames.length) findPlaces();

function step(by) {
  if (frames.length) jump(by);
  else if (steps.length) select(current < 0 && by < 0 ? steps.length - 1 : current + by);
}

for (const button of document.querySelectorAll("[data-step]")) {
  button.hidden = false;
  button.addEventListener("click", () => step(Number(button.dataset.step)));
}

// Lines of the inbox and of the list: j and k go through them, x selects one, e marks it as read, o opens it.
let row = -1;
const rows = () => [...document.querySelectorAll("[data-row]")];

function go(to) {
  const all = rows();
  if (!all.length) return;
  for (const each of all) each.classList.remove("current-row");
  row = Math.min(Math.max(to, 0), all.length - 1);
  all[row].classList.add("current-row");
  all[row].scrollIntoView({ block: "nearest" });
  const link = all[row].querySelector("a.title, a, button");
  if (link) link.focus({ preventScroll: true });
}

function press(key) {
  const here = rows()[row];
  const wanted = { x: "input[type=checkbox]", e: "[data-key=e]", o: "[data-key=o], a.title" }[key];
  const found = here && here.querySelector(wanted);
  if (found) found.click();
}

document.addEventListener("htmx:afterSettle", () => { if (row >= 0) go(row); });

// The list refreshes itself, but not while something in it is selected: then it does so afterwards.
let events = null; // a connection to the server that says when there is something new
let late = false;

function busy() {
  const inbox = document.querySelector("#inbox");
  const list = document.querySelector("#list input:checked, #inbox input:checked");
  return Boolean(list || (inbox && inbox.contains(document.activeElement)));
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (!event.target.matches("[data-live]")) return;
  const cause = event.detail.requestConfig.triggeringEvent;
  if (events && events.readyState === EventSource.OPEN && !(cause && cause.type === "live")) {
    event.preventDefault(); // no need to ask every few seconds
  } else if (event.target.id === "list" && busy()) {
    late = true;
    event.preventDefault();
  }
});

// What was selected while the answer was on its way stays selected.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.id !== "list" || !busy()) return;
  late = true;
  event.detail.shouldSwap = false;
});

function refresh(name) {
  const part = document.querySelector(`[data-live~="${name}"]`);
  if (part) part.dispatchEvent(new CustomEvent("live"));
}

setInterval(() => {
  if (!late || busy()) return;
  late = false;
  refresh("inbox");
}, 2000);

// Only while somebody looks: a browser has few connections to one server.
function listen() {
  const part = document.querySelector("[data-live]");
  if (!part || document.hidden || !window.EventSource) {
    if (events) events.close();
    events = null;
  } else if (!events || events.readyState === EventSource.CLOSED) {
    events = new EventSource("/api/v1/events");
    for (const name of part.dataset.live.split(" ")) events.addEventListener(name, () => refresh(name));
  }
}

listen();
document.addEventListener("visibilitychange", listen);
window.addEventListener("pagehide", () => { if (events) events.close(); });

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-select-all]")) return;
  const boxes = [...document.querySelectorAll("input[name=watch]")];
  const all = boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = !all;
});
const showSelectAll = () => { for (const each of document.querySelectorAll("[data-select-all]")) each.hidden = false; };
showSelectAll();
document.addEventListener("htmx:load", showSelectAll);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]")) return;
  const links = { "[": "a[rel=prev]", "]": "a[rel=next]", u: "a[rel=up]" };
  if (event.key === "n") step(1);
  else if (event.key === "p") step(-1);
  else if (event.key === "j") go(row + 1);
  else if (event.key === "k") go(row - 1);
  else if ("xeo".includes(event.key)) press(event.key);
  else if (event.key === "/" && document.querySelector("input[type=search]")) {
    event.preventDefault();
    document.querySelector("input[type=search]").focus();
  } else if (links[event.key]) {
    const link = document.querySelector(links[event.key]);
    if (link) link.click();
  }
});

// Pictures one over the other, and how far the older one is drawn over the newer.
for (const range of document.querySelectorAll("input[data-slides]")) {
  const pictures = document.getElementById(range.dataset.slides);
  const slide = () => pictures.style.setProperty("--at", `${range.value}%`);
  pictures.classList.add("sliding");
  range.closest("[hidden]").hidden = false;
  range.addEventListener("input", slide);
  slide();
}

// A number that a slider stands for.
for (const range of document.querySelectorAll("input[data-says]")) {
  const says = document.getElementById(range.dataset.says);
  const show = () => { says.textContent = `${Math.round(range.value * 100)} % of the page`; };
  range.addEventListener("input", show);
  show();
}

// On a phone not all tabs fit.
const tab = document.querySelector(".tabs [aria-current]");
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;

// Actions that ask for confirmation.
document.addEventListener("submit", (event) => {
  const asks = event.target.dataset.confirm;
  if (asks && !window.confirm(asks)) event.preventDefault();
});

// A choice that takes effect immediately.
for (const choice of document.querySelectorAll("select[data-go]")) {
  choice.addEventListener("change", () => choice.form.requestSubmit());
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
