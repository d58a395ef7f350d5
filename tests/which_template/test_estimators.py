"""Our learners among scikit-learn's: its own checks, and its own tools around them."""

import copy
import pickle
import subprocess
import sys
import zlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import ClusterMixin, clone, is_classifier, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator_cloneable, estimator_checks_generator
from sklearn.utils.validation import check_is_fitted

from pagedrift import InputError, PageVersion, TemplateClassifier, TemplateClusterer, TemplateIndex
from pagedrift.testing import made_page

LEARNERS = {"classifier": TemplateClassifier, "clusterer": TemplateClusterer}


def page_of(row: Any) -> PageVersion:
    """Make a page of a row of numbers, of a design of its own: the checks of scikit-learn bring tables."""
    numbers = np.nan_to_num(np.asarray(row, dtype=complex)).astype(np.complex64)
    return PageVersion("", made_page(zlib.crc32(numbers.tobytes())))


def pages_of(rows: Any) -> list[PageVersion]:
    if not isinstance(rows, list):
        rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    return [row if isinstance(row, PageVersion) else page_of(row) for row in rows]


class OnRows:
    """A learner that makes pages of rows, so that the checks of scikit-learn have something to give to it."""

    def fit(self, X, y=None):
        return super().fit(pages_of(X), y if y is None else np.asarray(y).ravel())

    def partial_fit(self, X, y=None, classes=None):  # noqa: ARG002 - scikit-learn's
        return super().partial_fit(pages_of(X), y)

    def predict(self, X):
        return np.asarray(super().predict(pages_of(X)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        return replace(tags, input_tags=replace(tags.input_tags, two_d_array=True, sparse=True))


class ClassifierOnRows(OnRows, TemplateClassifier):
    def predict_proba(self, X):
        return np.asarray(super().predict_proba(pages_of(X)))

    def score(self, X, y):
        return super(OnRows, self).score(X, y)


class ClustererOnRows(OnRows, TemplateClusterer, ClusterMixin):
    pass


# What does not apply to learners of pages, and why; everything else must pass.
LEFT_OUT = {
    "check_classifiers_one_label": "pages of a template that was never shown have no label",
    "check_estimators_partial_fit_n_features": "pages have no columns, of which there could be another number",
    "check_fit_idempotent": "it subtracts predictions, and that of an unknown template is None; see below",
    "check_clustering": "points that are near each other are not pages of one template; and labels need no numpy",
    "check_array_api_input": "pages are no arrays",
}


@pytest.mark.slow
@pytest.mark.parametrize("learner", [ClassifierOnRows, ClustererOnRows], ids=LEARNERS)
@pytest.mark.filterwarnings("ignore")  # scikit-learn tells what it passes over
def test_the_checks_of_scikit_learn_pass(learner: type) -> None:
    passed, left_out = [], set()
    for estimator, check in estimator_checks_generator(learner()):
        name = getattr(check, "func", check).__name__
        if name in LEFT_OUT:
            left_out.add(name)
            continue
        with suppress(SkipTest):  # where pandas is not installed, after the rest was checked
            check(estimator)
        passed.append(name)

    assert len(passed) > 30
    assert left_out


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_learner_is_cloned_copied_and_kept_as_scikit_learn_does_it(learner: type) -> None:
    check_estimator_cloneable("learner", learner("lzw"))
    pages = [PageVersion(f"https://city.example/{n}", made_page(n % 3, n)) for n in range(9)]
    fitted = learner("lzw").fit(pages, [n % 3 for n in range(9)])

    for same in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert same.predict(pages) == fitted.predict(pages)
        same.partial_fit([PageVersion("", made_page(77))], [7])
        assert len(same.index_) == len(fitted.index_) + 1
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError, match=r"has seen no pages yet; show it some with: fit"):
        fresh.predict(pages)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)
    check_is_fitted(fitted)
    assert fresh.fit(pages, [n % 3 for n in range(9)]).predict(pages) == fitted.predict(pages)
    assert repr(fitted) == f"{learner.__name__}(algorithm='lzw')"


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_a_parameter_that_is_none_is_refused_with_those_there_are(learner: type) -> None:
    assert learner().set_params(algorithm="lzw").get_params()["algorithm"] == "lzw"
    with pytest.raises(ValueError, match="has no parameter 'depth'; it has: algorithm, "):
        learner().set_params(depth=3)


def test_scikit_learn_tells_them_apart() -> None:
    assert is_classifier(TemplateClassifier())
    assert is_clusterer(TemplateClusterer())


LABELS = {
    "texts": ["news", "shop"],
    "numbers": [0, 1],
    "truths": [True, False],
    "pairs": [("city", 1), ("city", 2)],
    "numpy's": list(np.array([3, 4])),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_any_kind_come_back_as_they_were(labels: list[Any]) -> None:
    pages = [made_page(0), made_page(1)]
    classifier = TemplateClassifier().fit(pages, labels)

    assert classifier.predict(pages) == labels
    assert sorted(classifier.classes_) == sorted(labels)
    assert classifier.score([*pages, made_page(5)], [*labels, labels[0]]) == pytest.approx(2 / 3)
    assert classifier.match(made_page(5)).template is None


def test_labels_that_look_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="'1' and 1 look the same as text; give both as text"):
        TemplateClassifier().fit([made_page(0), made_page(1)], ["1", 1])


def test_an_index_of_a_file_is_known_and_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "known.templates"
    TemplateClassifier("lzw").fit([made_page(0)], ["news"]).index_.save(path)
    classifier = TemplateClassifier(index=TemplateIndex.open(path))

    for same in (classifier, clone(classifier), pickle.loads(pickle.dumps(classifier))):
        assert same.predict([made_page(0), made_page(1)]) == ["news", None]
        assert same.partial_fit([made_page(1)], ["shop"]).predict([made_page(1)]) == ["shop"]
    assert classifier.fit([made_page(2)], ["fees"]).predict([made_page(0), made_page(2)]) == [None, "fees"]


def test_pages_go_through_the_tools_of_scikit_learn() -> None:
    pages = [PageVersion("", made_page(n % 4, n)) for n in range(40)]
    labels = [f"design {n % 4}" for n in range(40)]

    assert cross_val_score(TemplateClassifier(), pages, labels, cv=4).mean() == 1.0
    search = GridSearchCV(TemplateClassifier(), {"algorithm": ["pagedrift", "lzw"]}, cv=2).fit(pages, labels)
    assert search.best_score_ == 1.0
    piped = make_pipeline(FunctionTransformer(list), TemplateClassifier()).fit(pages, labels)
    assert piped.score(pages, labels) == 1.0
    assert len(set(TemplateClusterer().fit_predict(pages))) == 4


def test_without_scikit_learn_the_error_is_of_the_same_kinds() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import pagedrift\n"
        "for learner in (pagedrift.TemplateClassifier(), pagedrift.TemplateClusterer()):\n"
        "    try: learner.predict(['<p>'])\n"
        "    except pagedrift.InputError as error: print(isinstance(error, (ValueError, AttributeError)), error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.count("True this Template") == 2
