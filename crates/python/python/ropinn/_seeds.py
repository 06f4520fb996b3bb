"""Several seeds of one problem."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

from ._solution import Solution


class Seeds(Sequence[Solution]):
    """Solutions that differ in their seeds, in the order of the seeds, and what they have in common."""

    def __init__(self, path: Path, solutions: list[Solution]) -> None:
        self.path = path
        self._solutions = solutions

    @overload
    def __getitem__(self, index: int) -> Solution: ...
    @overload
    def __getitem__(self, index: slice) -> list[Solution]: ...
    def __getitem__(self, index: int | slice) -> Solution | list[Solution]:
        return self._solutions[index]

    def __len__(self) -> int:
        return len(self._solutions)

    @property
    def summary(self) -> dict[str, Any]:
        """Statistics over all seeds, as `summary.json` has them."""
        return json.loads((self.path / "summary.json").read_text(encoding="utf-8"))

    @property
    def median(self) -> dict[str, float]:
        """Medians of `rmse`, `rmae`, `trained_loss`, `unweighted_loss` and `seconds`, of what there is."""
        summary = self.summary
        keys = ("rmse", "rmae", "trained_loss", "unweighted_loss", "seconds")
        return {key: summary[key]["median"] for key in keys if summary.get(key)}

    @property
    def success_rate(self) -> float | None:
        """Share of the seeds with an error below the threshold (`success`, or the problem's own); `None` without one."""
        return self.summary["success_rate"]

    @property
    def solved(self) -> int | None:
        """How many that are."""
        return self.summary["solved"]

    @property
    def best(self) -> Solution:
        """The solution with the smallest error, or with the smallest loss where no error is known."""
        return min(self._solutions, key=lambda solution: solution.loss if solution.error is None else solution.error)

    def __repr__(self) -> str:
        medians = ", ".join(f"{name} {value:.3g}" for name, value in self.median.items())
        rate = "" if self.success_rate is None else f", {self.solved} of {len(self)} solved"
        return f"<ropinn.Seeds of {len(self)}: median {medians}{rate}>"

    def _repr_html_(self) -> str:
        import html

        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        head = row(["seed", "rMSE", "unweighted loss", "seconds", "stopped"], "th")
        number = "{:.3g}".format
        lines = (
            row([str(s.seed), "" if s.rmse is None else number(s.rmse), number(s.loss), f"{s.seconds:.1f}", s.stop_reason], "td")
            for s in self._solutions
        )
        return f"<p>{html.escape(repr(self)[1:-1])}</p><table>{head}{''.join(lines)}</table>"
