"""The schemas of the tables are those in the documents: whoever changes one sees it here."""

import re
from pathlib import Path

import pytest

from pagedrift.collection.parts import Column, arrow_schema
from pagedrift.crawls.summary import COMPARISON
from pagedrift.does_it_matter.spark import JUDGED
from pagedrift.how_much.spark import CHANGES
from pagedrift.redesigned.spark import REDESIGNS
from pagedrift.which_template.spark import CLASSES, CLUSTERS, PAGES, TEMPLATES

TABLES = {
    "pages": PAGES,
    "clusters": CLUSTERS,
    "templates": TEMPLATES,
    "classes": CLASSES,
    "changes": CHANGES,
    "judged": JUDGED,
    "comparison": COMPARISON,
    "redesigns": REDESIGNS,
}
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "reference" / "tables.md"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_documented_column_by_column(name: str) -> None:
    section = DOCUMENT.read_text().split(f"## `{name}`")[1].split("\n#")[0]
    listed = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", section, re.MULTILINE)

    assert [Column(*each) for each in listed] == list(TABLES[name])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_can_be_written(name: str) -> None:
    assert arrow_schema(TABLES[name]).names == [column.name for column in TABLES[name]]
