"""Examples in docstrings as blocks of code: mkdocstrings would read them as text otherwise."""

from __future__ import annotations

import re
from typing import Any, Final

import griffe

EXAMPLE: Final = re.compile(r"^(?:>>> .*(?:\n.+)*\n?)+", re.MULTILINE)


class DoctestBlocks(griffe.Extension):
    """Put each example of a docstring between fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of whatever has one."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```\n", obj.docstring.value)
