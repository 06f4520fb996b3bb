"""Conditions of a problem, with the keys of a problem file as keywords.

All take `name`, `weight`, `points` (such as `"sobol:512"`) and `exact`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from ._columns import Columns

Condition = dict[str, Any]
Formula = Union[str, float]
Value = Union[Formula, Mapping[str, Formula]]
Places = Union[str, Sequence[str]]


def initial(
    value: Value, *, derivative: str | None = None, at: Places | None = None, unknown: str | None = None, **more: Any
) -> Condition:
    """The unknown at the first instant; its rate of change with `derivative="t"`."""
    return _condition("initial", value=value, derivative=derivative, at=at, unknown=unknown, **more)


def dirichlet(at: Places, value: Value, *, unknown: str | None = None, **more: Any) -> Condition:
    """The unknown at a place such as `"boundary"`, `"x = 0"` or `"hole 1"`."""
    return _condition("dirichlet", at=at, value=value, unknown=unknown, **more)


def neumann(at: Places, value: Value, *, unknown: str | None = None, **more: Any) -> Condition:
    """The derivative along the outward normal."""
    return _condition("neumann", at=at, value=value, unknown=unknown, **more)


def robin(at: Places, flux: Value, *, unknown: str | None = None, **more: Any) -> Condition:
    """The derivative along the outward normal as an expression of the unknowns, such as `"5 - u"`."""
    return _condition("robin", at=at, flux=flux, unknown=unknown, **more)


def periodic(
    along: str,
    *,
    orders: Sequence[int] | None = None,
    residual: str | None = None,
    unknown: str | None = None,
    **more: Any,
) -> Condition:
    """Both ends of a coordinate agree."""
    return _condition("periodic", along=along, orders=orders, residual=residual, unknown=unknown, **more)


def operator(at: Places, residual: str | Sequence[str], **more: Any) -> Condition:
    """Any expression that vanishes at a place; `n_x`, `n_y` are the components of the outward normal."""
    return _condition("operator", at=at, residual=residual, **more)


def data(
    columns: Mapping[str, Any] | None = None,
    *,
    sigma: Any = None,
    name: str | None = None,
    weight: float | None = None,
    **arrays: Any,
) -> Condition:
    """Readings: an array for each coordinate and for each measured unknown or expression of them.

    `ropinn.data(x=x, t=t, u=u)`; what is no Python name goes into a dictionary: `ropinn.data({"u_x": slopes}, x=x)`. `sigma` is
    the standard deviation of the readings: a number, an array with one for each, the name of a number to be found, or a dictionary of
    numbers and names by what is measured. NaN is a reading that is missing.
    """
    given = {**arrays, **(columns or {})}
    if sigma is not None and not isinstance(sigma, (str, Mapping)):
        given["sigma"], sigma = sigma, "sigma"
    return _condition("data", file=Columns(given), sigma=sigma, name=name, weight=weight)


def _condition(kind: str, **keys: Any) -> Condition:
    return {"kind": kind, **{key: value for key, value in keys.items() if value is not None}}
