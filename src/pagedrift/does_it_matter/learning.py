"""What does the judge learn from a user's own decisions, and does it improve?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pagedrift.atomic_files import write_atomically
from pagedrift.does_it_matter.evidence import obstacle, unseen
from pagedrift.does_it_matter.judge import Judgement, judge
from pagedrift.does_it_matter.model import FORMAT, Model, changes_model, from_json, shipped
from pagedrift.does_it_matter.train import adapt
from pagedrift.errors import InputError
from pagedrift.reading.lists import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pagedrift.does_it_matter.changes import Past, Siblings
    from pagedrift.does_it_matter.changes.picture_contents import Loaded
    from pagedrift.page import PageVersion

KINDS: Final = ("source", "pictures")  # ways of looking: without pictures, and with
COLUMNS: Final = ("old", "new", "label")
WORDS: Final = {"similar": False, "no": False, "dissimilar": True, "yes": True}
MAX_FOLDS: Final = 200  # in which labels are left out
_HALF: Final = 0.5
_NEXT: Final = "train one with: pagedrift does-it-matter learn"


@dataclass(frozen=True, slots=True)
class Label:
    """What a person said about two versions, and on which line."""

    line: int
    old: str  # references to pages
    new: str
    matters: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """How answers compare with labels."""

    labels: int
    right: int
    missed: int  # changes that matter, called similar
    false: int  # changes that do not, called dissimilar

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / max(1, self.labels)


@dataclass(frozen=True, slots=True)
class LearnedJudge:
    """What was learned for one way of looking, and how it compares on labels that were left out of it."""

    model: Model
    before: Figures  # of the judge that ships
    after: Figures  # of what was learned, each label judged by what the others taught

    @property
    def worse(self) -> bool:
        """Whether learning did harm."""
        return self.after.right < self.before.right


def read_labels(path: Path) -> list[Label]:
    """Read decisions out of a CSV file with the columns old, new and label."""
    labels = []
    for line, (old, new, word) in rows_of(path, COLUMNS):
        if word.lower() not in WORDS:
            raise InputError(
                f"{path}, line {line}: the label is {word!r}; write similar or dissimilar, or no or yes"
            )
        if not old or not new:
            raise InputError(f"{path}, line {line}: a page is not named; write both, old and new")
        labels.append(Label(line, old, new, WORDS[word.lower()]))
    if not labels:
        raise InputError(f"{path} holds no label; write a line for each decision: {', '.join(COLUMNS)}")
    return labels


def learn(
    kind: str,
    rows: Sequence[Mapping[str, float]],
    matters: Sequence[bool],
    *,
    from_on: float = _HALF,
    folds: int = MAX_FOLDS,
) -> LearnedJudge:
    """Learn from labels for one way of looking, or for single changes, starting from the judge that ships.

    `from_on` is how likely something must be to count as one that matters. Up to `folds` labels, each is left out
    by itself to see how well the others teach; of more, a share of them at a time.
    """
    start = changes_model() if kind == "changes" else shipped(kind)
    learned = adapt(start, rows, matters)
    found = [start.probability(row) for row in rows]
    left_out = _left_out(start, rows, matters, folds)
    return LearnedJudge(learned, _compared(found, matters, from_on), _compared(left_out, matters, from_on))


def _left_out(
    start: Model, rows: Sequence[Mapping[str, float]], matters: Sequence[bool], folds: int
) -> list[float]:
    """Judge each label by what the others teach; others that all say the same teach nothing."""
    found = [0.0] * len(rows)
    for out, kept in _folds(len(rows), min(len(rows), folds)):
        labels = [matters[number] for number in kept]
        model = adapt(start, [rows[number] for number in kept], labels) if len(set(labels)) > 1 else start
        for number in out:
            found[number] = model.probability(rows[number])
    return found


def _folds(count: int, folds: int) -> Iterator[tuple[range, list[int]]]:
    for fold in range(folds):
        out = range(fold, count, folds)
        yield out, [number for number in range(count) if number % folds != fold]


def _compared(found: Sequence[float], matters: Sequence[bool], from_on: float) -> Figures:
    answers = [(each >= from_on, truth) for each, truth in zip(found, matters, strict=True)]
    missed = sum(truth and not said for said, truth in answers)
    false = sum(said and not truth for said, truth in answers)
    return Figures(len(answers), len(answers) - missed - false, missed, false)


def judge_by(
    models: Mapping[str, Model] | None,
    old: PageVersion,
    new: PageVersion,
    *,
    past: Past | None = None,
    siblings: Siblings | None = None,
    loaded: tuple[Loaded, Loaded] | None = None,
) -> Judgement:
    """Judge by what was learned, for each way of looking; by pictures only where that was learned of them."""
    if models is None:
        return judge(old, new, past=past, siblings=siblings, loaded=loaded)
    if "pictures" not in models or old.view is None or new.view is None or obstacle(old.view, new.view):
        chosen = models.get("source") or shipped("source")
        if "pictures" not in models:
            old, new = unseen(old, new)
        return judge(old, new, past=past, siblings=siblings, loaded=loaded, model=chosen)
    pictured = old.view.picture is not None and new.view.picture is not None
    kind = "pictures" if pictured else "source"
    return judge(old, new, past=past, siblings=siblings, loaded=loaded, model=models.get(kind) or shipped(kind))


def save(path: Path, models: Mapping[str, Model]) -> None:
    """Write a judge: one model for each way of looking, as plain JSON."""
    data = {"format": FORMAT, "models": {kind: model.to_json() for kind, model in models.items()}}
    write_atomically(path, (json.dumps(data, indent=1) + "\n").encode())


def load(path: Path) -> dict[str, Model]:
    """Read a judge back."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); {_NEXT}") from None
    except ValueError:  # no JSON, or no text at all
        raise InputError(f"{path} is not a judge; {_NEXT}") from None
    models = data.get("models") if isinstance(data, dict) and data.get("format") == FORMAT else None
    if not isinstance(models, dict) or not models or not set(models) <= set(KINDS):
        raise InputError(f"{path} is not a judge of format {FORMAT}; {_NEXT}")
    return {kind: _checked(from_json(each, where=str(path)), kind, path) for kind, each in models.items()}


def _checked(model: Model, kind: str, path: Path) -> Model:
    """Refuse a model of other figures than ours: it would be asked for what nobody measures."""
    numbers: list[Any] = [model.bias, *model.means, *model.scales, *model.weights]
    plain = all(isinstance(each, (int, float)) for each in numbers)
    if not plain or set(model.features) != set(shipped(kind).features) or not all(model.scales):
        raise InputError(f"{path} holds a model of other figures than this version measures; {_NEXT}")
    return model
