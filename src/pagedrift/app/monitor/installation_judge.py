"""The judge of this installation: learned from its feedback, held near the built-in one, used where as good."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.store import lessons
from pagedrift.does_it_matter.changes.levels import CONTENT
from pagedrift.does_it_matter.learning import learn
from pagedrift.does_it_matter.model import changes_model
from pagedrift.errors import PagedriftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.app.store.lessons import Example
    from pagedrift.app.store.store import Store

MIN_LABELS: Final = 8  # before which there is too little to learn from
KIND: Final = "changes"
FOLDS: Final = 40  # up to as many labels, each is left out by itself: a second or two of work


def keep_up(store: Store) -> bool:
    """Learn again where feedback was given or taken back since the last time; say whether that was so."""
    with store.read() as session:
        said = lessons.state_of_feedback(session)
        known = lessons.judge(store)
        features = _features()
        if known.get("said", [0, 0, ""]) == said and known.get("features", features) == features:
            return False
        examples = lessons.examples(session)
    store.set(lessons.JUDGE, {"said": said, "features": features, "labels": len(examples), **learned(examples)})
    return True


def learned(examples: Sequence[Example]) -> dict[str, Any]:
    """Learn; give a model only where it judges what is left out of it as well as the built-in one."""
    matters = [each.matters for each in examples]
    if len(examples) < MIN_LABELS or len(set(matters)) == 1:
        return {}
    rows = [defaultdict(float, each.figures) for each in examples]  # figures that are 0 are left out
    try:
        lesson = learn(KIND, rows, matters, from_on=CONTENT, folds=FOLDS)
    except PagedriftError as error:  # what it takes to learn is not installed
        return {"trouble": str(error)}
    compared = {"before": asdict(lesson.before), "after": asdict(lesson.after)}
    return compared if lesson.worse else {**compared, "model": lesson.model.to_json()}


def _features() -> str:
    """Name what the judge of this release looks at: weights for anything else are of no use."""
    return ",".join(changes_model().features)
