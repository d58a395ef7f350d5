"""What the document on security promises is tested by the tests that it names."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "explanation" / "security.md"


def test_every_test_that_the_document_on_security_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", DOCUMENT.read_text()))
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^\s*def (test_\w+)", path.read_text(), re.MULTILINE)
    }

    assert len(named) > 40
    assert named - written == set()


def test_every_published_vulnerability_has_a_test() -> None:
    rows = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| ")]
    published = [row for row in rows if re.match(r"\| (CVE|GHSA|20\d\d-)", row)]

    assert len(published) >= 31
    assert all("`test_" in row for row in published)
