// The only script of the report; no page in it can run any.
"use strict";
const rows = [...document.querySelectorAll("#addresses tbody tr")];
const states = [...document.querySelectorAll("fieldset input[value]")].filter((box) => box.type === "checkbox");
const important = document.querySelector("#only-important");
const search = document.querySelector("#search");
const shown = document.querySelector("#shown");
let group = "";

function filter() {
  const on = new Set(states.filter((box) => box.checked).map((box) => box.value));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = words.length ? row.textContent.toLowerCase() : "";
    row.hidden =
      !on.has(row.dataset.state) ||
      (important.checked && row.dataset.level !== "important") ||
      (group && !row.dataset.groups.split(" ").includes(group)) ||
      !words.every((word) => text.includes(word));
    count += !row.hidden;
  }
  shown.textContent = `${count.toLocaleString("en")} shown`;
}

function open(button) {
  const cell = button.closest("td");
  const frame = cell.querySelector("iframe");
  if (frame) frame.remove();
  else cell.append(document.getElementById(button.dataset.page).content.cloneNode(true));
  button.textContent = frame ? "show the page" : "hide the page";
}

function fold(button) {
  const was = group === button.dataset.group;
  group = was ? "" : button.dataset.group;
  for (const each of document.querySelectorAll("[data-group]"))
    each.setAttribute("aria-pressed", String(each.dataset.group === group));
  filter();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button && button.dataset.page) open(button);
  if (button && button.dataset.group) fold(button);
});
for (const input of [...states, important]) input.addEventListener("change", filter);
search.addEventListener("input", filter);
filter();
