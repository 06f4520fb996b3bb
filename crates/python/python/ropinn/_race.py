"""Which optimiser gets to which error in which time."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _options, _ropinn
from ._errors import OptionError, RopinnWarning
from ._folder import TemporaryFolder
from ._problem import Problem
from ._progress import progress as shown
from ._solve import Where

_KNOWN = ["optimizers", "objectives", "model", "seconds", "seeds", "set", "threads", "out", "overwrite", "progress"]


class Standings(dict[str, Any]):
    """What a race found, as `race.json` has it; its text is the table of the command line."""

    def __init__(self, content: Mapping[str, Any], text: str, home: TemporaryFolder | None) -> None:
        super().__init__(content)
        self._text, self._home = text, home

    def __repr__(self) -> str:
        return self._text

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(self._text)


def race(
    problems: Problem | Where | Sequence[Problem | Where],
    *,
    optimizers: Sequence[str] | None = None,
    objectives: Sequence[str] | None = None,
    model: str | None = None,
    seconds: float | None = None,
    seeds: Sequence[int] | str | None = None,
    set: Mapping[str, Any] | None = None,
    threads: int | None = None,
    out: Where | None = None,
    overwrite: bool = False,
    progress: bool | None = None,
    **unknown: Any,
) -> Standings:
    """Trains every problem with every optimiser on every objective from every seed for the same time.

    Options are those of `ropinn race`. Without `out` its folder is a temporary one. Ctrl-C finishes the run under way and raises
    `KeyboardInterrupt` with the standings as its attribute `standings`.
    """
    _options.refuse_unknown("race", unknown, _KNOWN)
    home = TemporaryFolder() if out is None else None
    folder = Path(home.path / "race" if home is not None else out or "")
    several = [problems] if isinstance(problems, (Problem, str, os.PathLike)) else list(problems)
    options = _options.given(
        optimizers=_list(optimizers), objectives=_list(objectives), model=model, seconds=seconds, seeds=seeds, threads=threads,
        out=os.fspath(folder), overwrite=overwrite, set=_options.settings(set), command="ropinn.race",
    )  # fmt: skip

    def warn(words: str) -> None:
        warnings.warn(words, RopinnWarning, stacklevel=3)

    named = [_named(problem, folder) for problem in several]
    found, text, raised = _ropinn.race(named, options, shown(progress), warn)
    standings = Standings(json.loads(found), text, home)
    if raised is not None:
        raised.standings = standings
        raise raised
    return standings


def _list(words: Sequence[str] | None) -> list[str] | None:
    if words is None:
        return None
    return words.split(",") if isinstance(words, str) else list(words)


def _named(problem: Any, folder: Path) -> str:
    """A race names its problems. Those at hand are written beside its folder, so that it can be repeated."""
    if isinstance(problem, (str, os.PathLike)):
        return os.fspath(problem)
    if not isinstance(problem, Problem):
        raise OptionError(f"name a problem or a problem file, or give a Problem; found {problem!r}")
    builtin = problem._native.builtin_name
    if builtin is not None and problem == Problem.builtin(builtin):
        return builtin
    beside = folder.with_name(folder.name + "-problems") / f"{problem.name}.toml"
    return os.fspath(problem.save(beside, overwrite=True))
