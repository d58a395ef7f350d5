import gzip
import re

import pytest

from pagedrift import PageVersion
from pagedrift._kernels.names import FLAGS, IDEOGRAPH, IDS, INLINE, INVISIBLE
from pagedrift.facets.tree import ELEMENT, TEXT, Tree
from pagedrift.facets.words import read_words


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", ()),
        ("one  two\u00a0three\u2003four\u3000five", ("one", "two", "three", "four", "five")),
        ("&eacute;t&eacute;&nbsp;&#8364;&#x20AC;", ("été", "€€")),
        ("&am<b>p;</b>", ("&amp;",)),  # a reference does not cross a tag
        ("<xmp>&amp;</xmp>", ("&amp;",)),
        ("<textarea>&amp;</textarea>", ("&",)),
        ("日本語とEnglishです", ("日", "本", "語", "と", "English", "で", "す")),
        ("한국어 단어", ("한국어", "단어")),
        ("&#xD800;", ("\ufffd",)),
        ("𠀀𠀁", ("𠀀", "𠀁")),
        ("a&#26085;&#x672c;b", ("a", "日", "本", "b")),
        ("日\0本", ("日", "本")),
    ],
)
def test_words_are_what_white_space_and_ideographs_keep_apart(page: str, expected: tuple[str, ...]) -> None:
    assert read_words(page.encode()) == expected


def words_of_tree(tree: Tree) -> tuple[str, ...]:
    """The same words, found the slow way: an element hides its subtree."""
    out, ends, hidden_until = [], [], 0
    for node in range(1, len(tree)):
        while ends and ends[-1] <= node:
            ends.pop()
            out.append("\n")
        if node < hidden_until:
            continue
        if tree.kind[node] == TEXT:
            out.append(tree.text(node))
        elif tree.kind[node] == ELEMENT:
            name = tree.tag(node).split(":")[-1].lower()
            flags = FLAGS[IDS[name]] if name in IDS else 0
            hides = tree.attribute(node, "hidden") is not None or re.search(
                r"display\s*:\s*none|visibility\s*:\s*hidden",
                tree.attribute(node, "style") or "",
                re.IGNORECASE,
            )
            if not flags & (INVISIBLE | INLINE):
                out.append("\n")
                ends.append(tree.end[node])
            if hides or flags & INVISIBLE:
                hidden_until = tree.end[node]
    return tuple(re.sub(IDEOGRAPH, r" \g<0> ", "".join(out)).split())


def test_the_scanner_sees_the_words_that_the_tree_shows(data) -> None:
    paths = sorted((data / "pairs").glob("*/a.html.gz"))
    pages = [PageVersion("https://a.example/", gzip.decompress(path.read_bytes())) for path in paths]
    agree = sum(page.words == words_of_tree(page.tree) for page in pages)

    assert agree / len(pages) >= 0.99
