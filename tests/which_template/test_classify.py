import pytest
from hypothesis import given

from pagedrift import Fingerprint, InputError, PageVersion, TemplateClassifier, TemplateIndex
from pagedrift.which_template.lzw import is_same
from tests.which_template.strategies import crowds

NEWS, SHOP = (
    PageVersion("https://city.example/news", b"<article><h1>News</h1>" * 9),
    PageVersion("", b"<table>" * 40),
)


def parsed(*texts: str) -> list[Fingerprint]:
    return [Fingerprint.parse("lzw:" + text) for text in texts]


def test_a_page_gets_the_template_of_known_pages_like_it() -> None:
    classifier = TemplateClassifier("lzw").fit([NEWS, SHOP], ["news", "shop"])

    assert classifier.predict([SHOP, NEWS, PageVersion("", b"<p>")]) == ["shop", "news", None]
    assert classifier.match(NEWS).example == "https://city.example/news"


@given(crowds())
def test_a_page_is_of_no_known_template_only_where_no_known_page_is_like_it(crowd: list[bytes]) -> None:
    known, asked = crowd[::2], crowd[1::2]
    taken = [Fingerprint("lzw", one) for one in known]
    classifier = TemplateClassifier("lzw").fit(taken, [str(n % 3) for n in range(len(known))])
    for one in asked:
        near = {str(n % 3) for n, other in enumerate(known) if is_same(one, other)}
        predicted = classifier.predict([Fingerprint("lzw", one)])[0]
        assert predicted in near if near else predicted is None


def test_of_labels_that_conflict_the_more_frequent_one_wins_and_the_answer_is_less_sure() -> None:
    same = parsed("0,1,2", "0,1,2", "0,1,2", "0,1,2")
    classifier = TemplateClassifier("lzw").fit(same, ["shop", "news", "shop", "shop"])
    match = classifier.match(same[0])

    assert (match.template, match.sure, match.pages) == ("shop", 0.75, 3)
    assert [conflict.templates for conflict in classifier.conflicts()] == [{"shop": 3, "news": 1}]


def test_the_same_fingerprint_counts_before_those_that_are_only_near() -> None:
    classifier = TemplateClassifier("lzw").fit(parsed("0,1,2", "0,1,1", "0,1,1"), ["a", "b", "b"])

    assert classifier.predict(parsed("0,1,2", "0,1,0")) == ["a", "b"]


def test_learning_goes_on_with_partial_fit_and_starts_again_with_fit() -> None:
    classifier = TemplateClassifier("lzw").fit(parsed("0,1,2,3"), ["a"]).partial_fit(parsed("0,0,0,0,0"), ["b"])

    assert classifier.predict(parsed("0,1,2,3", "0,0,0,0,0")) == ["a", "b"]
    assert classifier.fit(parsed("0,0,0,0,0"), ["b"]).predict(parsed("0,1,2,3")) == [None]


def test_an_index_can_be_asked_as_it_is() -> None:
    index = TemplateIndex("lzw")
    index.add(parsed("0,1,2")[0], template="news")
    index.add(parsed("0,1,2")[0])  # without a template: known, but it says nothing

    assert TemplateClassifier(index=index).match(parsed("0,1,2")[0]).sure == 1.0


def test_labels_that_are_too_few_are_refused() -> None:
    with pytest.raises(InputError, match="one label for each page"):
        TemplateClassifier("lzw").fit([NEWS, SHOP], ["news"])
