"""How long does one program take for each of many pairs of pages?

This file runs by itself, in the environment of the program:

    python benchmarks/peers.py NAME SECONDS < pairs

Each line of standard input is a JSON list of two files; each line of output is the best time of a few rounds, from
bytes to result, or what went wrong. A call that takes longer than SECONDS is given up.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 3
ENOUGH = 1.0  # seconds after which a pair is not run again


def pagedrift() -> Callable[[bytes, bytes], object]:
    """Ours: the edit script."""
    from pagedrift import PageVersion, diff

    return lambda old, new: diff(PageVersion("", old), PageVersion("", new))


def htmldiff() -> Callable[[bytes, bytes], object]:
    """lxml: the new page with <ins> and <del>."""
    from lxml.html.diff import htmldiff as run

    return lambda old, new: run(_text(old), _text(new))


def html_diff_render() -> Callable[[bytes, bytes], object]:
    """web-monitoring-diff: three highlighted pages."""
    from web_monitoring_diff import html_diff_render as run

    return lambda old, new: run(_text(old), _text(new))


def xmldiff() -> Callable[[bytes, bytes], object]:
    """xmldiff: an edit script."""
    from lxml import html
    from xmldiff.main import diff_trees

    return lambda old, new: diff_trees(html.document_fromstring(old), html.document_fromstring(new))


PROGRAMS = {run.__name__: run for run in (pagedrift, htmldiff, html_diff_render, xmldiff)}


class GivenUp(BaseException):
    """Not an Exception: no program may take it for one of its own."""


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _give_up(*_: object) -> None:
    raise GivenUp


def _best(run: Callable[[bytes, bytes], object], old: bytes, new: bytes, limit: float) -> dict[str, object]:
    best, spent = float("inf"), 0.0
    for _ in range(ROUNDS):
        signal.setitimer(signal.ITIMER_REAL, limit)
        start = time.process_time()  # others use the machine too
        try:
            run(old, new)
        except GivenUp:
            return {"seconds": limit, "given_up": True}
        except Exception as error:  # whatever a peer fails with is a result
            return {"error": repr(error)}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
        if spent > ENOUGH:
            break
    return {"seconds": best}


def main(name: str, limit: str) -> None:
    """Time one program."""
    results = os.fdopen(os.dup(1), "w")
    signal.signal(signal.SIGALRM, _give_up)
    run = PROGRAMS[name]()
    for output in (1, 2):  # some peers print as they go
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    for line in sys.stdin:
        old, new = (Path(path).read_bytes() for path in json.loads(line))
        print(json.dumps(_best(run, old, new, float(limit))), file=results, flush=True)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, so that `facets` and the like are not found here
    main(*sys.argv[1:])
