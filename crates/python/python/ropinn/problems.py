"""Problems that come with ropinn: `ropinn.problems.wave()`, `ropinn.problems.wave_2d_cg(variant="div")`; `names()` lists them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from . import _ropinn
from ._problem import Problem


def names() -> list[str]:
    """Names of the problems, as the command line has them."""
    return _ropinn.Problem.builtin_names()


def __getattr__(name: str) -> Callable[..., Problem]:
    if name.startswith("__"):
        raise AttributeError(name)
    known = {own.replace("-", "_"): own for own in names()}
    if name not in known:
        near = _ropinn.nearest(name, list(known))
        hint = f" (did you mean `{near}`?)" if near else ""
        raise AttributeError(f"no built-in problem is named `{name}`{hint}; built in are: {', '.join(known)}")
    return partial(Problem.builtin, known[name])


def __dir__() -> list[str]:
    return ["names", *(name.replace("-", "_") for name in names())]
