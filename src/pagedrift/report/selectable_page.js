"use strict";
// Says which element is pointed at, as a number, and outlines those that it is told. Everything else around this
// script is a page of strangers: an element called "closest" or "parent" must not stand in for what is meant.
(() => {
  const prefix = /* prefix */, parentOrigin = /* parent */;
  const method = (owner, name) => Function.prototype.call.bind(owner.prototype[name]);
  const closest = method(Element, "closest"), read = method(Element, "getAttribute");
  const write = method(Element, "setAttribute"), erase = method(Element, "removeAttribute");
  const find = method(Document, "querySelector"), findAll = method(Document, "querySelectorAll");
  const create = method(Document, "createElement"), show = method(Element, "scrollIntoView");
  const isNumber = (value) => Number.isInteger(value) && value >= 0;
  const node = `data-${prefix}-node`, hover = `data-${prefix}-hover`, role = `data-${prefix}-role`;
  const keys = { ArrowUp: -1, ArrowDown: -2, ArrowLeft: -3, ArrowRight: -4, Enter: -5, x: -6 };
  // What is pointed at before anybody listens is said again to the first who answers.
  let heard = false, unheard = 0;
  const say = (number) => {
    if (!heard && number > 0) unheard = number;
    window.parent.postMessage(number, parentOrigin);
  };
  const numbered = (target) => (target instanceof Element ? closest(target, `[${node}]`) : null);
  let below = null;

  const style = create(document, "style");
  style.textContent = `
    [${hover}] { outline: 2px dashed #0b5cad !important; outline-offset: 1px !important }
    [${role}~=watched] { outline: 3px solid #0a6b52 !important; outline-offset: 1px !important; background-color: rgb(98 211 176 / 25%) !important }
    [${role}~=left] { outline: 3px dotted #b00020 !important; outline-offset: 1px !important; opacity: .45 !important }
    [${role}~=chosen] { outline: 4px solid #0b5cad !important; outline-offset: 2px !important }
    html, html * { cursor: pointer !important; user-select: none !important }
    [${node}] { pointer-events: auto !important }`;
  find(document, "head").append(style);

  const stop = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
  window.addEventListener("click", (event) => {
    stop(event);
    const found = numbered(event.target);
    if (found) say(Number(read(found, node)));
  }, true);
  for (const name of ["auxclick", "submit", "dragstart", "mousedown"]) window.addEventListener(name, stop, true);
  window.addEventListener("pointerover", (event) => {
    if (below) erase(below, hover);
    below = numbered(event.target);
    if (below && event.pointerType !== "touch") write(below, hover, "");
  }, true);
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    stop(event);
    say(keys[event.key]);
  }, true);

  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || event.origin !== parentOrigin || typeof event.data !== "object") return;
    if (!heard && unheard) say(unheard);
    heard = true;
    for (const each of findAll(document, `[${role}]`)) erase(each, role);
    const roles = new Map();
    for (const name of ["watched", "left", "chosen"]) {
      for (const number of (event.data[name] || []).filter(isNumber)) roles.set(number, [...(roles.get(number) || []), name]);
    }
    for (const [number, names] of roles) {
      const found = find(document, `[${node}="${number}"]`);
      if (found) write(found, role, names.join(" "));
      if (found && names.includes("chosen")) show(found, { block: "nearest", inline: "nearest" });
    }
  });
  say(0);
})();
