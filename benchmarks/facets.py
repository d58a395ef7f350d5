"""How fast are the facets of one page?"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import turbohtml
from lxml import html as lxml_html
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

from benchmarks.measure import Table, seconds
from benchmarks.pages import bodies
from pagedrift import PageVersion
from pagedrift.facets.tree import MAX_TREE_NODES, _build, read_tree

# A fair expression: it knows comments, quotes, and what scripts and styles hold.
_TAG = re.compile(
    rb"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<(/?[a-z][^\s/>]*)(?:\"[^\"]*\"|'[^']*'|[^'\">])*>",
    re.DOTALL | re.IGNORECASE,
)
PARSERS = {
    "turbohtml": lambda body: [e.tag for e in turbohtml.parse(body, positions=False).iter_elements()],
    "selectolax": lambda body: [e.tag for e in LexborHTMLParser(body).css("*")],
    "resiliparse": lambda body: [
        e.tag for e in HTMLTree.parse_from_bytes(body, "utf-8").document.get_elements_by_tag_name("*")
    ],
    "lxml": lambda body: [e.tag for e in lxml_html.document_fromstring(body).iter()],
}


def tags() -> list[str]:
    """Compare at: all tag names of the page."""
    pages = bodies()
    megabytes = sum(map(len, pages)) / 1e6
    table = Table(f"All tag names of a page ({len(pages)} pages, {megabytes:.1f} MB)")
    ours = seconds(lambda body: PageVersion("", body).tags, pages)
    table.row("pagedrift", f"{megabytes / ours / 1000:.2f} GB/s")
    expression = seconds(lambda body: [m[2] for m in _TAG.finditer(body) if m[2]], pages, rounds=2)
    table.row("re", f"{expression / ours:.1f}×", "the time of ours")
    parsers = {name: seconds(run, pages, rounds=3) for name, run in PARSERS.items()}
    for name, time in parsers.items():
        table.row(name, f"{time / ours:.1f}×")
    table.promise("times as fast as re", expression / ours, least=15)
    table.promise("times as fast as the fastest parser", min(parsers.values()) / ours, least=5)
    return table.broken


def tree() -> list[str]:
    """Compare the tree facet with the parse alone, both from the decoded source, and then both from bytes."""
    pages = bodies()
    versions = [PageVersion("", body) for body in pages]
    table = Table("The tree with its signatures, over the parse alone")
    sources = [version.source for version in versions]
    parse = seconds(turbohtml.parse, sources)
    ours = seconds(read_tree, sources)
    table.promise("from the source", ours / parse, most=1.8)
    table.row("with a call per node instead", f"{seconds(_called, sources) / parse:.2f}")
    from_bytes = seconds(turbohtml.parse, pages)
    table.row("from bytes, with the source", f"{seconds(_tree, pages) / from_bytes:.2f}")
    table.row("selectolax, parse alone, from bytes", f"{seconds(LexborHTMLParser, pages) / from_bytes:.2f}")
    table.row("the words of the same pages, from bytes", f"{seconds(_words, pages) / from_bytes:.2f}")
    return table.broken


def _called(source: str) -> object:
    return _build(source, MAX_TREE_NODES).finish()


def _tree(body: bytes) -> object:
    return PageVersion("", body).tree


def _words(body: bytes) -> object:
    return PageVersion("", body).words


def start() -> list[str]:
    """Time `import pagedrift` in a fresh interpreter, less the start of the interpreter itself, and commands."""
    table = Table("Starting")

    def launch(code: str) -> float:
        return seconds(lambda _: subprocess.run([sys.executable, "-c", code], check=True), [0], rounds=7)

    table.promise("import pagedrift, ms", 1000 * (launch("import pagedrift") - launch("pass")), most=100)
    with tempfile.TemporaryDirectory() as scratch:
        pages = [Path(scratch, name) for name in ("old.html", "new.html")]
        for page, said in zip(pages, ("Open all week", "Closed on Monday"), strict=True):
            page.write_text(f"<p>{said}</p>", encoding="utf-8")
        table.promise("pagedrift --help, seconds of processor time", _spent(scratch, "--help"), most=0.25)
        table.promise("pagedrift check, seconds of processor time", _spent(scratch, "check", *pages), most=0.35)
    return table.broken


def _spent(scratch: str, *arguments: str | Path) -> float:
    """Give the processor time of a command: the best of several runs, its modules compiled before."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(scratch, "bytecode"))
    command, best = [Path(sys.executable).with_name("pagedrift"), *arguments], float("inf")
    for _ in range(8):  # the first one compiles
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best
