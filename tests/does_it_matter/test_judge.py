from dataclasses import replace

import cv2
import numpy
import pytest

from pagedrift import InputError, PageVersion
from pagedrift.does_it_matter.judge import judge
from pagedrift.does_it_matter.learning import judge_by
from pagedrift.does_it_matter.model import Model, from_json, shipped
from pagedrift.does_it_matter.pictures import look
from pagedrift.does_it_matter.train import adapt, fit
from pagedrift.facets.view import View

ARTICLE = "".join(
    f"<p>Paragraph {name} tells at some length what the office does on {name}, and for whom it is open."
    for name in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
)


def page(main: str, around: str = "") -> PageVersion:
    return PageVersion(
        "https://city.example/", f"<nav>Home</nav><main>{main}</main><footer>{around}</footer>".encode()
    )


def test_an_unchanged_page_does_not_matter() -> None:
    found = judge(page(ARTICLE), page(ARTICLE))

    assert found.label == "similar"
    assert found.probability < 0.05
    assert found.basis == "source only"


def test_a_new_item_matters_and_the_first_reason_quotes_it() -> None:
    news = "<h2>Town hall closed for repairs</h2><p>" + "The town hall is closed until further notice. " * 8
    found = judge(page(ARTICLE), page(news + ARTICLE))

    assert found.label == "dissimilar"
    assert found.matters
    assert any("the town hall is closed" in reason.text for reason in found.reasons if reason.strength > 0)


def test_a_footer_does_not_matter() -> None:
    found = judge(page(ARTICLE, "© 2023 City"), page(ARTICLE, "© 2024 City, made with care"))

    assert found.label == "similar"


def test_a_view_of_one_side_alone_is_not_compared_with_a_source() -> None:
    seen = replace(page(ARTICLE), view=View(url="", title="", language="", width=1024, height=900, nodes=()))

    assert judge(page(ARTICLE), seen).probability < 0.05


def png(value: int) -> bytes:
    return cv2.imencode(".png", numpy.full((300, 1024, 3), value, numpy.uint8))[1].tobytes()


def test_a_picture_that_is_no_picture_is_refused_with_the_next_step() -> None:
    with pytest.raises(InputError, match="render the page again"):
        look(png(9)[:40])


def test_pictures_count_where_both_versions_have_one() -> None:
    light, dark = (
        replace(
            page(ARTICLE),
            view=View(url="", title="", language="", width=1024, height=300, nodes=(), picture=png(value)),
        )
        for value in (250, 9)
    )

    assert judge(light, dark).basis == "source and pictures"
    assert judge(light, dark).probability > judge(light, light).probability


def test_the_judges_that_ship_are_of_the_right_form() -> None:
    for name, labels in (("pictures", 291), ("source", 293)):  # two pairs were rendered nearly empty on one side
        assert shipped(name).labels == labels
        assert from_json(shipped(name).to_json(), where=name) == shipped(name)


ROWS = [{"words": float(number), "links": float(number % 3)} for number in range(20)]
MATTERS = [number >= 10 for number in range(20)]


def test_learning_finds_what_decides() -> None:
    model = fit("made", ("words", "links"), ROWS, MATTERS, [1.0] * 20)

    assert model.probability(ROWS[0]) < 0.2
    assert model.probability(ROWS[19]) > 0.8
    assert abs(model.weights[0]) > 5 * abs(model.weights[1])


def test_few_labels_of_a_user_hardly_move_the_shipped_judge_and_many_do() -> None:
    model = Model(
        name="made", features=("words",), means=(0.0,), scales=(1.0,), weights=(2.0,), bias=0.0, labels=300
    )
    against = [{"words": 1.0}, {"words": -1.0}]
    few = adapt(model, against, [False, True])
    many = adapt(model, against * 60, [False, True] * 60)

    assert 1.0 < few.weights[0] < 2.0
    assert many.weights[0] < 0


def test_labels_of_one_kind_teach_nothing() -> None:
    with pytest.raises(InputError, match="all labels say the same"):
        fit("made", ("words",), ROWS, [True] * 20, [1.0] * 20)


def seen(value: int, **more: object) -> PageVersion:
    return replace(
        page(ARTICLE),
        view=View(url="", title="", language="", width=1024, height=300, nodes=(), picture=png(value), **more),
    )


def test_a_style_sheet_that_lacks_on_one_side_is_no_change() -> None:
    styled, unstyled = seen(250), seen(9, missing=("a.css",), unstyled=("a.css",))

    assert judge(styled, unstyled).basis == "source only: 1 style sheet of the new version could not be had"
    assert judge(unstyled, styled).basis == "source only: 1 style sheet of the old version could not be had"
    assert judge(styled, unstyled).label == "similar"
    assert judge(unstyled, unstyled).basis == ("source and pictures: 1 style sheet could not be had on either side")


def test_pictures_of_different_browsers_are_not_compared() -> None:
    found = judge(seen(250, engine="Chromium 1"), seen(9, engine="Chromium 2"))

    assert found.basis == "source only: the pictures are of different browsers (Chromium 1; Chromium 2)"


def test_a_judge_that_never_saw_pictures_looks_at_none() -> None:
    found = judge_by({"source": shipped("source")}, seen(250), seen(9))

    assert found.basis == "source only"
    assert judge_by({"pictures": shipped("pictures")}, seen(250), seen(9)).basis == "source and pictures"


def test_pictures_of_different_sizes_are_compared() -> None:
    short = cv2.imencode(".png", numpy.full((40, 900, 3), 250, numpy.uint8))[1].tobytes()
    tall = cv2.imencode(".png", numpy.full((9000, 1200, 3), 250, numpy.uint8))[1].tobytes()
    one, other = (
        replace(
            page(ARTICLE),
            view=View(url="", title="", language="", width=1024, height=300, nodes=(), picture=picture),
        )
        for picture in (short, tall)
    )

    assert 0 <= judge(one, other).probability <= 1


def test_blank_pages_are_judged() -> None:
    blank = PageVersion("https://city.example/", b"")

    assert judge(blank, blank).label == "similar"
    assert judge(page(ARTICLE), blank).label == "dissimilar"


def styled(*sheets: str, inline: str = "") -> PageVersion:
    links = "".join(f'<link rel="stylesheet" href="/{sheet}">' for sheet in sheets)
    return PageVersion("https://city.example/", f"<head>{links}{inline}</head><main>{ARTICLE}</main>".encode())


def test_a_page_with_wholly_other_style_sheets_looks_different() -> None:
    for new in (styled("theme.css", "print.css"), styled()):
        found = judge(styled("site.css?v=1"), new)

        assert found.matters
        assert found.reasons[0].text == "all style sheets are other ones: the page looks different"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (styled("site.css?v=1"), styled("site.css?v=2")),
        (styled("site-4f3a9c11.css"), styled("site-90aa17be.css")),
        (styled("assets/DiwrgTda.css"), styled("assets/B0xlPq2z.css")),
        (styled("site.css"), styled("site.css", "print.css")),
        (styled("site.css"), styled(inline="<style>p { margin: 0 }</style>")),
    ],
    ids=["version", "build", "only a hash", "one more", "moved into the page"],
)
def test_style_sheets_of_another_build_are_no_other_look(old: PageVersion, new: PageVersion) -> None:
    assert not judge(old, new).matters
