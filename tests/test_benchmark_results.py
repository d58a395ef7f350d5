import json

import pytest
from benchmarks import results
from benchmarks.measure import PROMISES, Promise, Table


def promise(name, value, *, direction="≤", group="Reading"):
    return Promise(group=group, name=name, goal=1.0, direction=direction, value=value)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "NOW", tmp_path / "now.json")
    return tmp_path


def test_a_promise_is_kept_at_its_goal_and_on_its_side():
    assert promise("pages", 1.0).kept
    assert promise("pages", 1.0, direction="≥").kept
    assert not promise("pages", 1.1).kept
    assert not promise("pages", 0.9, direction="≥").kept


def test_a_promise_that_is_not_kept_is_told_and_kept_for_the_table_of_all(capsys):
    table = Table("Reading (3 files)")
    table.promise("pages", 1.25, most=1.1)
    assert table.broken == ["Reading (3 files): pages is 1.25, promised ≤ 1.1"]
    assert PROMISES.pop() == Promise(group="Reading", name="pages", goal=1.1, direction="≤", value=1.25)
    assert "NOT KEPT" in capsys.readouterr().out


def test_running_some_benchmarks_keeps_the_figures_of_the_others(folder):
    results.save([promise("pages", 2.0), promise("tags", 3.0)], {"archives.reading": 1.0}, is_all=True)
    results.save([promise("tags", 0.5), promise("words", 4.0)], {"facets.words": 2.0}, is_all=False)
    kept = json.loads((folder / "now.json").read_text("utf-8"))
    assert [(row["name"], row["value"]) for row in kept["rows"]] == [("pages", 2.0), ("tags", 0.5), ("words", 4.0)]
    assert set(kept["seconds"]) == {"archives.reading", "facets.words"}


def test_the_table_shows_the_newest_release_by_number(folder):
    for version, value in (("0.9.0", 9.0), ("0.10.0", 7.0)):
        results.save([promise("pages", value)], {}, is_all=True)
        (folder / "now.json").rename(folder / f"{version}.json")
    text = results.as_text([promise("pages", 1.5)])
    assert "0.10.0" in text
    assert text.splitlines()[1].split() == ["Reading:", "pages", "≤", "1", "1.5", "7", "NOT", "KEPT"]
