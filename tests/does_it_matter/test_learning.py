from pathlib import Path

import pytest

from pagedrift import InputError
from pagedrift.does_it_matter.learning import Label, learn, load, read_labels, save
from pagedrift.does_it_matter.model import Model, shipped

FEATURES = shipped("source").features


def row(size: float) -> dict[str, float]:
    """Figures of a change: at 0 what the shipped judge takes for the middle, above for more change."""
    model = shipped("source")
    scaled = zip(model.features, model.means, model.scales, model.weights, strict=True)
    return {name: mean + size * scale * (1 if weight > 0 else -1) for name, mean, scale, weight in scaled}


def test_labels_are_read_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("label,old,new,note\nyes,a.html,b.html,\nSimilar,a.html,c.html,x\n")

    assert read_labels(tmp_path / "labels.csv") == [
        Label(2, "a.html", "b.html", matters=True),
        Label(3, "a.html", "c.html", matters=False),
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "has no columns old, new and label; name them"),
        ("old,new\na,b\n", "has no columns old, new and label; name them"),
        ("old,new,label\n", "holds no label; write a line"),
        ("old,new,label\na,b,perhaps\n", "line 2: the label is 'perhaps'; write similar or dissimilar"),
        ("old,new,label\na,,yes\n", "line 2: a page is not named"),
        ("old,new,label\na,b\n", "line 2: the label is ''"),
        ("old,new,label\n\x00\x00\n", "line 2"),
        (b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_a_list_that_is_none_is_refused_with_the_next_step(tmp_path: Path, content: str | bytes, told: str) -> None:
    (tmp_path / "labels.csv").write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(InputError, match=told):
        read_labels(tmp_path / "labels.csv")
    with pytest.raises(InputError, match=r"No such file.*give a CSV file"):
        read_labels(tmp_path / "nothing.csv")


def test_labels_that_agree_keep_the_judge_right() -> None:
    rows = [row(size) for size in (-2.0, -1.5, 1.5, 2.0)]
    lesson = learn("source", rows, [False, False, True, True])

    assert (lesson.before.right, lesson.after.right) == (4, 4)
    assert not lesson.worse
    assert lesson.model.labels == shipped("source").labels + 4


def test_many_labels_teach_a_stricter_judge() -> None:
    rows = [row(0.4 + number / 100) for number in range(40)] + [row(1.5 + number / 100) for number in range(40)]
    lesson = learn("source", rows, [False] * 40 + [True] * 40)

    assert lesson.after.right > lesson.before.right
    assert lesson.before.false > lesson.after.false


def test_contradictory_labels_that_make_it_worse_are_told() -> None:
    rows = [row(0.22 + number / 100) for number in range(8)] + [row(3.0)] * 5
    lesson = learn("source", rows, [True] * 8 + [False] * 5)

    assert lesson.before.right == 8
    assert lesson.worse


def test_two_labels_leave_one_each_and_teach_nothing_then() -> None:
    lesson = learn("source", [row(-2.0), row(2.0)], [False, True])

    assert lesson.after == lesson.before


def test_a_judge_is_written_and_read_back(tmp_path: Path) -> None:
    save(tmp_path / "mine.json", {"source": shipped("source")})

    assert load(tmp_path / "mine.json") == {"source": shipped("source")}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"format": 2}',
        b'{"format": 1, "models": {}}',
        b'{"format": 1, "models": {"source": 3}}',
        b'{"format": 1, "models": {"other": {}}}',
    ],
)
def test_a_file_that_is_no_judge_is_refused_with_the_next_step(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.json").write_bytes(content)

    with pytest.raises(InputError, match=r"mine.json is not a judge.*pagedrift does-it-matter learn"):
        load(tmp_path / "mine.json")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "model",
    [
        Model(name="made", features=("words",), means=(0.0,), scales=(1.0,), weights=(1.0,), bias=0.0, labels=3),
        Model(
            name="made",
            features=FEATURES,
            means=(0.0,) * len(FEATURES),
            scales=(0.0,) * len(FEATURES),
            weights=(1.0,) * len(FEATURES),
            bias=0.0,
            labels=3,
        ),
        Model(
            name="made",
            features=FEATURES,
            means=(0.0,) * len(FEATURES),
            scales=(1.0,) * len(FEATURES),
            weights=("1",) * len(FEATURES),
            bias=0.0,
            labels=3,
        ),
    ],
)
def test_a_judge_of_other_figures_is_refused(tmp_path: Path, model: Model) -> None:
    save(tmp_path / "mine.json", {"source": model})

    with pytest.raises(InputError, match="other figures"):
        load(tmp_path / "mine.json")
