"""Solutions drawn by matplotlib, where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._solution import Solution


def figure(solution: Solution) -> Any:
    """Prediction, reference and error of each unknown: curves over one coordinate, maps over two. `None` for anything else,
    or without matplotlib; the run's own pictures show that."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    problem, table = solution.problem, solution.to_numpy()
    names = list(problem.coordinates)
    if len(names) > 2:
        return None
    rows = []
    for unknown in problem.unknowns:
        row = {unknown: table[unknown]}
        reference = next((f"{unknown}_{word}" for word in ("exact", "reference") if f"{unknown}_{word}" in table), None)
        if reference is not None:
            row |= {reference.replace("_", ", "): table[reference], f"{unknown}, error": table[unknown] - table[reference]}
        rows.append(row)
    columns = max(map(len, rows))
    drawn = Figure(figsize=(4.5 * columns, 3.4 * len(rows)), layout="constrained")
    panels = drawn.subplots(len(rows), columns, squeeze=False)
    for row, line in zip(rows, panels):
        for (title, values), axes in zip(row.items(), line):
            _panel(axes, [table[name] for name in names], values, is_error=title.endswith("error"))
            axes.set(title=title, xlabel=names[0], ylabel=names[1] if len(names) > 1 else "")
        for axes in line[len(row) :]:
            axes.set_visible(False)
    drawn.suptitle(problem.title)
    return drawn


def _panel(axes: Any, points: list[np.ndarray], values: np.ndarray, *, is_error: bool) -> None:
    if len(points) == 1:
        order = np.argsort(points[0])
        axes.plot(points[0][order], values[order])
        return
    x, y = points
    size = float(np.nanmax(np.abs(values))) or 1.0
    colours = {"cmap": "RdBu_r", "vmin": -size, "vmax": size} if is_error else {"cmap": "viridis"}
    nodes = np.unique(x), np.unique(y)
    if len(nodes[0]) * len(nodes[1]) <= 4 * len(values):
        grid = np.full((len(nodes[1]), len(nodes[0])), np.nan)
        grid[np.searchsorted(nodes[1], y), np.searchsorted(nodes[0], x)] = values
        drawn = axes.pcolormesh(*nodes, grid, shading="nearest", **colours)
    else:
        drawn = axes.tricontourf(x, y, values, levels=64, **colours)
    axes.figure.colorbar(drawn, ax=axes)
