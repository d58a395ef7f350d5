"""How does the judge of Law et al. 2012 learn? A linear SVM, whose normal selects features (§ 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pagedrift.does_it_matter.model import Model
from pagedrift.extras import need

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOFTNESS: Final = 1.0  # C; the paper does not say


def leave_out(
    values: Any,
    matters: Any,
    groups: Sequence[object] | None = None,
    *,
    keep: int | None = None,
    rank_inside: bool = True,
    softness: float = SOFTNESS,
    kernel: str = "linear",
    balanced: bool = False,
    scale: bool = True,
) -> Any:
    """Judge each pair by a machine that saw all others, or all of other groups; give the signed margins.

    With `keep`, only the features of the largest weights are used: ranked again inside each fold, or once on all
    pairs, which lets the answer leak into the question and is there for the record.
    """
    numpy = need("learn", "numpy")
    folds = numpy.arange(len(matters)) if groups is None else numpy.unique(groups, return_inverse=True)[1]
    chosen = None if keep is None or rank_inside else _strongest(values, matters, keep, softness)
    margins = numpy.zeros(len(matters))
    for fold in numpy.unique(folds):
        rest, out = folds != fold, folds == fold
        columns = chosen
        if keep is not None and rank_inside:
            columns = _strongest(values[rest], matters[rest], keep, softness)
        used = values if columns is None else values[:, columns]
        machine = _machine(softness, kernel, balanced=balanced, scale=scale).fit(used[rest], matters[rest])
        margins[out] = machine.decision_function(used[out])
    return margins


def learn_svm(
    name: str,
    features: Sequence[str],
    rows: Sequence[Mapping[str, float]],
    matters: Sequence[bool],
    groups: Sequence[object] | None = None,
) -> Model:
    """Learn the machine of all pairs and put its margin on a scale of probabilities by Platt's method.

    The scale is that of pairs the machine had not seen: each left out once, or each group, such as a site.
    """
    numpy = need("learn", "numpy")
    linear_model = need("learn", "sklearn.linear_model")
    values = numpy.array([[row[feature] for feature in features] for row in rows])
    truth = numpy.array(matters)
    scale = linear_model.LogisticRegression(C=1e6).fit(leave_out(values, truth, groups)[:, None], truth)
    scaler, machine = (step for _, step in _machine(SOFTNESS, "linear").fit(values, truth).steps)
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    weights = tuple(round(float(weight) * slope, 6) for weight in machine.coef_[0])
    means, scales = (tuple(round(float(each), 6) for each in column) for column in (scaler.mean_, scaler.scale_))
    bias = round(float(machine.intercept_[0]) * slope + shift, 6)
    return Model(
        name=name,
        features=tuple(features),
        means=means,
        scales=scales,
        weights=weights,
        bias=bias,
        labels=len(rows),
    )


def _strongest(values: Any, matters: Any, keep: int, softness: float) -> Any:
    numpy = need("learn", "numpy")
    normal = _machine(softness, "linear").fit(values, matters)[-1].coef_[0]
    return numpy.argsort(-numpy.abs(normal), kind="stable")[:keep]


def _machine(softness: float, kernel: str, *, balanced: bool = False, scale: bool = True) -> Any:
    pipeline, preprocessing, svm = (
        need("learn", f"sklearn.{name}") for name in ("pipeline", "preprocessing", "svm")
    )
    machine = svm.SVC(C=softness, kernel=kernel, class_weight="balanced" if balanced else None)
    return pipeline.make_pipeline(preprocessing.StandardScaler() if scale else "passthrough", machine)
