"""Problems, from keywords, arrays and functions, or from files, and back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _ropinn, _toml
from ._columns import Columns, is_array
from ._errors import OptionError, ProblemError


class Problem:
    """Coordinates, unknowns, equations and conditions.

    Every section of a problem file is a keyword, and what a file says in tables is said in dictionaries. Where a file names another
    file, arrays will do: readings with `ropinn.data`, `tables={"a": {"axes": {"x": xs, "y": ys}, "values": array}}`,
    `reference={"x": x, "t": t, "u": u}`. A reference may also be a function of the coordinates, which is called once with arrays
    of all points at which errors are measured.
    """

    def __init__(
        self,
        *,
        coordinates: Mapping[str, Any] | None = None,
        unknowns: Sequence[str] | str | None = None,
        equations: Mapping[str, Any] | None = None,
        conditions: Sequence[Mapping[str, Any]] | None = None,
        time: str | None = None,
        name: str = "problem",
        title: str | None = None,
        constants: Mapping[str, Any] | None = None,
        tables: Mapping[str, Mapping[str, Any]] | None = None,
        trainable: Mapping[str, Any] | None = None,
        fields: Mapping[str, Mapping[str, Any]] | None = None,
        definitions: Mapping[str, Any] | None = None,
        geometry: Mapping[str, Any] | None = None,
        points: Mapping[str, Any] | None = None,
        evaluation: Mapping[str, Any] | str | None = None,
        reference: Mapping[str, Any] | Callable[..., Any] | None = None,
        folder: str | os.PathLike[str] = "",
        **more: Any,
    ) -> None:
        files: dict[str, str] = {}
        sections: dict[str, Any] = {
            "name": name,
            "title": title,
            "coordinates": coordinates,
            "time": time,
            "unknowns": unknowns,
            "constants": constants,
            "tables": _with_tables(tables, files),
            "trainable": trainable,
            "fields": fields,
            "definitions": definitions,
            "equations": equations,
            "geometry": geometry,
            "conditions": _with_files(conditions, files),
            "points": {key: _spread(spread) for key, spread in points.items()} if points is not None else None,
            "evaluation": _spread(evaluation),
            **more,
        }
        sections = {key: value for key, value in sections.items() if value is not None}

        def native(sections: dict[str, Any]) -> _ropinn.Problem:
            return _ropinn.Problem(_toml.document(sections), str(name), files, os.fspath(folder))

        if reference is not None:
            measured = None
            if callable(reference) or any(callable(entry) for entry in reference.values()):
                measured = native(sections)
            sections["reference"] = _with_reference(reference, measured, files)
        self._native = native(sections)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, variant: str | None = None, table: Mapping[str, Any] | None = None
    ) -> Problem:
        """Reads a problem file and the tables it names.

        `variant` is one of the variants of the file, `table` has other numbers for some of its tables: arrays, or files with all values.
        """
        if variant is None and table is None:
            return cls._of(_ropinn.Problem.load(os.fspath(path)))
        return cls._chosen(path, variant, table)

    @classmethod
    def from_toml(cls, text: str, *, origin: str = "problem", folder: str | os.PathLike[str] = "") -> Problem:
        """Reads the text of a problem file; `origin` is its name in messages, tables it names are below `folder`."""
        return cls._of(_ropinn.Problem(text, origin, {}, os.fspath(folder)))

    @classmethod
    def builtin(cls, name: str, *, variant: str | None = None, table: Mapping[str, Any] | None = None) -> Problem:
        """A problem that comes with ropinn; `variant` and `table` as in `load`, and `name:variant` is a variant too."""
        # A file of that name is not meant.
        native = _ropinn.Problem.builtin(name.partition(":")[0], None)
        plain = variant is None and table is None and ":" not in name
        return cls._of(native) if plain else cls._chosen(name, variant, table)

    @classmethod
    def _chosen(cls, name: str | os.PathLike[str], variant: str | None, table: Mapping[str, Any] | None) -> Problem:
        if table is not None and not isinstance(table, Mapping):
            raise OptionError(f'table must be a dictionary such as {{"a": array}} or {{"a": "a.dat"}}, found {table!r}')
        with tempfile.TemporaryDirectory() as folder:
            files: list[tuple[str, str]] = []
            for own, numbers in (table or {}).items():
                if not isinstance(numbers, (str, os.PathLike)):
                    path = Path(folder) / f"table-{len(files)}"
                    path.write_text("\n".join(repr(float(number)) for number in np.ravel(numbers)), encoding="utf-8")
                    numbers = path
                files.append((own, os.fspath(numbers)))
            return cls._of(_ropinn.Problem.open(os.fspath(name), variant, files))

    @classmethod
    def _of(cls, native: _ropinn.Problem) -> Problem:
        problem = cls.__new__(cls)
        problem._native = native
        return problem

    def to_toml(self) -> str:
        """The problem as the text of a file. Arrays are tables beside it, which `save` writes."""
        return self._native.text

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes a problem file for the command line, and the tables it names beside it."""
        path = Path(path)
        texts = {path: self.to_toml(), **{path.parent / name: text for name, text in self._native.files().items()}}
        in_the_way = [file for file in texts if file.exists()]
        if in_the_way and not overwrite:
            raise OptionError(f"`{in_the_way[0]}` exists already; choose another name, or replace it with overwrite=True")
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        return path

    @property
    def name(self) -> str:
        """Short name."""
        return self._native.name

    @property
    def title(self) -> str:
        """Title, for pictures."""
        return self._native.title

    @property
    def coordinates(self) -> dict[str, tuple[float, float]]:
        """Names and ranges of the coordinates, in the order of `solution(x, t)`."""
        return dict(self._native.coordinates)

    @property
    def time(self) -> str | None:
        """The coordinate that is time, if any."""
        return self._native.time

    @property
    def unknowns(self) -> list[str]:
        """Names of the unknowns."""
        return self._native.unknowns

    @property
    def equations(self) -> list[str]:
        """Names of the equations."""
        return self._native.equations

    @property
    def trainable(self) -> dict[str, float]:
        """Numbers to be found, with their first values."""
        return dict(self._native.trainable)

    @property
    def has_reference(self) -> bool:
        """Whether errors can be measured."""
        return self._native.has_reference

    def doubts(self) -> list[str]:
        """What looks wrong with it, in words; solving it warns of the same."""
        return self._native.doubts()

    def evaluation(self) -> dict[str, np.ndarray]:
        """Points at which errors are measured: an array for each coordinate, and the reference of each unknown, if known."""
        points, reference = self._native.evaluation()
        columns = {name: points[:, axis] for axis, name in enumerate(self.coordinates)}
        if reference is not None:
            columns |= {name: reference[:, k] for k, name in enumerate(self.unknowns)}
        return columns

    def __repr__(self) -> str:
        return f"<ropinn.Problem {self.name}: {', '.join(self.unknowns)} of {', '.join(self.coordinates)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._state() == other._state()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def _state(self) -> tuple[Any, ...]:
        return self._native.builtin_name, self._native.text, self._native.origin, self._native.files()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._state()


def _restored(builtin: str | None, text: str, origin: str, files: dict[str, str]) -> Problem:
    if builtin is not None:
        return Problem._of(_ropinn.Problem.builtin(builtin, text))
    return Problem._of(_ropinn.Problem(text, origin, files, ""))


def _file(columns: Columns, stem: str, files: dict[str, str]) -> str:
    """Keeps columns as a file, and says its name."""
    name = f"{stem}.csv" if f"{stem}.csv" not in files else f"{stem}-{len(files) + 1}.csv"
    files[name] = columns.text()
    return name


def _with_files(conditions: Sequence[Mapping[str, Any]] | None, files: dict[str, str]) -> list[dict[str, Any]] | None:
    if conditions is None:
        return None
    if isinstance(conditions, (str, Mapping)) or not all(isinstance(condition, Mapping) for condition in conditions):
        raise ProblemError('conditions must be a list of conditions, such as [ropinn.initial("sin(x)")]')
    kept = []
    for condition in map(dict, conditions):
        if isinstance(condition.get("file"), Columns):
            condition["file"] = _file(condition["file"], "data", files)
        if "points" in condition:
            condition["points"] = _spread(condition["points"])
        kept.append(condition)
    return kept


def _with_tables(tables: Mapping[str, Any] | None, files: dict[str, str]) -> dict[str, Any] | None:
    if tables is None:
        return None
    kept: dict[str, Any] = {}
    for name, table in tables.items():
        table = dict(table) if isinstance(table, Mapping) else table
        if isinstance(table, dict) and isinstance(table.get("values"), np.ndarray) and isinstance(table.get("axes"), Mapping):
            axes, values = table.pop("axes"), table.pop("values")
            nodes = [np.asarray(axis, dtype=np.float64) for axis in axes.values()]
            shape = tuple(len(axis) for axis in nodes)
            if values.shape != shape:
                raise ProblemError(
                    f"table `{name}`: the values have the shape {values.shape}, the axes {', '.join(axes)} have {shape}"
                )
            columns = dict(zip(axes, np.meshgrid(*nodes, indexing="ij"))) | {name: values}
            table = {"file": _file(Columns(columns), f"table-{name}", files), "axes": list(axes), **table}
        kept[name] = table
    return kept


def _with_reference(
    reference: Mapping[str, Any] | Callable[..., Any], measured: _ropinn.Problem | None, files: dict[str, str]
) -> Mapping[str, Any]:
    if measured is None:
        assert isinstance(reference, Mapping)
        if any(is_array(entry) for entry in reference.values()):
            return {"file": _file(Columns(reference), "reference", files)}
        return reference
    points = measured.evaluation()[0]
    columns = {name: points[:, axis] for axis, (name, _) in enumerate(measured.coordinates)}
    axes = [column.copy() for column in columns.values()]
    if callable(reference):
        values = reference(*axes)
        values = values if isinstance(values, (tuple, list)) else [values]
        if len(values) != len(measured.unknowns):
            raise ProblemError(f"the reference gives {len(values)} values for the unknowns {', '.join(measured.unknowns)}")
        columns |= dict(zip(measured.unknowns, values))
    else:
        columns |= {name: value(*axes) if callable(value) else value for name, value in reference.items()}
    return {"file": _file(Columns(columns), "reference", files)}


def _spread(given: Any) -> Any:
    """`"grid:101x101"` and `"sobol:512"` as problem files say them."""
    if not isinstance(given, str) or ":" not in given:
        return given
    layout, _, counts = given.partition(":")
    numbers = [int(count) if count.strip().isdigit() else count for count in counts.split("x")]
    return {"layout": layout, "counts": numbers} if layout == "grid" else {"layout": layout, "count": numbers[0]}
