import json

from tests.cli.test_commands import EXAMPLE, run, trouble

OLD, NEW = EXAMPLE + "@2026-11-08", EXAMPLE + "@2026-11-15"


def test_a_card_has_a_line_for_each_question() -> None:
    lines = run("check", OLD, NEW).stdout.decode().splitlines()
    questions = [line[:15].strip() for line in lines if not line.startswith(" ")]

    assert questions == ["what changed", "how much", "important", "template", "redesigned"]


def test_equal_versions_are_unchanged() -> None:
    ran = run("check", OLD, OLD, "--check")

    assert (ran.stdout, ran.returncode) == (b"unchanged\n", 0)


def test_a_change_that_matters_is_told_by_the_status() -> None:
    assert run("check", OLD, NEW, "--check").returncode == 1


def test_a_card_comes_as_data() -> None:
    card = json.loads(run("check", OLD, NEW, "--json").stdout)

    assert card["format"] == 1
    assert card["does_it_matter"]["verdict"] == "dissimilar"
    assert card["what_changed"] == {"changed": 1, "edited": 2, "added": 2, "removed": 1}
    assert (card["same_template"], card["redesigned"]) == (True, False)


def test_a_page_that_is_not_there_is_trouble() -> None:
    assert "nowhere.html" in trouble("check", "nowhere.html", NEW)
