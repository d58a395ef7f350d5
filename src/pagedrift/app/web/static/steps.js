// Recording steps: a click into the picture of a page selects the element whose box is there. The picture is an image,
// and nothing of the page runs here.
"use strict";

{ // names of its own: app.js has some of them
const USUAL = { field: "fill", password: "secret", list: "select", text: "wait" }; // others are clicked
const FITTING = {
  field: ["fill", "secret", "press", "click", "wait"], password: ["secret", "fill", "press", "click", "wait"],
  list: ["select", "press", "wait"], text: ["wait", "click"],
};
const OTHERS = ["click", "press", "wait"];
const LABELS = { fill: "Text", select: "Option", press: "Key" };
const by = (id) => document.getElementById(id);
const radios = () => [...document.querySelectorAll("#recording input[name=target]")];
const boxOf = (radio) => radio.dataset.box.split(" ").map(Number);

// Only what the chosen action needs is shown.
function showFields() {
  const action = by("action");
  if (!action) return;
  for (const field of document.querySelectorAll("#recording [data-for]")) field.hidden = !field.dataset.for.split(" ").includes(action.value);
  const label = document.querySelector("label[for=value]");
  label.textContent = LABELS[action.value] || label.textContent;
  by("value-hint").hidden = action.value !== "press";
  by("value").placeholder = action.value === "press" ? "Enter" : "";
}

function pick(radio) {
  const kind = radio.dataset.kind, action = by("action"), fitting = FITTING[kind] || OTHERS;
  radio.checked = true;
  for (const option of action.options) option.hidden = option.disabled = !fitting.includes(option.value);
  action.value = USUAL[kind] || "click";
  const options = JSON.parse(radio.dataset.options || "[]");
  by("options").replaceChildren(...options.map((text) => Object.assign(document.createElement("option"), { value: text })));
  by("value").value = "";
  by("picked").replaceChildren(...[...radio.nextElementSibling.cloneNode(true).childNodes]);
  outline(radio);
  showFields();
}

function outline(chosen) {
  for (const spot of document.querySelectorAll(".spot")) spot.classList.toggle("chosen", Number(spot.dataset.at) === radios().indexOf(chosen));
}

// The boxes of all elements, in shares of the picture, so that they stay where they are when it is made smaller.
function draw() {
  const shot = by("shot"), image = shot && shot.querySelector("img");
  if (!image || !image.naturalWidth || shot.querySelector(".spot")) return;
  radios().forEach((radio, at) => {
    const [x, y, width, height] = boxOf(radio), spot = document.createElement("span");
    if (y >= image.naturalHeight) return;
    spot.className = radio.dataset.kind === "text" ? "spot part" : "spot";
    spot.dataset.at = String(at);
    spot.style.left = `${(x / image.naturalWidth) * 100}%`;
    spot.style.top = `${(y / image.naturalHeight) * 100}%`;
    spot.style.width = `${(width / image.naturalWidth) * 100}%`;
    spot.style.height = `${(height / image.naturalHeight) * 100}%`;
    shot.append(spot);
  });
}

// The smallest element at a place; one that something can be done with goes before plain text.
function at(x, y) {
  const there = radios().filter((radio) => {
    const [left, top, width, height] = boxOf(radio);
    return x >= left && x <= left + width && y >= top && y <= top + height;
  });
  const size = (radio) => (radio.dataset.kind === "text" ? 1e12 : 0) + boxOf(radio)[2] * boxOf(radio)[3];
  return there.sort((one, other) => size(one) - size(other))[0];
}

document.addEventListener("click", (event) => {
  const shot = event.target.closest("#shot");
  if (!shot || !by("action")) return;
  const image = shot.querySelector("img"), frame = image.getBoundingClientRect(), scale = image.naturalWidth / frame.width;
  const found = at((event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale);
  if (!found) {
    by("picked").textContent = "There is no element that can be selected; click another one.";
    return;
  }
  const folded = found.closest("details");
  if (folded) folded.open = true;
  pick(found);
  by("picked").closest("section").scrollIntoView({ block: "nearest" });
});

document.addEventListener("change", (event) => {
  if (event.target.name === "target") pick(event.target);
  else if (event.target.id === "action") showFields();
});
document.addEventListener("load", (event) => { if (event.target.closest && event.target.closest("#shot")) draw(); }, true);
// What the server refuses is said where the picture would be.
function refused(text) {
  by("refused").textContent = text;
  by("refused").hidden = false;
}
document.addEventListener("htmx:responseError", (event) => refused(event.detail.xhr.responseText.trim().slice(0, 500)));
document.addEventListener("htmx:sendError", () => refused("The server did not answer; try again."));
document.addEventListener("htmx:beforeRequest", () => { by("refused").hidden = true; });
function begin() { showFields(); draw(); }
document.addEventListener("htmx:load", begin);
begin();
}
