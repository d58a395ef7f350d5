"""The HTML of marks: labels, ghosts, the legend and the list of changes that are not visible."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from pagedrift.facets.tree import ELEMENT, TEXT, Tree
from pagedrift.report.css_sanitiser import clean
from pagedrift.report.sanitiser import LEFT_OUT, PLACEHOLDERS, inert
from pagedrift.text import fold
from pagedrift.what_changed.actions import Insert, Move
from pagedrift.what_changed.words import word_changes

if TYPE_CHECKING:
    from pagedrift.report.marks import Marked, Marks, Side
    from pagedrift.what_changed.descriptions import Mark

SIGNS: Final[dict[Mark, str]] = {"added": "+", "removed": "−", "edited": "±", "moved": "↔", "changed": "≠"}
MEANINGS: Final[dict[Mark, str]] = {
    "added": "added",
    "removed": "removed",
    "edited": "edited text",
    "moved": "moved",
    "changed": "link, image, style or other attribute",
}
MAX_LISTED_STEPS: Final = 300  # that show nowhere and are listed below the page
MAX_LABEL_CHARS: Final = 160  # of what was there before and after, in a label
_SHAPES: Final = {
    **dict.fromkeys("span a label small font abbr time u q cite sub sup bdi bdo tt nobr".split(), "inline"),
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em"), "em"),
    **dict.fromkeys(("code", "kbd", "samp"), "code"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), "rows"),
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "header",
    "li": "item",
    "pre": "pre",
}
_WRAPPERS: Final = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), ("<li{}>", "</li>")),
    **dict.fromkeys(("thead", "tbody", "tfoot"), ("<tr{}><td>", "</td></tr>")),
    "dl": ("<dd{}>", "</dd>"),
    "tr": ("<td{}>", "</td>"),
    "table": ("<tbody{}><tr><td>", "</td></tr></tbody>"),
}
_ROWS: Final = ("thead", "tbody", "tfoot")
_IN_LINE: Final = ("inline", "strong", "em", "code")
_ESCAPED = re.compile('[&<>"\r\x00\ud800-\udfff]')
_NAMES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}


def escape(text: str) -> str:
    """Write text so that it stays text, in content and in attributes.

    >>> escape('<b title="a">')
    '&lt;b title=&quot;a&quot;&gt;'
    """
    return _ESCAPED.sub(lambda found: _NAMES.get(found[0], "\ufffd"), text)


@lru_cache(maxsize=8)  # a prefix is made for each page that is shown
def style_sheet(prefix: str) -> str:
    """Read the style sheet of the marks, under their prefix."""
    text = resources.files("pagedrift.report").joinpath("marks.css").read_text("utf-8")
    return clean(text.replace("PREFIX", prefix), inert)


class Labels:
    """Write marks as HTML, all with one prefix."""

    def __init__(self, old: Tree, marks: Marks, prefix: str, side: Side) -> None:
        self.old, self.marks, self.prefix, self.side = old, marks, prefix, side

    def _made(self, name: str, inside: str, *, mark: str = "", **more: str) -> str:
        """Write an element of the marks; the caller escapes what comes from the page."""
        pairs = {**more, f"data-{self.prefix}": mark} if mark else more
        given = "".join(
            f' {key.replace("mark_", f"data-{self.prefix}-")}="{value}"' for key, value in pairs.items()
        )
        return f"<{self.prefix}-{name}{given}>{inside}</{self.prefix}-{name}>"

    def attribute(self, node: int, steps: list[Marked]) -> str:
        """Write the attribute that marks an element."""
        kinds = " ".join(dict.fromkeys(self._kind(node, step) for step in steps))
        return f' data-{self.prefix}="{kinds}"'

    def _kind(self, node: int, step: Marked) -> Mark:
        """Say how an element looks: what holds something that came or went has only changed itself."""
        mark = step.description.mark
        came = isinstance(step.action, Insert) and step.action.nodes[0].number != node
        return "changed" if came or (mark == "removed" and self.side == "new") else mark

    def tags(self, steps: list[Marked]) -> str:
        """Write the labels of an element."""
        return self._made("tags", "".join(map(self._tag, steps)))

    def _tag(self, step: Marked) -> str:
        description = step.description
        name = description.what if description.mark == "changed" else description.mark
        number = f" {step.move}" if step.move else ""
        before, after = (fold(text, MAX_LABEL_CHARS) for text in (description.before, description.after))
        detail = escape(f"{description.what}: {before} → {after}")
        label = f"{SIGNS[description.mark]}{number} {escape(fold(name, 30))}"
        return self._made("tag", label, id=self._id(step), title=detail, mark=description.mark)

    def _id(self, step: Marked) -> str:
        return f"{self.prefix}-{step.index}"

    def _plain_tag(self, mark: Mark, text: str) -> str:
        return self._made("tag", f"{SIGNS[mark]} {text}", mark=mark)

    def text(self, text: str, steps: list[Marked]) -> str:
        """Write a text with its marks."""
        html = escape(text)
        for step in sorted(steps, key=lambda step: step.description.mark != "edited"):
            description = step.description
            if description.mark == "edited":
                html = (
                    self._words(text, description.after)
                    if self.side == "old"
                    else self._words(description.before, text)
                )
            character = f"{SIGNS[description.mark]}{step.move or ''}" if description.mark != "edited" else ""
            html = self._made("text", html, id=self._id(step), mark=description.mark, mark_sign=character)
        return html

    def _words(self, before: str, after: str) -> str:
        left_out = "added" if self.side == "old" else ""
        return "".join(
            escape(piece.text) if piece.kind == "same" else self._made("words", escape(piece.text), mark=piece.kind)
            for piece in word_changes(before, after)
            if piece.kind != left_out
        )

    def ghosts(self, steps: list[Marked], parent: str) -> str:
        """Write copies of what is no longer there, in the form that their parent allows."""
        return "".join(self._ghost(step, parent) for step in steps)

    def _ghost(self, step: Marked, parent: str) -> str:
        node: int = getattr(step.action, "node", 0)
        moved = isinstance(step.action, Move)
        mark = f"{step.description.mark} ghost"
        name = self._id(step) + ("-from" if moved else "")
        if parent in _ROWS and self.old.tag(node) == "tr" and not moved:
            return f'<tr id="{name}" data-{self.prefix}="{mark}">{self._cells(node)}</tr>'
        is_block = self.old.kind[node] == ELEMENT and _SHAPES.get(self.old.tag(node)) not in _IN_LINE
        label = self._made("tags", self._plain_tag("removed", "removed")) if is_block and not moved else ""
        inside = label + (self._moved_from(step) if moved else self._copy([node]))
        if parent in _WRAPPERS:
            start, end = _WRAPPERS[parent]
            return start.format(f' id="{name}" data-{self.prefix}="{mark}"') + inside + end
        return self._made("ghost", inside, id=name, mark=mark, mark_shape="block" if is_block else "inline")

    def _cells(self, row: int) -> str:
        cells = (child for child in self.old.children(row) if self.old.kind[child] == ELEMENT)
        return "".join(f"<td>{self._copy(list(self.old.children(cell)))}</td>" for cell in cells)

    def _moved_from(self, step: Marked) -> str:
        tag = self._plain_tag("moved", f"{step.move} was here")
        return f'<a href="#{self._id(step)}">{tag}</a> {escape(fold(step.description.before, 80))}'

    def _copy(self, nodes: list[int]) -> str:
        """Copy old subtrees without anything that acts; elements become shapes."""
        out: list[str] = []
        pending: list[int | str] = [*reversed(nodes)]
        while pending:
            node = pending.pop()
            if isinstance(node, str):
                out.append(node)
            elif node in self.marks.inside:
                step = self.marks.inside[node]
                out.append(self._made("copy", self._moved_from(step), id=f"{self._id(step)}-from"))
            elif self.old.kind[node] == TEXT:
                out.append(escape(self.old.text(node)))
            elif self.old.kind[node] == ELEMENT and self.old.tag(node) not in LEFT_OUT:
                out.append(self._shape(node))
                pending.append(f"</{self.prefix}-copy>")
                pending += list(self.old.children(node))[::-1]
        return "".join(out)

    def _shape(self, node: int) -> str:
        tag, what = self.old.tag(node), ""
        shape = "break" if tag == "br" else _SHAPES.get(tag, "inline" if ":" in tag else "block")
        if tag in PLACEHOLDERS or tag in ("img", "svg:svg"):
            shape = "image"
            what = self.old.attribute(node, "alt") or ("image" if tag in ("img", "svg:svg") else tag)
        return self._made("copy", escape(what), mark_shape=shape).removesuffix(f"</{self.prefix}-copy>")

    def note(self, unstyled: int) -> str:
        """Say that some styles of the page are not shown."""
        if not unstyled:
            return ""
        said = "1 style of this page is" if unstyled == 1 else f"{unstyled:,} styles of this page are"
        return self._made("note", f"{said} not shown for safety, so the page may look different from the original.")

    def legend(self) -> str:
        """Write what the marks mean, and how many there are."""
        counts = Counter(step.description.mark for step in self.marks.all)
        keys = [
            self._made("key", f"{SIGNS[mark]} {counts[mark]:,} {MEANINGS[mark]}", mark=mark)
            for mark in SIGNS
            if counts[mark]
        ]
        unseen = len(self.marks.unseen)
        if unseen:
            keys.append(f'<a href="#{self.prefix}-unseen">{unseen:,} not visible on the page</a>')
        return self._made("space", "") + self._made("legend", "".join(keys) or "no changes")

    def unseen(self) -> str:
        """List the steps that show nowhere on the page."""
        if not self.marks.unseen:
            return ""
        blank = [step for step in self.marks.unseen if _is_blank(step)]
        listed = [step for step in self.marks.unseen if not _is_blank(step)]
        lines = [self._line(step) for step in listed[:MAX_LISTED_STEPS]]
        if len(listed) > MAX_LISTED_STEPS:
            lines.append(self._made("line", f"and {len(listed) - MAX_LISTED_STEPS:,} more"))
        if blank:
            tags = "".join(self._made("tag", SIGNS[step.description.mark], id=self._id(step)) for step in blank)
            lines.append(self._made("line", f"Only white space: {tags}"))
        title = self._made("title", "Not visible on the page", id=f"{self.prefix}-unseen")
        return self._made("unseen", title + "".join(lines))

    def _line(self, step: Marked) -> str:
        description = step.description
        path = step.action.new or step.action.old
        change = (
            f"{fold(description.before, MAX_LABEL_CHARS)} → {fold(description.after, MAX_LABEL_CHARS)}"
            if description.before and description.after
            else ""
        )
        change = change or fold(description.before or description.after, MAX_LABEL_CHARS)
        place = f"{fold(path.readable if path else '', 100)} {fold(description.what, 40)}"
        tag = self._plain_tag(description.mark, description.mark)
        return self._made("line", f"{tag} {escape(place)} {escape(change)}", id=self._id(step))


def _is_blank(step: Marked) -> bool:
    description = step.description
    return description.what == "text" and not description.before.strip() and not description.after.strip()
