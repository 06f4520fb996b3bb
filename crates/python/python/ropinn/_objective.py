"""The loss of a problem as a function of the network's parameters, for optimisers of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _options, _ropinn
from ._errors import OptionError
from ._solve import Target, _native

_KNOWN = [
    *("model", "width", "depth", "precision", "seed", "preset", "objective", "weighting", "sampling", "set", "threads"),
]


class Objective:
    """L(θ) = Σ ρᵢ(θ)² at the points of a problem, compiled for one network.

    `o = ropinn.Objective(problem, "pinn", width=64, depth=3, precision="f64")`, then `o.value_and_grad(o.initial())`. The residuals ρ
    are in the scale of their weights and counts, so ∇L = 2 Jᵀρ. Arrays given are copied before anything is computed, arrays that come
    back are the caller's own.
    """

    def __init__(self, problem: Target, model: str | None = None, **options: Any) -> None:
        _options.refuse_unknown("Objective", {key: None for key in options if key not in _KNOWN}, _KNOWN)
        self._problem, self._model, self._options = problem, model, options
        settings = _options.settings(options.get("set"))
        given = _options.given(model=model, **{key: value for key, value in options.items() if key != "set"})
        self._native = _ropinn.Objective(_native(problem), given | {"set": settings})

    @property
    def parameters(self) -> int:
        """Length of θ."""
        return self._native.parameters

    @property
    def residual_count(self) -> int:
        """Length of ρ."""
        return self._native.residual_count

    @property
    def terms(self) -> list[str]:
        """Names of the terms of the loss."""
        return self._native.terms()

    def initial(self) -> np.ndarray:
        """θ as a run with the same seed starts."""
        return self._native.initial()

    def value(self, theta: Any) -> float:
        """L(θ)."""
        return self.value_and_grad(theta)[0]

    def value_and_grad(self, theta: Any) -> tuple[float, np.ndarray]:
        """L(θ) and its gradient."""
        return self._native.value_and_grad(_vector(theta))

    def residuals(self, theta: Any) -> np.ndarray:
        """ρ(θ)."""
        return self._native.residuals(_vector(theta))

    def jacobian(self, theta: Any) -> tuple[np.ndarray, np.ndarray]:
        """ρ(θ) and J, a row for each residual."""
        return self._native.jacobian(_vector(theta))

    def gram(self, theta: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """L(θ), its gradient and JᵀJ."""
        return self._native.gram(_vector(theta))

    def jvp(self, theta: Any, v: Any) -> np.ndarray:
        """J v."""
        return self._native.jvp(_vector(theta), _vector(v))

    def vjp(self, theta: Any, w: Any) -> np.ndarray:
        """Jᵀ w."""
        return self._native.vjp(_vector(theta), _vector(w))

    def error(self, theta: Any) -> float | None:
        """The relative error (rMSE) against the reference, if there is one."""
        return self._native.error(_vector(theta))

    def tensors(self, theta: Any) -> dict[str, np.ndarray]:
        """θ cut into the network's tensors, by name."""
        theta = _vector(theta)
        if len(theta) != self.parameters:
            raise OptionError(f"theta has {len(theta)} numbers where {self.parameters} are needed")
        return {name: theta[first:last].reshape(shape) for name, shape, first, last in self._native.layout()}

    def flat(self, tensors: Mapping[str, Any]) -> np.ndarray:
        """Tensors put together to θ."""
        theta = np.empty(self.parameters)
        for name, shape, first, last in self._native.layout():
            if name not in tensors:
                raise OptionError(f"the tensor `{name}` is missing")
            tensor = np.asarray(tensors[name], dtype=np.float64)
            if tensor.size != last - first:
                raise OptionError(f"the tensor `{name}` has the shape {tensor.shape}, but it should be {tuple(shape)}")
            theta[first:last] = tensor.reshape(-1)
        return theta

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._problem, self._model, self._options)

    def __repr__(self) -> str:
        return f"<ropinn.Objective of {self.parameters} parameters and {self.residual_count} residuals>"


def _restored(problem: Target, model: str | None, options: dict[str, Any]) -> Objective:
    return Objective(problem, model, **options)


def _vector(given: Any) -> np.ndarray:
    try:
        vector = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"a vector of numbers is needed, found {given!r}") from None
    return vector.reshape(-1)
