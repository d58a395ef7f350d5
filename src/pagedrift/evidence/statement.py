"""The statement on top of the evidence: which captures, when, with which hashes, and how anybody can check them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pagedrift.dates import iso_moment
from pagedrift.report import card
from pagedrift.report.mark_labels import escape

if TYPE_CHECKING:
    from pagedrift.evidence.captured_records import EvidenceCapture
    from pagedrift.verdict import Verdict

_CHECKS: Final = (
    "This file is part of a WACZ, a ZIP whose <code>datapackage.json</code> lists the SHA-256 of every file in it"
    " (<code>unzip -p FILE.wacz datapackage.json</code>, <code>sha256sum</code>). The captures are WARC records in"
    " <code>archive/captures.warc.gz</code>; players such as ReplayWeb.page and pywb show them."
)
_SIGNED: Final = (
    " <code>datapackage-digest.json</code> has the hash of that list, signed by ECDSA (P-384, SHA-256), and the"
    " public key: compare the key with the one that its owner published."
)


def statement(old: EvidenceCapture, new: EvidenceCapture, verdict: Verdict, *, signed: bool) -> str:
    """Write the statement as HTML."""
    answers = "".join(f"<li>{escape(line)}</li>" for line in card.lines(verdict))
    gone = ""
    if new.page.failed and not old.page.failed:
        gone = f"<p><b>The page is gone: the later capture has the status {new.page.status}.</b></p>"
    captures = _row("Before", old) + _row("After", new)
    return (
        f'<section class="statement"><h2>Evidence</h2>{gone}<table>{captures}</table>'
        f"<ul>{answers}</ul><p>{_CHECKS}{_SIGNED if signed else ' It is not signed.'}</p></section>"
    )


def _row(name: str, capture: EvidenceCapture) -> str:
    page = capture.page
    facts = (
        page.url,
        f"captured at {iso_moment(page.captured_at) or 'an unknown time'}",
        f"status {page.status}" if page.status else "no status",
        f"{len(page.body):,} bytes",
        f"SHA-256 {page.digest}",
        f"from {capture.origin}",
    )
    return f"<tr><th>{name}</th><td>{'<br>'.join(map(escape, facts))}</td></tr>"
