"""`solve`, `resume`, `load` and `evaluate`: what the command line does, with its options as keywords."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from . import _options, _ropinn
from ._errors import OptionError, RopinnWarning, VerdictError
from ._folder import TemporaryFolder
from ._problem import Problem
from ._progress import progress as shown
from ._seeds import Seeds
from ._solution import Solution

Where = Union[str, "os.PathLike[str]"]
Target = Union[Problem, Solution, Where]


@dataclass(frozen=True)
class Step:
    """A logged step, as callbacks get it."""

    iteration: int
    phase: int
    #: The trained loss, and what each term adds to it.
    loss: float
    terms: dict[str, float]
    #: Numbers that are being found.
    trained: dict[str, float]
    grad_norm: float
    region_size: float
    evaluations: int
    seconds: float
    #: Relative errors, in the steps where they are measured.
    rmae: float | None
    rmse: float | None


Callback = Callable[[Step], Any]

_SITTING = ["iterations", "set", "max_seconds", "target_error", "threads", "require", "callback", "progress"]
_SOLVE = [
    *(
        "model",
        "objective",
        "weighting",
        "sampling",
        "strategy",
        "optimizer",
        "seed",
        "seeds",
        "success",
        "preset",
        "width",
        "depth",
    ),
    *("precision", "search", "init_from", "out", "overwrite", "resume", "strict", "variant", "table"),
    *_SITTING,
]


def solve(
    problem: Target,
    *,
    variant: str | None = None,
    table: Mapping[str, Any] | None = None,
    model: str | None = None,
    objective: str | None = None,
    weighting: str | None = None,
    sampling: str | None = None,
    strategy: str | None = None,
    optimizer: str | None = None,
    seed: int | None = None,
    seeds: Sequence[int] | str | None = None,
    success: float | None = None,
    preset: str | None = None,
    width: int | None = None,
    depth: int | None = None,
    precision: str | None = None,
    search: Mapping[str, Sequence[Any]] | None = None,
    init_from: Where | Solution | None = None,
    out: Where | None = None,
    overwrite: bool = False,
    resume: bool = False,
    strict: bool = False,
    iterations: int | None = None,
    set: Mapping[str, Any] | None = None,
    max_seconds: float | None = None,
    target_error: float | None = None,
    threads: int | None = None,
    require: str | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    **unknown: Any,
) -> Any:
    """Trains a network on a problem: a `Problem`, a built-in name, a problem file, or an earlier run.

    The result is a `Solution`; a `Seeds` with `seeds=`, and a dictionary by value with `search={"key": values}`. Options are those
    of `ropinn solve`, and so are the bits. Without `out` the run lives in a temporary folder, as long as the solution does.

    `require="trusted"` (or `"doubtful"`) raises `VerdictError` if the verdict is worse. `callback` gets a `Step` after each logged step and may return `False` to stop. Ctrl-C finishes the step, keeps the best
    weights and raises `KeyboardInterrupt`, whose attribute `solution` is what there is by then. A bar shows the progress in
    terminals and notebooks unless `progress=False`; elsewhere nothing is printed unless `progress=True`.
    """
    _options.refuse_unknown("solve", unknown, _SOLVE)
    problem = _chosen(problem, variant, table)
    options = _options.given(
        model=model, objective=objective, weighting=weighting, sampling=sampling, strategy=strategy, optimizer=optimizer, seed=seed,
        seeds=seeds, success=success, preset=preset, width=width, depth=depth, precision=precision, init_from=init_from, out=out,
        overwrite=overwrite, resume=resume, strict=strict, iterations=iterations, max_seconds=max_seconds,
        target_error=target_error, threads=threads,
    )  # fmt: skip
    if search is None:
        return _train(problem, options | {"set": _options.settings(set)}, callback, progress, require)
    if not isinstance(search, Mapping) or len(search) != 1:
        raise OptionError(f'search is one setting and its values, such as {{"gradient.weight": [1, 0.1]}}, found {search!r}')
    [(key, values)] = search.items()
    found = {}
    for value in values:
        changed = options | {"set": _options.settings({**(set or {}), key: value})}
        if out is not None:
            changed["out"] = os.path.join(out, f"{key}={value}")
        found[value] = _train(problem, changed, callback, progress, require)
    return found


def resume(
    run: Solution | Where,
    *,
    iterations: int | None = None,
    set: Mapping[str, Any] | None = None,
    max_seconds: float | None = None,
    target_error: float | None = None,
    threads: int | None = None,
    require: str | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    **unknown: Any,
) -> Solution:
    """Goes on with a run that was stopped or killed, to the same bits as without the break, or makes a finished one longer."""
    _options.refuse_unknown("resume", unknown, _SITTING)
    folder = os.fspath(run.path if isinstance(run, Solution) else run)
    options = _options.given(
        iterations=iterations, max_seconds=max_seconds, target_error=target_error, threads=threads, out=folder, resume=True
    )
    home = run._home if isinstance(run, Solution) else None
    return _train(folder, options | {"set": _options.settings(set)}, callback, progress, require, home)


def load(path: Where, *, threads: int = 0) -> Any:
    """Reads the folder of a run (a `Solution`) or of several seeds (a `Seeds`), whoever has written it."""
    folder = Path(path)
    if not (folder / "config.toml").is_file() and (folder / "summary.json").is_file():
        runs = [run for run in folder.glob("seed-*") if run.name[5:].isdigit()]
        return Seeds(folder, [Solution(run, threads=threads) for run in sorted(runs, key=lambda run: int(run.name[5:]))])
    return Solution(folder, threads=threads)


def evaluate(
    target: Target,
    *,
    model: str | None = None,
    init_from: Where | Solution | None = None,
    precision: str | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **unknown: Any,
) -> dict[str, Any]:
    """Loss by term, size of the gradient and errors of given weights (`init_from`), or of those of a run."""
    _options.refuse_unknown("evaluate", unknown, ["model", "init_from", "precision", "seed", "set", "threads"])
    options = _options.given(model=model, init_from=init_from, precision=precision, seed=seed, threads=threads)
    return json.loads(_ropinn.evaluate(_native(target), options | {"set": _options.settings(set)}))


def _chosen(target: Target, variant: str | None, table: Mapping[str, Any] | None) -> Target:
    """What is chosen of a problem that is named; of one at hand nothing is left to choose."""
    if variant is None and table is None:
        return target
    if isinstance(target, (str, os.PathLike)):
        return Problem._chosen(target, variant, table)
    raise OptionError(
        "variant and table are chosen where a problem is opened: name it, or say Problem.load(…, variant=…) or Problem.builtin(…, variant=…)"
    )


def _native(target: Target) -> Any:
    if isinstance(target, Problem):
        return target._native
    if isinstance(target, Solution):
        return os.fspath(target.path)
    if isinstance(target, (str, os.PathLike)):
        return os.fspath(target)
    raise OptionError(f"name a problem, a problem file or a run, or give a Problem; found {target!r}")


def _train(
    target: Target,
    options: dict[str, Any],
    callback: Callback | None,
    progress: bool | None,
    require: str | None,
    home: TemporaryFolder | None = None,
) -> Any:
    _check_required(require)
    native = _native(target)
    if "out" not in options:
        home = TemporaryFolder()
        options["out"] = os.fspath(home.path / "run")

    def warn(words: str) -> None:
        warnings.warn(words, RopinnWarning, stacklevel=4)

    tell = None if callback is None else lambda row: callback(Step(**row))
    folders, together, raised = _ropinn.train(native, options, tell, shown(progress), warn)
    threads = options.get("threads", 0)
    found: Any = [Solution(folder, threads=threads, _home=home) for folder in folders]
    found = found[0] if together is None else Seeds(Path(together), found)
    if raised is not None:
        # What was reached is not lost with the exception.
        raised.solution = found
        raise raised
    for solution in [found] if together is None else found:
        _refuse_worse(solution, require, found)
    return found


#: Verdicts from the best to the worst.
_VERDICTS = ["trusted", "doubtful", "wrong"]


def _check_required(required: str | None) -> None:
    if required is not None and required not in _VERDICTS[:-1]:
        near = _ropinn.nearest(str(required), _VERDICTS[:-1])
        hint = f" (did you mean `{near}`?)" if near else ""
        raise OptionError(f"`{required}` is not a verdict to require{hint}; choose one of: {', '.join(_VERDICTS[:-1])}")


def _refuse_worse(solution: Solution, required: str | None, found: Any) -> None:
    verdict = solution.verdict
    if required is None or (verdict is not None and _VERDICTS.index(verdict.word) <= _VERDICTS.index(required)):
        return
    word = "there is no verdict" if verdict is None else f"the verdict is `{verdict.word}`"
    reasons = "" if verdict is None or not verdict.reasons else ": " + "; ".join(verdict.reasons)
    error = VerdictError(f"{word}, but `{required}` is required{reasons}")
    error.solution = found
    raise error
