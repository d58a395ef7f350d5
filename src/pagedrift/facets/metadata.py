"""Metadata: what a page says about itself (title, language, generator)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagedrift.facets.tree import Tree


def read_title(tree: Tree) -> str:
    """Read the title, with its white space folded; empty where there is none."""
    for node in tree.live_elements("title"):
        return " ".join(tree.text_below(node).split())
    return ""


def read_language(tree: Tree, header: str | None = None) -> str | None:
    """Read the language: of the root element, of a meta element, of the HTTP header."""
    root = tree.find("html")
    declared = tree.attribute(root, "lang") or tree.attribute(root, "xml:lang") if root >= 0 else None
    value = declared or _meta(tree, "http-equiv", "content-language") or header
    return value.split(",")[0].strip() or None if value else None


def read_generator(tree: Tree) -> str | None:
    """Read which program the page says made it."""
    return _meta(tree, "name", "generator")


def _meta(tree: Tree, key: str, name: str) -> str | None:
    for node in tree.live_elements("meta"):
        content = (tree.attribute(node, "content") or "").strip()
        if content and (tree.attribute(node, key) or "").strip().lower() == name:
            return content
    return None
