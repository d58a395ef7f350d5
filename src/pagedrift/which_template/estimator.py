"""Which part of scikit-learn's contract do our learners share? It works without scikit-learn."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, Self

from pagedrift.errors import InputError


class Estimator:
    """A learner that scikit-learn can clone, set, search parameters of, and ask whether it was fitted."""

    _estimator_type: str  # as scikit-learn before 1.6 asks for it

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - none of ours is a learner itself
        """Give the parameters it was made with."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; what was learned stays until the next `fit`."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InvalidParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has: {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        given = ((name, value) for name, value in self.get_params().items() if value != defaults[name].default)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given)})"

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def _is_fitted(self) -> bool:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Say what it takes: pages, and no tables of numbers."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        classifies = self._estimator_type == "classifier"
        return Tags(
            estimator_type=self._estimator_type,
            target_tags=TargetTags(required=classifies),
            classifier_tags=ClassifierTags() if classifies else None,
            input_tags=InputTags(two_d_array=False),
            no_validation=True,
        )

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise not_fitted_error()(f"this {type(self).__name__} has seen no pages yet; show it some with: fit")


class InvalidParameterError(InputError, ValueError):
    """A parameter that a learner does not have."""


@cache
def not_fitted_error() -> type[InputError]:
    """Give the error of a learner that was asked too early: also scikit-learn's own, where that is installed."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return type("NotFittedError", (InputError, ValueError, AttributeError), {"__module__": __name__})
    return type("NotFittedError", (InputError, NotFittedError), {"__module__": __name__})
