"""Solutions: functions of the coordinates, with all that is known of how they came about."""

from __future__ import annotations

import json
import os
import warnings
from collections import namedtuple
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import _ropinn
from ._errors import OptionError, RopinnWarning
from ._folder import TemporaryFolder
from ._picture import Picture
from ._problem import Problem


class Verdict(NamedTuple):
    """What the run says of its solution."""

    word: str
    reasons: list[str]

    def __str__(self) -> str:
        return self.word


class TrainedValue(float):
    """A number that was found, with its standard error and its interval where they are known."""

    standard_error: float | None
    interval: tuple[float, float] | None

    def __new__(cls, found: Any) -> TrainedValue:
        facts = found if isinstance(found, Mapping) else {"value": found}
        value = facts.get("value")
        number = super().__new__(cls, float("nan") if value is None else value)
        number.standard_error = facts.get("standard_error")
        low, high = facts.get("low"), facts.get("high")
        number.interval = None if low is None or high is None else (low, high)
        return number

    def __repr__(self) -> str:
        interval = "" if self.interval is None else f" [{self.interval[0]:.6g}, {self.interval[1]:.6g}]"
        return f"{float(self)!r}{interval}"

    def __reduce__(self) -> tuple[Any, ...]:
        low, high = self.interval or (None, None)
        return TrainedValue, ({"value": float(self), "standard_error": self.standard_error, "low": low, "high": high},)


class Solution:
    """A trained solution: `solution(x, t)` with arrays of any shapes that broadcast.

    It is a folder, the same as the command line leaves, and reads from it what it is asked for. Arrays that stay with the
    solution (`history`, `weights`) are read-only; those that are computed for a call are the caller's own.
    """

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 0, _home: TemporaryFolder | None = None) -> None:
        self._run = _ropinn.Run(os.fspath(path), threads)
        self._threads = threads
        # Keeps a folder alive that nobody has asked for.
        self._home = _home

    # What it is.

    @property
    def path(self) -> Path:
        """Its folder; a temporary one, gone with the solution, unless `out` was given or it was loaded."""
        return Path(self._run.path)

    @property
    def weights_path(self) -> Path:
        """The file of its weights, for `init_from`."""
        return self.path / "model.safetensors"

    @cached_property
    def problem(self) -> Problem:
        """What it solves."""
        return Problem._of(self._run.problem())

    @cached_property
    def result(self) -> dict[str, Any]:
        """The final numbers, as `result.json` has them."""
        return json.loads((self.path / "result.json").read_text(encoding="utf-8"))

    @property
    def config(self) -> str:
        """The complete configuration, as TOML."""
        return self._run.config

    @property
    def seed(self) -> int:
        """The seed it started from."""
        return self.result["seed"]

    @property
    def rmse(self) -> float | None:
        """Relative root-mean-square error against the reference, if there is one."""
        return self.result["rmse"]

    @property
    def rmae(self) -> float | None:
        """Relative mean absolute error against the reference, if there is one."""
        return self.result["rmae"]

    @property
    def estimated_error(self) -> dict[str, Any] | None:
        """What the run estimates its relative error to be, if it does: `relative` and how it came about."""
        return self.result.get("estimated_error")

    @property
    def error(self) -> float | None:
        """The relative error: measured (rMSE) if there is a reference, else estimated, else `None`."""
        if self.rmse is not None:
            return self.rmse
        return (self.estimated_error or {}).get("relative")

    @property
    def verdict(self) -> Verdict | None:
        """What the run says of its solution, if it says anything."""
        verdict = self.result.get("verdict")
        return None if verdict is None else Verdict(verdict["word"], list(verdict.get("reasons", [])))

    @property
    def loss(self) -> float:
        """The unweighted loss at fixed points, which runs are compared in."""
        loss = self.result["unweighted_loss"]
        return float("nan") if loss is None else loss

    @property
    def seconds(self) -> float:
        """Time of training."""
        return self.result["seconds"]

    @property
    def stop_reason(self) -> str:
        """Why it ended, in words."""
        return self.result["stop_reason"]

    @property
    def trained(self) -> dict[str, TrainedValue]:
        """Numbers that were found along with the solution."""
        return {name: TrainedValue(found) for name, found in self.result["trained"].items()}

    @cached_property
    def history(self) -> dict[str, np.ndarray]:
        """The course of training: an array for each column of metrics.csv, `loss` among them; what was not measured is NaN."""
        columns = {("loss" if name == "trained_loss" else name): column for name, column in self._run.history()}
        return {name: _read_only(column) for name, column in columns.items()}

    @cached_property
    def weights(self) -> dict[str, np.ndarray]:
        """Tensors of the network, with their names in PyTorch, and `trained.<name>` for numbers that were found."""
        return {name: _read_only(tensor) for name, tensor in self._run.weights()}

    # What it does.

    def __call__(self, *positions: Any, **named: Any) -> Any:
        """The unknowns at points: an array, or a named tuple of arrays if there are several unknowns."""
        axes, shape = self._axes(positions, named)
        values, outside, columns = self._run.predict(self.problem.unknowns, axes)
        self._warn_of(outside, len(values))
        return _shaped(values, columns, shape)

    def derivative(self, wanted: str, *positions: Any, **named: Any) -> np.ndarray:
        """A derivative such as `"u_x"` or `"u_xx"`, or any expression of them such as `"u*u_x - u_y"`."""
        if not isinstance(wanted, str):
            raise OptionError(f'name the derivative, such as "u_x"; found {wanted!r}')
        axes, shape = self._axes(positions, named)
        values, outside, _ = self._run.predict([wanted], axes)
        self._warn_of(outside, len(values))
        return values[:, 0].reshape(shape)[()]

    def residual(self, *positions: Any, **named: Any) -> Any:
        """What is left of the equations at points: an array, or a named tuple if there are several equations."""
        axes, shape = self._axes(positions, named)
        values, outside, columns = self._run.residuals(axes)
        self._warn_of(outside, len(values))
        return _shaped(values, columns, shape)

    def error_map(self, *positions: Any, **named: Any) -> Any:
        """Prediction minus reference at points; without points at those where errors are measured, as a dictionary of arrays."""
        if not positions and not named:
            table = self.to_numpy()
            known = [name for name in self.problem.unknowns if self._reference_column(name) in table]
            errors = {f"{name}_error": table[name] - table[self._reference_column(name)] for name in known}
            if not errors:
                raise OptionError(f"problem `{self.problem.name}` has no reference to compare with")
            return {name: table[name] for name in self.problem.coordinates} | errors
        axes, shape = self._axes(positions, named)
        reference = self.problem._native.reference(axes)
        if reference is None:
            what = "is known at its own points only; call error_map()" if self.problem.has_reference else "is not known"
            raise OptionError(f"the reference of problem `{self.problem.name}` {what}")
        values, outside, columns = self._run.predict(self.problem.unknowns, axes)
        self._warn_of(outside, len(values))
        return _shaped(values - reference, columns, shape)

    def to_numpy(self) -> dict[str, np.ndarray]:
        """The solution at the points where errors are measured: an array for each coordinate, unknown and reference."""
        import csv

        table = np.load(self.path / "prediction.npy")
        with open(self.path / "prediction.csv", encoding="utf-8", newline="") as lines:
            names = next(csv.reader(lines))
        return {name: np.ascontiguousarray(table[:, k]) for k, name in enumerate(names)}

    def to_xarray(self) -> Any:
        """The same as an `xarray.Dataset`: over the coordinates if the points form a grid, else over `point`."""
        try:
            import xarray
        except ImportError:
            raise OptionError("xarray is not installed; pip install xarray, or use to_numpy()") from None
        table, names = self.to_numpy(), list(self.problem.coordinates)
        attributes = {"problem": self.problem.name, "seed": self.seed, "stop_reason": self.stop_reason}
        nodes = [np.unique(table[name]) for name in names]
        shape = tuple(len(axis) for axis in nodes)
        fields = {name: column for name, column in table.items() if name not in names}
        if int(np.prod(shape)) == len(table[names[0]]):
            places = tuple(np.searchsorted(axis, table[name]) for name, axis in zip(names, nodes))
            variables = {}
            for name, column in fields.items():
                grid = np.full(shape, np.nan)
                grid[places] = column
                variables[name] = (names, grid)
            return xarray.Dataset(variables, dict(zip(names, nodes)), attributes)
        points = {name: ("point", table[name]) for name in names}
        return xarray.Dataset({name: ("point", column) for name, column in fields.items()}, points, attributes)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Copies the folder of the run; `ropinn.load` and the command line read it."""
        self._run.save(os.fspath(path), overwrite)
        return Path(path)

    def picture(self, name: str = "fields") -> Picture | None:
        """One of the pictures the run has drawn: `fields`, `estimate`, `residual`, `training` or `region`."""
        file = self.path / f"{name}.png"
        return Picture(file.read_bytes()) if file.is_file() else None

    def plot(self) -> Any:
        """A matplotlib figure of the solution if matplotlib is installed, else the run's own picture."""
        from ._plot import figure

        return figure(self) or self.picture()

    # How it looks and travels.

    def _facts(self) -> dict[str, str]:
        result = self.result
        facts = {
            "problem": result["problem"],
            "model": f"{result['model']}, {result['parameters']} parameters, {result['precision']}",
            "verdict": None if self.verdict is None else "; ".join([self.verdict.word, *self.verdict.reasons]),
            "rMSE": None if self.rmse is None else f"{self.rmse:.3g}",
            "rMAE": None if self.rmae is None else f"{self.rmae:.3g}",
            "estimated error": self._estimated_words(),
            "unweighted loss": f"{self.loss:.3e}",
            **{name: repr(value) for name, value in self.trained.items()},
            "training": f"{self.seconds:.1f} s, {result['iterations']} iterations, seed {self.seed}",
            "stopped": self.stop_reason,
        }
        return {name: fact for name, fact in facts.items() if fact is not None}

    def _estimated_words(self) -> str | None:
        relative = (self.estimated_error or {}).get("relative")
        return None if relative is None else f"{relative:.3g}"

    def __repr__(self) -> str:
        return "<ropinn.Solution\n" + "\n".join(f"  {name:<15} {fact}" for name, fact in self._facts().items()) + ">"

    def _repr_html_(self) -> str:
        import html

        cell = '<td style="text-align:left">'
        rows = (f"<tr>{cell}{html.escape(name)}</td>{cell}{html.escape(fact)}</td></tr>" for name, fact in self._facts().items())
        picture = self.picture()
        return f"<table>{''.join(rows)}</table>{'' if picture is None else picture.html()}"

    def __reduce__(self) -> tuple[Any, ...]:
        kept = [file for file in self.path.rglob("*") if file.is_file() and file.name != ".lock"]
        kept = [file for file in kept if "checkpoints" not in file.relative_to(self.path).parts]
        files = {file.relative_to(self.path).as_posix(): file.read_bytes() for file in kept}
        return _restored, (files, self._threads)

    def _axes(self, positions: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[list[np.ndarray], tuple[int, ...]]:
        """Coordinates as flat arrays in their order, and the shape they broadcast to."""
        names = list(self.problem.coordinates)
        of = f"the solution is a function of {', '.join(names)}"
        if len(positions) > len(names):
            raise OptionError(f"{of}, but {len(positions)} arguments are given")
        found = dict(zip(names, positions))
        for name in named:
            if name not in names:
                near = _ropinn.nearest(name, names)
                raise OptionError(f"{of}, not of `{name}`" + (f" (did you mean `{near}`?)" if near else ""))
            if name in found:
                raise OptionError(f"{of}; `{name}` is given twice")
        found |= named
        missing = [name for name in names if name not in found]
        if missing:
            raise OptionError(f"{of}; `{missing[0]}` is missing")
        arrays = []
        for name in names:
            try:
                arrays.append(np.asarray(found[name], dtype=np.float64))
            except (TypeError, ValueError):
                raise OptionError(f"`{name}` must be an array of numbers, found {found[name]!r}") from None
        shape = arrays[0].shape
        if any(array.shape != shape for array in arrays):
            try:
                shape = np.broadcast_shapes(*(array.shape for array in arrays))
            except ValueError:
                shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(names, arrays))
                raise OptionError(f"the coordinates do not broadcast: their shapes are {shapes}") from None
            arrays = [np.broadcast_to(array, shape) for array in arrays]
        return [np.ascontiguousarray(array).reshape(-1) for array in arrays], shape

    def _reference_column(self, unknown: str) -> str:
        return next((f"{unknown}_{word}" for word in ("exact", "reference") if f"{unknown}_{word}" in self._columns), "")

    @cached_property
    def _columns(self) -> list[str]:
        return list(self.to_numpy())

    def _warn_of(self, outside: int, count: int) -> None:
        if outside:
            lie = "lies" if outside == 1 else "lie"
            where = "outside the domain or in a hole, where the network was not trained"
            warnings.warn(f"{outside} of {count} points {lie} {where}", RopinnWarning, stacklevel=3)


def _restored(files: dict[str, bytes], threads: int) -> Solution:
    home = TemporaryFolder()
    for name, content in files.items():
        file = home.path / "run" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return Solution(home.path / "run", threads=threads, _home=home)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _shaped(values: np.ndarray, names: list[str], shape: tuple[int, ...]) -> Any:
    if len(names) == 1:
        return values.reshape(shape)[()]
    columns = (np.ascontiguousarray(values[:, k]).reshape(shape)[()] for k in range(len(names)))
    return namedtuple("Values", names, rename=True)(*columns)
