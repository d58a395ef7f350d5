// Choosing parts of a captured page. The frame is of another origin and holds a page of strangers: all that is taken
// from it is a whole number, which is either that of an element or one of our keys.
"use strict";

const chooser = document.getElementById("chooser");
const frame = document.getElementById("frame");
const choices = document.getElementById("choices");
const by = (id) => document.getElementById(id);
const KEYS = { [-1]: "parent", [-2]: "child", [-3]: "previous", [-4]: "next", [-5]: "include", [-6]: "exclude" };
const NAMES = { ArrowUp: -1, ArrowDown: -2, ArrowLeft: -3, ArrowRight: -4, Enter: -5, x: -6 };
const MOST = 10_000_000;
let pointed = null;
let marks = { watched: [], left: [] };
let asked = 0;
let askedMarks = 0;

const linesOf = (name) => by(name).value.split("\n").map((line) => line.trim()).filter(Boolean);

function outline() {
  // To whatever the frame shows: these are numbers of its own elements, and nothing else.
  const told = { watched: marks.watched, left: marks.left, chosen: pointed ? [pointed.node] : [] };
  frame.contentWindow.postMessage(told, "*");
}

// What the server says: an object, or a sentence about what is wrong.
async function ask(address) {
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  const text = await answer.text();
  return answer.ok ? [JSON.parse(text), ""] : [null, text.trim()];
}

async function point(node) {
  const number = ++asked;
  const [found, trouble] = await ask(`${chooser.dataset.element}&node=${node}`);
  if (number !== asked) return; // another one was pointed at meanwhile
  by("pointed-trouble").hidden = !trouble;
  by("pointed-trouble").textContent = trouble;
  if (!found) return;
  pointed = found;
  showPointed();
  outline();
}

function showPointed() {
  by("pointed-none").hidden = true;
  by("pointed").hidden = false;
  by("pointed-tag").textContent = `<${pointed.tag}>`;
  by("pointed-text").textContent = pointed.text || "(no text)";
  by("pointed-selector").textContent = pointed.selector;
  const value = pointed.value;
  const said = [["number", "number"], ["date", "date"], ["stock", "stock"]].filter(([kind]) => value[kind]);
  by("pointed-value").textContent = said.map(([kind, name]) => `· as a ${name}: ${value[kind]}`).join(" ");
  by("similar").hidden = !pointed.similar;
  by("similar").textContent = pointed.similar ? `Watch all ${pointed.similar_count} of its kind` : "";
  for (const button of document.querySelectorAll("[data-go-to]")) button.disabled = pointed[button.dataset.goTo] === null;
  showValue();
}

function showValue() {
  const kind = by("value").value;
  const now = pointed && kind !== "none" ? pointed.value[kind] : "";
  by("value-now").textContent = !pointed || kind === "none" ? "" : now ? `The selected element says: ${now}` : "The selected element says nothing of this kind.";
}

function take(name) {
  if (!pointed) return;
  const selector = name === "similar" ? pointed.similar : pointed.selector;
  const field = by(name === "exclude" ? "exclude" : "include");
  const lines = linesOf(field.id);
  if (!lines.includes(selector)) field.value = [...lines, selector].join("\n");
  changed();
}

function drop(name, selector) {
  by(name).value = linesOf(name).filter((line) => line !== selector).join("\n");
  changed();
}

function list(name) {
  const shown = by(`${name}-list`), lines = linesOf(name);
  shown.replaceChildren();
  for (const selector of lines) {
    const entry = document.createElement("li"), code = document.createElement("code"), button = document.createElement("button");
    code.textContent = selector;
    button.type = "button";
    button.className = "small";
    button.textContent = "Remove";
    button.setAttribute("aria-label", `Remove ${selector}`);
    button.addEventListener("click", () => drop(name, selector));
    entry.append(code, " ", button);
    shown.append(entry);
  }
  if (!lines.length) {
    const entry = document.createElement("li");
    entry.className = "quiet";
    entry.textContent = shown.dataset.empty;
    shown.append(entry);
  }
  shown.hidden = false;
}

async function changed() {
  list("include");
  list("exclude");
  choices.dispatchEvent(new CustomEvent("chosen"));
  const number = ++askedMarks;
  const given = new URLSearchParams({ include: by("include").value, exclude: by("exclude").value });
  const [found, trouble] = await ask(`${chooser.dataset.marks}&${given}`);
  if (number !== askedMarks) return; // something else was chosen meanwhile, and its answer may have come before
  if (found) marks = found;
  const note = by("unmatched");
  note.textContent = found && found.unmatched.length ? `Not on this version: ${found.unmatched.join(", ")}` : trouble;
  note.hidden = !note.textContent;
  outline();
}

function act(key) {
  const name = KEYS[key];
  if (name === "include" || name === "exclude") take(name);
  else if (pointed && pointed[name] !== null) point(pointed[name]);
}

window.addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.origin !== "null" || !Number.isInteger(event.data)) return;
  if (event.data === 0) changed(); // it is there
  else if (event.data > 0 && event.data < MOST) {
    frame.focus(); // keys that are pressed next are about the page
    point(event.data);
  }
  else if (KEYS[event.data]) act(event.data);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(NAMES, event.key)) return;
  const busy = event.key.startsWith("Arrow") ? "input, textarea, select" : "input, textarea, select, button, a, summary";
  if (!pointed || event.target.closest(busy)) return;
  event.preventDefault();
  act(NAMES[event.key]);
});

for (const button of document.querySelectorAll("[data-take]")) button.addEventListener("click", () => take(button.dataset.take));
for (const button of document.querySelectorAll("[data-go-to]")) button.addEventListener("click", () => point(pointed[button.dataset.goTo]));
by("start").addEventListener("click", () => point(0));
by("value").addEventListener("change", () => { showValue(); choices.dispatchEvent(new CustomEvent("chosen")); });
for (const name of ["include", "exclude"]) by(name).addEventListener("change", changed);
by("conditions").addEventListener("input", () => choices.dispatchEvent(new CustomEvent("chosen")));
changed();
