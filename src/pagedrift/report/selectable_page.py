"""A page of which elements can be chosen by pointing: inert as others, but for one script of Pagedrift."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from pagedrift.report.mark_labels import escape
from pagedrift.report.sanitiser import POLICY

_END: Final = "</body></html>"


def selection_script(prefix: str, parent: str) -> str:
    """Give the script that says to a page of the origin `parent` which element was pointed at, by its number.

    >>> selection_script("x", "https://watch.example").count('"https://watch.example"')
    1
    """
    given = {"prefix": json.dumps(prefix), "parent": json.dumps(parent)}
    text = _text()
    for name, value in given.items():
        text = text.replace(f"/* {name} */", value.replace("<", "\\u003c"))
    return text


def source_of(script: str) -> str:
    """Name a script as a policy allows it: by its hash, so that no other may run.

    >>> source_of("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def with_script(html: str, script: str) -> str:
    """Put our script into a page that was made safe; its own policy allows that one and no other."""
    before, meta, after = html.partition(f'content="{escape(POLICY)}"')
    if not meta or not after.endswith(_END):
        raise ValueError("this page was not made safe; make it with number_elements")
    allowed = f'content="{escape(f"{POLICY}; script-src {source_of(script)}")}"'
    return f"{before}{allowed}{after.removesuffix(_END)}<script>{script}</script>{_END}"


@cache
def _text() -> str:
    return files(__package__).joinpath("selectable_page.js").read_text("utf-8")
