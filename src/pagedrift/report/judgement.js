// The only script of the report: views, jumps to boxes, the slider, and two pictures that scroll together.
"use strict";
const views = [...document.querySelectorAll("#views > section")];
const tabs = [...document.querySelectorAll("[data-view]")];
const rows = [...document.querySelectorAll("aside li")].filter((row) => row.dataset.block || row.dataset.old || row.dataset.new);
const sheets = [...document.querySelectorAll(".sheet")];
const where = document.querySelector("#where");
const sides = document.querySelector("#sides");
let current = null;

function show(name) {
  for (const view of views) view.hidden = view.id !== name;
  for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === name));
  if (current) jump(current);
}

function select(row) {
  if (current) current.classList.remove("current");
  current = row;
  row.classList.add("current");
  row.scrollIntoView({ block: "nearest" });
  jump(row);
  where.textContent = `${rows.indexOf(row) + 1} of ${rows.length}`;
}

function place(sheet, row) {
  // A reason has its box in the list; blocks were drawn before.
  const box = JSON.parse(row.dataset[sheet.dataset.side] || "null");
  if (!box || box[1] >= Number(sheet.dataset.height)) return null;
  const mark = document.createElement("i");
  mark.className = "reason";
  const share = (value, whole) => (100 * value) / Number(whole) + "%";
  mark.style.left = share(box[0], sheet.dataset.width);
  mark.style.top = share(box[1], sheet.dataset.height);
  mark.style.width = share(box[2], sheet.dataset.width);
  mark.style.height = share(Math.min(box[3], sheet.dataset.height - box[1]), sheet.dataset.height);
  return sheet.appendChild(mark);
}

let quiet = 0; // until then, scrolling is ours
function jump(row) {
  quiet = performance.now() + 300;
  for (const mark of document.querySelectorAll(".sheet i.reason")) mark.remove();
  for (const mark of document.querySelectorAll(".sheet i.current")) mark.classList.remove("current");
  for (const sheet of sheets) {
    const mark = row.dataset.block ? sheet.querySelector(`[data-mark="${row.dataset.block}"]`) : place(sheet, row);
    if (!mark) continue;
    mark.classList.add("current");
    if (!sheet.closest("section").hidden) mark.scrollIntoView({ block: "center", inline: "nearest" });
  }
}

function step(by) {
  if (!rows.length) return;
  const at = rows.indexOf(current);
  select(rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length]);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "n") step(1);
  if (event.key === "p") step(-1);
}

// Both pictures scroll together: blocks that are on both meet, and between them in proportion.
function follow(from, to, forth) {
  if (performance.now() < quiet) return;
  quiet = performance.now() + 80;
  const sheet = (scroller) => scroller.querySelector(".sheet");
  const scale = (scroller) => sheet(scroller).clientWidth / Number(sheet(scroller).dataset.width);
  const marks = JSON.parse(sides.dataset.landmarks).map((mark) => (forth ? mark : [mark[1], mark[0]]));
  const ends = [from, to].map((scroller) => Number(sheet(scroller).dataset.height));
  const all = [[0, 0], ...marks, ends].sort((one, other) => one[0] - other[0]);
  const at = from.scrollTop / scale(from);
  let index = all.findIndex((mark) => mark[0] > at);
  if (index < 1) index = all.length - 1;
  const [[a, b], [c, d]] = [all[index - 1], all[index]];
  to.scrollTop = from.scrollTop === 0 ? 0 : (b + ((at - a) / Math.max(1, c - a)) * (d - b)) * scale(to);
}

if (sides) {
  const [old, fresh] = sides.querySelectorAll(".scroll");
  old.addEventListener("scroll", () => follow(old, fresh, true));
  fresh.addEventListener("scroll", () => follow(fresh, old, false));
  const cut = document.querySelector("#cut"), over = document.querySelector(".over");
  const slide = () => { over.style.width = cut.value + "%"; };
  cut.addEventListener("input", slide);
  document.querySelector("#aligned").addEventListener("change", (event) => over.classList.toggle("raw", !event.target.checked));
  slide();
}
for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.view));
for (const row of rows) row.addEventListener("click", () => select(row));
document.querySelector("#next").addEventListener("click", () => step(1));
document.querySelector("#previous").addEventListener("click", () => step(-1));
document.addEventListener("keydown", key);
where.textContent = `– of ${rows.length}`;
show(sides ? "sides" : "text");
