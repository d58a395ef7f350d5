"""Write the parts of the documents that are made from the program: python docs/generate.py [--check]

With --check nothing is written, and the exit status is 1 where a document is not up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pagedrift.app.model.options import OLD_NAMES, OPTIONS
from pagedrift.durations import format_duration

if TYPE_CHECKING:
    from pagedrift.app.model.options import DeclaredOption

WATCHING = Path(__file__).parent / "explanation" / "watching.md"
TYPES = {
    "duration": "seconds",
    "check": "true or false",
    "text": "text",
    "lines": "list of texts",
    "pairs": "names and values",
}


def main() -> int:
    """Bring the documents up to date, or say whether they are."""
    old = WATCHING.read_text(encoding="utf-8")
    new = _with_part(_with_part(old, "options", option_table()), "old names", old_names_table())
    if "--check" in sys.argv[1:]:
        if new != old:
            print(f"{WATCHING.name} is not up to date; run: python docs/generate.py")
        return int(new != old)
    WATCHING.write_text(new, encoding="utf-8")
    return 0


def _with_part(document: str, name: str, part: str) -> str:
    """Put a part in the place of what stands between its marks."""
    begin, end = f"<!-- {name}: written by docs/generate.py -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = document.partition(begin)
    return before + begin + part + end + rest.partition(end)[2]


def old_names_table() -> str:
    """Name what options were called in older releases."""
    head = "| old name | name |\n|---|---|\n"
    return head + "".join(f"| `{old}` | `{new}` |\n" for old, new in OLD_NAMES.items())


def option_table() -> str:
    """Describe every option in a line of a table."""
    head = "| option | on the command line | type | default | meaning |\n|---|---|---|---|---|\n"
    return head + "".join(map(_line, OPTIONS.values()))


def _line(option: DeclaredOption) -> str:
    kind = TYPES.get(option.widget) or ("whole number" if option.is_whole else "number")
    kind = "one of " + ", ".join(f"`{value}`" for value in option.values) if option.values else kind
    example = option.about.example.partition("\n")[0].replace("|", "\\|")
    meaning = option.about.help + (f" Example: `{example}`" if example and option.name != "secrets" else "")
    return f"| `{option.name}` | `{option.flag}` | {kind} | {_default(option)} | {meaning} |\n"


def _default(option: DeclaredOption) -> str:
    if option.widget == "duration":
        return f"{option.default:g} ({format_duration(option.default)})"
    if option.widget == "check":
        return str(option.default).lower()
    if option.widget == "number":
        return f"{option.default:g}"
    return f"`{option.default}`" if option.default else "none"


if __name__ == "__main__":
    sys.exit(main())
