// What axe-core asks for beyond the theme: names for what is a region, and regions that the keyboard can scroll.
addEventListener("DOMContentLoaded", () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  setTimeout(() => document.querySelectorAll(".md-typeset__scrollwrap, pre > code").forEach(part => { part.tabIndex = 0; }));
});
