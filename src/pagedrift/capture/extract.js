// What is on the page, in one string: every rendered node with its box, its style and its text. Changes nothing.
(mostNodes, mostText) => {
  const strings = [], numbers = new Map(), styles = [], styleNumbers = new Map(), nodes = [];
  let textLeft = mostText, cut = false;
  const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "link", "meta", "title", "base"]);

  const intern = (text) => {
    let number = numbers.get(text);
    if (number === undefined) {
      numbers.set(text, (number = strings.length));
      strings.push(text);
    }
    return number;
  };
  const styleOf = (style, opacity) => {
    const values = [
      style.display, style.visibility, opacity, style.position, style.float, style.color, style.backgroundColor,
      style.backgroundImage !== "none", parseFloat(style.fontSize) || 0, parseInt(style.fontWeight) || 400,
      style.fontStyle, ["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`]) || 0),
    ];
    const key = values.join("|");
    let number = styleNumbers.get(key);
    if (number === undefined) {
      styleNumbers.set(key, (number = styles.length));
      styles.push(values);
    }
    return number;
  };
  const round = (value) => Math.round(value * 10) / 10;
  const boxOf = (rectangle, dx, dy) =>
    [rectangle.x + dx, rectangle.y + dy, rectangle.width, rectangle.height].map(round);
  const childrenOf = (element) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes;
    if (element.localName === "slot" && element.assignedNodes().length) return element.assignedNodes();
    return element.childNodes;
  };
  const frameOf = (element) => {
    if (element.localName !== "iframe" && element.localName !== "frame") return null;
    try { return element.contentDocument && element.contentDocument.body; } catch { return null; }
  };
  const sourceOf = (element) => {
    const given = element.currentSrc || element.src || element.data || "";
    return typeof given === "string" && !given.startsWith("data:") ? given.slice(0, 4000) : "";
  };

  // A stack of its own: pages nest deeper than the engine's.
  const waiting = [[document.body || document.documentElement, -1, scrollX, scrollY, 1]];
  while (waiting.length) {
    const [node, parent, dx, dy, outer] = waiting.pop();
    if (nodes.length >= mostNodes || textLeft <= 0) { cut = true; break; }
    const view = node.ownerDocument.defaultView;
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.data.replace(/\s+/g, " ").trim();
      if (!text) continue;
      const range = node.ownerDocument.createRange();
      range.selectNodeContents(node);
      textLeft -= text.length;
      nodes.push([parent, -1, ...boxOf(range.getBoundingClientRect(), dx, dy), intern(text)]);
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || SKIPPED.has(node.localName)) continue;
    const style = view.getComputedStyle(node);
    if (style.display === "none") continue;
    const own = parseFloat(style.opacity), opacity = outer * (isNaN(own) ? 1 : own);
    const rectangle = node.getBoundingClientRect();
    const number = nodes.length;
    nodes.push([
      parent, intern(node.localName), ...boxOf(rectangle, dx, dy), styleOf(style, round(opacity)), intern(node.id || ""),
      intern((node.getAttribute("class") || "").slice(0, 500)),
      intern(typeof node.href === "string" ? node.href.slice(0, 4000) : ""), intern(sourceOf(node)),
      intern((node.getAttribute("alt") || "").slice(0, 1000)), intern(node.getAttribute("role") || ""),
    ]);
    const frame = frameOf(node);
    if (frame) {
      waiting.push([frame, number, dx + rectangle.x + node.clientLeft, dy + rectangle.y + node.clientTop, opacity]);
      continue;
    }
    if (node.localName === "svg") continue;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) waiting.push([children[index], number, dx, dy, opacity]);
  }
  const root = document.documentElement, scrolling = document.scrollingElement || root;
  return JSON.stringify({
    v: 1, url: location.href, title: document.title, lang: root.lang || "", w: scrolling.scrollWidth,
    h: scrolling.scrollHeight, strings, styles, nodes, cut,
  });
}
