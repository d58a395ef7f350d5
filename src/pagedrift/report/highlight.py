"""The highlighted page: the new version, made inert, with every change marked."""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin

from pagedrift.facets.links import base_of, source_set
from pagedrift.facets.tree import DOCTYPE, ELEMENT, NONE, TEXT
from pagedrift.report.css_sanitiser import clean
from pagedrift.report.mark_labels import Labels, escape, style_sheet
from pagedrift.report.marks import ATOMS, STRICT, Marks, marks
from pagedrift.report.sanitiser import (
    LEFT_OUT,
    METAS,
    PLACEHOLDERS,
    VOID,
    Context,
    address,
    attributes,
    check,
    context_inside,
    element,
    inert,
    is_clean,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pagedrift.page import PageVersion
    from pagedrift.report.marks import Marked, Side
    from pagedrift.what_changed.actions import EditScript

_PREFIX = re.compile(r"[a-z][a-z0-9]{0,31}")
_ID: Final = re.compile(r' id="[^"]*"')  # as `_written` writes it
_LAZY: Final = ("src", "data-src", "data-original", "data-lazy-src")
# Almost-standards mode differs in how tables with pictures are laid out.
_TRANSITIONAL: Final = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
)


def highlight(
    old: PageVersion,
    new: PageVersion,
    script: EditScript,
    *,
    side: Side = "new",
    resources: Mapping[str, tuple[str, bytes]] | None = None,
    prefix: str | None = None,
) -> str:
    """Rebuild the new page, or the old one, as HTML that does nothing, with every change marked in place.

    `resources` maps absolute addresses to a media type and bytes: pictures, fonts and style sheets that were
    captured with the page; all others are left out. `prefix` names the marks; unless given, it is random, so that
    no page can draw marks of its own.

    >>> from pagedrift import PageVersion
    >>> from pagedrift.what_changed import diff
    >>> old = PageVersion("https://city.example/fees", b"<p onclick=steal()>Fence: $40")
    >>> new = PageVersion("https://city.example/fees", b"<p onclick=steal()>Fence: $45")
    >>> page = highlight(old, new, diff(old, new), prefix="x")
    >>> "steal" in page, '<x-words data-x="removed">$40</x-words><x-words data-x="added">$45</x-words>' in page
    (False, True)
    """
    prefix = prefix or f"pd{secrets.token_hex(8)}"
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"{prefix!r} cannot begin the name of a mark; take small letters and digits, as in 'pd1'")
    found = marks(old.tree, new.tree, script, side=side)
    labels = Labels(old.tree, found, prefix, side)
    html = _Renderer(new if side == "new" else old, found, labels, {} if resources is None else resources).page()
    check(html, prefix)
    return html


def outline_regions(
    page: PageVersion,
    regions: Mapping[int, str],
    *,
    resources: Mapping[str, tuple[str, bytes]] | None = None,
    prefix: str = "",
) -> str:
    """Rebuild a page as HTML that does nothing, with some elements outlined under a label.

    The first one can be linked to as the `prefix` with `-1` at the end.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("https://city.example/fees", b"<p onclick=steal()>Fence: $40")
    >>> shown = outline_regions(page, {page.tree.find("p"): "fee"})
    >>> "steal" in shown, '-region="fee"' in shown
    (False, True)
    """
    prefix = prefix or f"pd{secrets.token_hex(8)}"
    none = Marks(all=(), elements={}, texts={}, first={}, behind={}, inside={}, unseen=[])
    labels = Labels(page.tree, none, prefix, "old")
    html = _RegionRenderer(page, none, labels, {} if resources is None else resources, regions).page()
    check(html, prefix)
    return html


def number_elements(
    page: PageVersion, *, prefix: str, resources: Mapping[str, tuple[str, bytes]] | None = None
) -> str:
    """Rebuild a page as HTML that does nothing, with the number of its node in the tree on every element.

    >>> from pagedrift import PageVersion
    >>> page = PageVersion("https://city.example/fees", b"<p onclick=steal()>Fence: $40")
    >>> shown = number_elements(page, prefix="x")
    >>> "steal" in shown, f'<p data-x-node="{page.tree.find("p")}">' in shown
    (False, True)
    """
    none = Marks(all=(), elements={}, texts={}, first={}, behind={}, inside={}, unseen=[])
    labels = Labels(page.tree, none, prefix, "old")
    html = _NumberingRenderer(page, none, labels, {} if resources is None else resources).page()
    check(html, prefix)
    return html


class _Renderer:
    """Write one page, node by node, in the order of the page: never by recursion."""

    def __init__(
        self, page: PageVersion, marks: Marks, labels: Labels, resources: Mapping[str, tuple[str, bytes]]
    ) -> None:
        self.tree, self.marks, self.labels, self.resources = page.tree, marks, labels, resources
        self.title, self.address, self.prefix = page.title, urldefrag(page.url)[0], labels.prefix
        self.base = base_of(page.tree, page.url)
        self.out: list[str] = []
        self.unstyled = 0  # styles that could not be made safe
        self.waiting: list[str] = []  # labels of tables and lists, for their first cell or item

    def page(self) -> str:
        """Write the whole page."""
        body = next((node for node in map(self.tree.find, ("body", "frameset")) if node != NONE), NONE)
        self.out.append(f"{self._doctype()}<html{self._attributes(self.tree.find('html'), 'html')}><head>")
        self._head()
        steps = self.marks.elements.get(body, [])
        marked = self.labels.attribute(body, steps) if steps else ""
        self.out.append(f"</head><body{self._attributes(body, 'body')}{marked}>")
        start = len(self.out)
        self.out.append((self.labels.tags(steps) if steps else "") + self._ghosts_in(body, "body"))
        if body != NONE:
            self._write([(child, "html") for child in self.tree.children(body)])
        tail = "" if self.labels.side == "old" else self.labels.legend() + self.labels.unseen()
        self.out.append(f"{''.join(self.waiting)}{tail}</body></html>")
        self.out.insert(start, self.labels.note(self.unstyled))
        return "".join(self.out)

    def _doctype(self) -> str:
        texts = [self.tree.text(node) for node in self.tree.children(0) if self.tree.kind[node] == DOCTYPE]
        if not texts:
            return ""  # quirks
        transitional = re.search(r"transitional|frameset", texts[0], re.IGNORECASE)
        return _TRANSITIONAL if transitional else "<!DOCTYPE html>"

    def _head(self) -> None:
        for meta in METAS:
            self.out.append(f"<meta{_written(meta)}>")
        self.out.append(f"<title>{escape(self.title)}</title>")
        for node in self.tree.elements("style", "link"):
            if self.tree.tag(self.tree.parent[node]) == "head":
                self._style(node)
        self.out.append(f"<style>{style_sheet(self.prefix)}</style>")

    def _write(self, children: list[tuple[int, Context]]) -> None:
        pending: list[tuple[int, Context] | str] = list(reversed(children))
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                self.out.append(item)
                continue
            node, context = item
            if node in self.marks.behind:
                parent = self.tree.tag(self.tree.parent[node])
                pending.append(self.labels.ghosts(self.marks.behind[node], parent))
            if self.tree.kind[node] == TEXT:
                self._text(node, context)
            elif self.tree.kind[node] == ELEMENT:
                pending += self._element(node, context)

    def _text(self, node: int, context: Context) -> None:
        steps = self.marks.texts.get(node)
        if context in ("html", "text"):
            text = self.tree.text(node)
            self.out.append(self.labels.text(text, steps) if steps else escape(text))
        elif context in ("svg", "math"):
            self.out.append(escape(self.tree.text(node)))

    def _element(self, node: int, context: Context) -> Iterator[tuple[int, Context] | str]:
        """Write the start of an element, and give what follows it, the last first."""
        tag = self.tree.tag(node)
        if tag in LEFT_OUT:
            if context == "html":
                self._style(node)
            return
        steps = self.marks.elements.get(node)
        written = element(tag, context, self.prefix)
        if written is None:
            self._placeholder(node, tag, context)
            return
        inside = tag not in ATOMS and written not in VOID
        if steps and not (inside and tag not in STRICT):
            self._label(node, self.labels.tags(steps), inside=inside)
        marked = self.labels.attribute(node, steps) if steps else ""
        self.out.append(f"<{written}{self._attributes(node, tag)}{marked}>")
        if written in VOID:
            return
        self.out.append(self._opening(written, steps if inside and tag not in STRICT else None, context))
        self.out.append(self._ghosts_in(node, tag))
        yield f"</{written}>"
        below = context_inside(tag, context)
        yield from reversed([(child, below) for child in self.tree.children(node)])

    def _opening(self, written: str, steps: list[Marked] | None, context: Context) -> str:
        """Write what comes first in an element: its labels, and those that waited for it."""
        # The parser takes a line break away that comes first in these.
        start = "\n" if written in ("pre", "textarea") else ""
        if context != "html" or written in STRICT or written in ("textarea", "option", "svg", "math"):
            return start
        waited = "".join(self.waiting)
        self.waiting.clear()
        return start + waited + (self.labels.tags(steps) if steps else "")

    def _label(self, node: int, tags: str, *, inside: bool) -> None:
        """Put labels in front of what can hold none, or let them wait for the first place that can."""
        if inside or self.tree.tag(self.tree.parent[node]) in STRICT:
            self.waiting.append(tags)
        else:
            self.out.append(tags)

    def _ghosts_in(self, node: int, tag: str) -> str:
        return self.labels.ghosts(self.marks.first[node], tag) if node in self.marks.first else ""

    def _placeholder(self, node: int, tag: str, context: Context) -> None:
        if tag not in PLACEHOLDERS or context != "html":
            return
        steps = self.marks.elements.get(node)
        if steps:
            self._label(node, self.labels.tags(steps), inside=False)
        source = self.tree.attribute(node, "src") or self.tree.attribute(node, "data") or ""
        shown = address(self.base, source) if source else ""
        marked = self.labels.attribute(node, steps) if steps else ""
        self.out.append(f"<{self.prefix}-gone{marked}>{tag} {escape((shown or '')[:200])}</{self.prefix}-gone>")

    def _attributes(self, node: int, tag: str) -> str:
        if node == NONE:
            return ""
        given = self.tree.attributes(node)
        if tag == "img":
            given = self._picture(given)
        elif tag == "a":  # the older way to name a place on the page
            given = tuple(("id", value) if name == "name" else (name, value) for name, value in given)
        elif tag == "details":
            given = (*(pair for pair in given if pair[0] != "open"), ("open", ""))
        kept = dict(attributes(tag, given, self._link, self._load))
        self.unstyled += "style" in dict(given) and "style" not in kept
        return _written(kept.items())

    def _picture(self, given: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """Take the first address of a picture that was captured."""
        known = dict(given)
        addresses = [known[name] for name in _LAZY if name in known]
        addresses += source_set(known.get("srcset", "")) + source_set(known.get("data-srcset", ""))
        found = next((one for one in addresses if self._load(one)), None)
        rest = tuple((name, value) for name, value in given if name != "src" and not name.startswith("data-"))
        return (*rest, ("src", found)) if found else rest

    def _link(self, reference: str) -> str | None:
        return address(self.base, reference, page=self.address)

    def _load(self, reference: str, base: str | None = None) -> str | None:
        """Turn an address into the thing itself, if it was captured."""
        if kept := inert(reference):
            return kept
        try:
            absolute = urljoin(base or self.base, reference.strip())
        except ValueError:
            return None
        found = self.resources.get(absolute) or self.resources.get(urldefrag(absolute)[0])
        if not found:
            return None
        return inert(f"data:{found[0].split(';')[0].strip().lower()};base64,{b64encode(found[1]).decode()}")

    def _style(self, node: int) -> None:
        """Write a style sheet of the page, or one it links to that was captured."""
        tag, media = self.tree.tag(node), self.tree.attribute(node, "media")
        base = self.base
        if tag == "style":
            css = self.tree.text_below(node)
        elif tag == "link" and "stylesheet" in (self.tree.attribute(node, "rel") or "").lower().split():
            base = address(self.base, self.tree.attribute(node, "href") or "") or ""
            css = self.resources.get(base, ("", b""))[1].decode("utf-8", "replace")
        else:
            return
        cleaned = clean(css, lambda reference: self._load(reference, base))
        if not is_clean(cleaned):
            self.unstyled += 1
        elif css:
            named = f' media="{escape(media)}"' if media else ""
            self.out.append(f"<style{named}>{cleaned}</style>")


class _RegionRenderer(_Renderer):
    """Write one page with regions in place of changes."""

    def __init__(
        self,
        page: PageVersion,
        marks: Marks,
        labels: Labels,
        resources: Mapping[str, tuple[str, bytes]],
        regions: Mapping[int, str],
    ) -> None:
        super().__init__(page, marks, labels, resources)
        self.regions = regions

    def _head(self) -> None:
        super()._head()
        name = f"data-{self.prefix}-region"
        style = f"[{name}]{{outline:3px solid #b00020;outline-offset:2px}}"
        self.out.append(f"<style>{clean(style, inert)}</style>")

    def _attributes(self, node: int, tag: str) -> str:
        label, own = self.regions.get(node), super()._attributes(node, tag)
        if label is None:
            return own
        if node == min(self.regions):
            own = f' id="{self.prefix}-1"{_ID.sub("", own)}'
        return f'{own} data-{self.prefix}-region="{escape(label)}"'


class _NumberingRenderer(_Renderer):
    """Write one page with a number on every element."""

    def _attributes(self, node: int, tag: str) -> str:
        number = "" if node == NONE else f' data-{self.prefix}-node="{node}"'
        return super()._attributes(node, tag) + number


def _written(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in pairs)
