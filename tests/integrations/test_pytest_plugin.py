"""The fixture of pytest that replays stored pages."""

from pathlib import Path

import pytest

from pagedrift.integrations.pytest_plugin import replay

NEWS = Path("examples/news.warc.gz")


def test_selectors_that_break_fail_with_what_to_write_instead(tmp_path: Path) -> None:
    (tmp_path / "news.txt").write_text("title  h2.entry-title\n", "utf-8")

    with pytest.raises(pytest.fail.Exception, match=r"\.article-title"):
        replay(NEWS, tmp_path / "news.txt")


def test_selectors_that_work_on_all_pages_pass(tmp_path: Path, check_selectors) -> None:
    (tmp_path / "news.txt").write_text("title  h2.entry-title, h1.article-title\n", "utf-8")

    check_selectors(NEWS, tmp_path / "news.txt")


def test_an_archive_without_pages_fails_with_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "news.txt").write_text("title  h1\n", "utf-8")
    (tmp_path / "empty.warc").write_bytes(b"")

    with pytest.raises((pytest.fail.Exception, Exception), match=";"):
        replay(tmp_path / "empty.warc", tmp_path / "news.txt")
