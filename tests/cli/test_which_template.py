import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest

from pagedrift.cli import which_template
from pagedrift.errors import InputError
from pagedrift.which_template.learning import Learned, learn_names
from tests.builders import record
from tests.cli.test_commands import run, trouble

NEWS = "<html><body><article><h1>{0}</h1><p>{0}</p></article></body></html>"
SHOP = "<html><head><title>{0}</title></head><body><table><tr><td>{0}</td></tr></table></body></html>"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Pages of two templates, in a folder each."""
    for name, template in (("news", NEWS), ("shop", SHOP)):
        folder = tmp_path / "saved" / name
        folder.mkdir(parents=True)
        for number in range(4):
            (folder / f"{number}.html").write_text(template.format(number))
    return tmp_path / "saved"


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    folder = tmp_path / "archives"
    folder.mkdir()
    for name, template in (("news", NEWS), ("shop", SHOP)):
        bodies = [template.format(number).encode() for number in range(5)]
        records = [record(f"https://{name}.example/{n}", body, packed=True) for n, body in enumerate(bodies)]
        (folder / f"{name}.warc.gz").write_bytes(b"".join(records))
    return folder


def ask(page: Path, index: Path) -> dict[str, object]:
    return json.loads(run("which-template", str(page), "--index", str(index), "--json").stdout)


@pytest.mark.parametrize("inputs", ["saved", "archives"])
def test_pages_are_learned_by_the_name_of_their_folder_or_archive(
    inputs: str, saved: Path, tmp_path: Path, archives: Path
) -> None:
    index = tmp_path / "site.templates"
    learned = run(
        "which-template", "learn", str({"saved": saved, "archives": archives}[inputs]), "--to", str(index)
    )
    (tmp_path / "new.html").write_text(SHOP.format("new"))
    answer = ask(tmp_path / "new.html", index)

    assert "of 2 templates" in learned.stdout.decode()
    assert (answer["template"], answer["sure"]) == ("shop", 1.0)
    assert answer["pages"] == {"saved": 4, "archives": 5}[inputs]
    assert str(answer["example"]).endswith({"saved": "shop/0.html", "archives": "https://shop.example/0"}[inputs])
    assert ask(saved / "news" / "1.html", index)["template"] == "news"


def test_the_answer_for_people_says_how_sure_it_is_and_names_an_example(saved: Path, tmp_path: Path) -> None:
    index = str(tmp_path / "site.templates")
    run("which-template", "learn", str(saved), "--to", index)
    (tmp_path / "none.html").write_text("<p>" * 30)
    said = run("which-template", str(saved / "shop/2.html"), str(tmp_path / "none.html"), "--index", index)
    lines = said.stdout.decode().splitlines()

    assert lines[0].endswith("shop/2.html: shop")
    assert lines[1] == "  100% sure: 4 known pages like it are of this template"
    assert lines[2].endswith("shop/0.html")
    assert lines[3].endswith("none.html: no known template")


def test_what_is_learned_adds_to_what_an_index_knows(saved: Path, tmp_path: Path) -> None:
    index = tmp_path / "site.templates"
    for name in ("news", "shop"):
        run("which-template", "learn", str(saved / name), "--to", str(index))

    assert [ask(saved / name / "0.html", index)["template"] for name in ("news", "shop")] == ["news", "shop"]


def test_an_index_keeps_the_algorithm_it_was_begun_with(saved: Path, tmp_path: Path) -> None:
    index = str(tmp_path / "site.templates")
    run("which-template", "learn", str(saved / "news"), "--to", index, "--algorithm", "lzw")
    added = run("which-template", "learn", str(saved / "shop"), "--to", index)
    other = trouble("which-template", "learn", str(saved), "--to", index, "--algorithm", "pagedrift")

    assert added.stdout.decode().startswith("learned 4 pages of 1 template")
    assert str(ask(saved / "shop" / "0.html", tmp_path / "site.templates")["fingerprint"]).startswith("lzw:")
    assert "holds fingerprints lzw, not pagedrift" in other


def test_what_another_command_learned_meanwhile_is_not_overwritten(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, inputs = tmp_path / "site.templates", [str(saved / "news"), "--to", str(tmp_path / "site.templates")]

    def slowly(*args: object) -> Learned:
        run("which-template", "learn", str(saved / "shop"), "--to", str(index))
        return learn_names(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(which_template, "learn_names", slowly)
    with pytest.raises(InputError, match=r"changed by another command meanwhile; run this one again"):
        which_template.learn.main(inputs, standalone_mode=False)
    monkeypatch.undo()
    which_template.learn.main(inputs, standalone_mode=False)

    assert [ask(saved / name / "0.html", index)["template"] for name in ("news", "shop")] == ["news", "shop"]


def test_addresses_in_a_list_that_no_page_has_are_noted(saved: Path, tmp_path: Path) -> None:
    labels, index = tmp_path / "labels.csv", tmp_path / "site.templates"
    labels.write_text(f"url,template\n{saved}/news/0.html,article\n{saved}/news/gone.html,article\nhttps://x/,x\n")
    ran = run("which-template", "learn", str(saved), "--to", str(index), "--labels", str(labels))

    assert f"no page has 2 of the addresses in {labels}; the first is file://{saved}/news/gone.html" in (
        ran.stderr.decode()
    )


def test_templates_are_learned_from_a_list(saved: Path, tmp_path: Path) -> None:
    labels, index = tmp_path / "labels.csv", tmp_path / "site.templates"
    labels.write_text(f"url,template\n{saved}/news/0.html,article\nfile://{saved}/shop/1.html,product\n")
    ran = run("which-template", "learn", str(saved), "--to", str(index), "--labels", str(labels))

    assert ran.stdout.decode().startswith("learned 2 pages of 2 templates")
    assert f"6 pages are not in {labels}" in ran.stderr.decode()
    assert ask(saved / "shop" / "3.html", index)["template"] == "product"


def test_templates_are_discovered_and_keep_their_names(saved: Path, tmp_path: Path) -> None:
    index = tmp_path / "site.templates"
    run("which-template", "learn", str(saved / "shop"), "--to", str(index), "--labels", "clusters")
    before = ask(saved / "shop" / "0.html", index)["template"]
    run("which-template", "learn", str(saved), "--to", str(index), "--labels", "clusters")

    assert ask(saved / "shop" / "0.html", index)["template"] == before
    assert ask(saved / "news" / "0.html", index)["template"] not in (before, None)


def test_labels_that_conflict_in_a_list_are_refused(saved: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("url,template\nhttps://city.example/,a\nhttps://city.example/,b\n")
    said = trouble("which-template", "learn", str(saved), "--to", str(tmp_path / "i"), "--labels", str(labels))

    assert "line 3: https://city.example/ is of a and of b; leave one in" in said


def test_pages_of_several_templates_that_look_the_same_are_noted(saved: Path, tmp_path: Path) -> None:
    for number in range(7):
        (saved / "shop" / f"more-{number}.html").write_text(NEWS.format(number))
    said = run("which-template", "learn", str(saved), "--to", str(tmp_path / "i")).stderr.decode()

    assert "look the same: shop (7), news (4); the first one is reported" in said


def test_beginnings_of_pages_give_the_same_clusters(archives: Path) -> None:
    by_pages, by_beginnings = (
        run("which-template", "cluster", str(archives), "--algorithm", "lzw", *more) for more in ((), ("--quick",))
    )
    assert by_beginnings.stdout == by_pages.stdout
    assert by_pages.stdout


def test_beginnings_are_refused_where_whole_pages_are_needed(archives: Path, tmp_path: Path) -> None:
    quick = ("which-template", "cluster", str(archives), "--quick")
    assert trouble(*quick).endswith("add --algorithm lzw\n")
    assert "leave one of them out" in trouble(*quick, "--algorithm", "lzw", "--to", str(tmp_path / "pages.csv"))


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_clusters_are_shown_and_written_as_a_table(
    options: tuple[str, ...], archives: Path, tmp_path: Path
) -> None:
    paths = {kind: tmp_path / f"clusters.{kind}" for kind in ("csv", "json", "parquet")}
    for path in paths.values():
        ran = run("which-template", "cluster", str(archives), "--to", str(path), *options)
    lines = ran.stdout.decode().splitlines()
    from_csv = list(csv.DictReader(paths["csv"].read_text().splitlines()))
    table = pyarrow.parquet.read_table(paths["parquet"])

    assert [line.split()[:3] for line in lines[1:3]] == [["template-1", "5", "1"], ["template-2", "5", "1"]]
    assert lines[1].endswith("https://news.example/0")
    assert lines[-1] == "10 pages, 2 templates, 2 fingerprints"
    assert json.loads(paths["json"].read_text()) == from_csv
    assert table.column_names == ["url", "captured_at", "digest", "fingerprint", "template"]
    assert table.column("template").to_pylist() == ["template-1"] * 5 + ["template-2"] * 5
    assert from_csv[0]["captured_at"] == "2026-11-01T12:00:00Z"


def test_bad_input_gets_one_line(saved: Path, tmp_path: Path) -> None:
    index, page = tmp_path / "site.templates", str(saved / "shop/0.html")
    index.write_bytes(b"PAGEDRIFT INDEX\n")

    assert "cut short" in trouble("which-template", page, "--index", str(index))
    assert "not an index" in trouble("which-template", page, "--index", page)
    assert "No such file" in trouble("which-template", page, "--index", str(tmp_path / "none"))
    assert "end it with one of" in trouble("which-template", "cluster", str(saved), "--to", "clusters.txt")
    assert "to a new file" in trouble("which-template", "learn", str(saved), "--to", page)
    for command, option in (("learn", "--to"), ("cluster", "--to"), ("cluster", "--html")):
        nowhere = str(tmp_path / "none" / "made.csv")
        said = trouble("which-template", command, str(tmp_path / "nothing"), option, nowhere)
        assert f"{nowhere} cannot be written" in said  # before anything is read
    assert "--most" in trouble("which-template", "cluster", str(saved), "--most", "-1")
    assert "no columns url and template" in trouble(
        "which-template", "learn", str(saved), "--to", str(tmp_path / "i"), "--labels", page
    )


def test_pages_without_tags_are_of_no_template_unless_one_was_learned(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    for name, text in (("a", "no tags"), ("b", "<p>one tag")):
        (tmp_path / "plain" / f"{name}.html").write_text(text)
    ran = run("which-template", "cluster", str(tmp_path / "plain"), "--algorithm", "lzw")

    assert ran.stdout.decode().splitlines()[-1] == "2 pages, 1 template, 2 fingerprints"


def test_clusters_are_drawn_in_the_terminal_and_in_a_report(archives: Path, tmp_path: Path) -> None:
    said = run("which-template", "cluster", str(archives), "--outline", "--html", str(tmp_path / "report.html"))
    lines = said.stdout.decode().splitlines()
    report = (tmp_path / "report.html").read_text("utf-8")

    assert lines[lines.index("  article") :][:3] == ["  article", "    h1     ‹text›", "    p      ‹text›"]
    assert "10 pages, 2 templates" in report
    assert "https://news.example/0" in report
    assert '<span class="name">article</span>' in report


def test_an_outline_comes_as_data_too(archives: Path) -> None:
    said = run("which-template", "cluster", str(archives), "--outline", "--json")
    first = json.loads(said.stdout.splitlines()[0])

    assert [(line["depth"], line["label"], line["slots"]) for line in first["outline"]] == [
        (0, "article", []),
        (1, "h1", ["text"]),
        (1, "p", ["text"]),
    ]


def test_a_drawing_of_standard_input_is_refused_with_the_way_out() -> None:
    assert "save it to a file first" in trouble("which-template", "cluster", "-", "--outline")


def test_a_whole_archive_gives_a_row_for_each_page(saved: Path, archives: Path, tmp_path: Path) -> None:
    index, table = str(tmp_path / "site.templates"), tmp_path / "pages.csv"
    run("which-template", "learn", str(saved), "--to", index)
    said = run("which-template", str(archives / "shop.warc.gz"), "--index", index, "--json").stdout.splitlines()
    run("which-template", str(archives), str(saved / "news/0.html"), "--index", index, "--to", str(table))
    rows = list(csv.DictReader(table.read_text().splitlines()))

    assert [json.loads(line)["template"] for line in said] == ["shop"] * 5
    assert [row["template"] for row in rows] == ["news"] * 5 + ["shop"] * 5 + ["news"]
    assert "does not say in which format" in trouble(
        "which-template", str(archives), "--index", index, "--to", str(tmp_path / "pages.txt")
    )


def test_strictly_another_state_of_a_page_is_another_template(saved: Path, tmp_path: Path) -> None:
    index = str(tmp_path / "site.templates")
    run("which-template", "learn", str(saved), "--to", index)
    page = tmp_path / "news.html"
    page.write_text(NEWS.format("new").replace("</article>", "<form class=error></form></article>"))
    strictly = run("which-template", str(page), str(saved / "news/0.html"), "--index", index, "--strict", "--json")
    (saved / "news" / "error.html").write_text(page.read_text())
    clusters = [
        len(run("which-template", "cluster", str(saved / "news"), "--json", *more).stdout.splitlines())
        for more in ((), ("--strict",))
    ]

    assert [json.loads(line)["template"] for line in strictly.stdout.splitlines()] == [None, "news"]
    assert clusters[1] == 2


def test_clusters_say_how_alike_their_pages_are_and_what_their_addresses_share(archives: Path) -> None:
    found = [
        json.loads(line) for line in run("which-template", "cluster", str(archives), "--json").stdout.splitlines()
    ]

    assert [(one["addresses"], one["sure"]) for one in found] == [("news.example/*", 1.0), ("shop.example/*", 1.0)]
