// The elements of a page that steps may be about, in one string: fields, buttons and links first of all, each with its
// name and box, and the page as HTML in which each of them has a number. Changes nothing.
(attribute, mostControls, mostOthers, mostHtml) => {
  const CONTROLS = "a[href], button, input, select, textarea, summary, [contenteditable=''], [contenteditable=true], [onclick], "
    + "[role=button], [role=link], [role=tab], [role=menuitem], [role=option], [role=checkbox], [role=radio], [role=switch]";
  const SKIPPED = new Set(["html", "head", "body", "script", "style", "noscript", "template", "link", "meta", "title", "base", "option"]);
  // A form's own properties may be hidden by the names of its fields, and the document's by those of pictures.
  const call = (prototype, name, on, ...given) => prototype[name].call(on, ...given);
  const attributeOf = (element, name) => call(Element.prototype, "getAttribute", element, name) || "";
  const plain = (text) => text.replace(/\s+/g, " ").trim().slice(0, 80);
  const get = (name, node) => Object.getOwnPropertyDescriptor(Node.prototype, name).get.call(node);
  const SILENT = new Set(["script", "style", "noscript", "option", "textarea"]);
  const textOf = (element) => { // the beginning of it, without what is chosen or typed in it
    const texts = call(Document.prototype, "createTreeWalker", document, element, NodeFilter.SHOW_TEXT);
    let text = "";
    for (let at = 0; at < 1000 && text.length < 200 && texts.nextNode(); at++) {
      if (!SILENT.has(get("parentNode", texts.currentNode).localName)) text += texts.currentNode.data.replace(/\s+/g, " ");
    }
    return plain(text);
  };
  const walk = (root) => call(Document.prototype, "createTreeWalker", document, root, NodeFilter.SHOW_ELEMENT);
  const named = (id) => call(Document.prototype, "getElementById", document, id);

  const nameOf = (element) => {
    const labelled = attributeOf(element, "aria-labelledby").split(/\s+/).filter(Boolean).map(named).filter(Boolean);
    const labels = "labels" in element && element.labels instanceof NodeList ? [...element.labels] : [];
    const button = element instanceof HTMLInputElement && ["submit", "button", "reset"].includes(element.type);
    const field = ["input", "select", "textarea"].includes(element.localName);
    const image = element instanceof HTMLImageElement ? element : element instanceof Element && call(Element.prototype, "querySelector", element, "img[alt]");
    return [
      attributeOf(element, "aria-label"), labelled.map(textOf).join(" "), labels.map(textOf).join(" "),
      button ? element.value : "", field ? "" : textOf(element), attributeOf(element, "placeholder"),
      attributeOf(element, "title"), image ? attributeOf(image, "alt") : "", field ? attributeOf(element, "name") : "",
    ].map(plain).find(Boolean) || "";
  };
  const kindOf = (element) => {
    if (element instanceof HTMLSelectElement) return "list";
    if (element instanceof HTMLTextAreaElement || element.isContentEditable === true) return "field";
    if (element instanceof HTMLInputElement) {
      if (["submit", "button", "reset", "image"].includes(element.type)) return "button";
      return ["checkbox", "radio"].includes(element.type) ? element.type : element.type === "password" ? "password" : "field";
    }
    const role = attributeOf(element, "role");
    return element instanceof HTMLAnchorElement || role === "link" ? "link" : "button";
  };
  const hasOwnText = (element) => {
    for (const child of get("childNodes", element)) if (child.nodeType === Node.TEXT_NODE && child.data.trim()) return true;
    return element instanceof HTMLImageElement;
  };

  const copy = call(Node.prototype, "cloneNode", document.documentElement, true);
  const live = walk(document.documentElement), still = walk(copy), targets = [];
  let controls = 0, others = 0, cut = false;
  for (let number = 0; number < 100_000 && live.nextNode() && still.nextNode(); number++) {
    const element = live.currentNode;
    if (SKIPPED.has(element.localName) || (element instanceof HTMLInputElement && element.type === "hidden")) continue;
    const control = call(Element.prototype, "matches", element, CONTROLS);
    if (!control && (others >= mostOthers || !hasOwnText(element))) continue;
    if (control && controls >= mostControls) { cut = true; continue; }
    const box = call(Element.prototype, "getBoundingClientRect", element);
    const style = getComputedStyle(element);
    if (box.width < 1 || box.height < 1 || style.visibility !== "visible") continue;
    if (control) controls++; else others++;
    call(Element.prototype, "setAttribute", still.currentNode, attribute, String(number));
    const options = element instanceof HTMLSelectElement ? [...element.options].slice(0, 100).map((option) => plain(option.label)) : [];
    targets.push([number, control ? kindOf(element) : "text", nameOf(element), [box.x + scrollX, box.y + scrollY, box.width, box.height].map(Math.round), options]);
  }
  return JSON.stringify({ targets, cut, title: plain(document.title), html: `<!doctype html>${copy.outerHTML.slice(0, mostHtml)}` });
}
