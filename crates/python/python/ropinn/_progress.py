"""What is seen of a run while it trains: one moving line in a terminal or a notebook, and nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

_BAR = 16
_LONGEST = 160


def progress(asked: bool | None) -> Callable[[str, Any], None] | None:
    """Who shows progress: whoever is asked for, or, if nothing is said, whoever is looking."""
    if asked is False:
        return None
    if _in_notebook():
        return Moving(_Notebook())
    if asked or (sys.stderr is not None and sys.stderr.isatty()):
        return Moving(_Terminal(sys.stderr))
    return None


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class Moving:
    """Puts what happens into one line that moves."""

    def __init__(self, screen: _Terminal | _Notebook) -> None:
        self._screen = screen
        self._planned, self._done, self._limit = 1, 0, 0.0
        self._began = time.monotonic()
        self._round = ""
        self._rmse: float | None = None

    def __call__(self, what: str, facts: Any) -> None:
        if what == "start":
            self._began, self._rmse = time.monotonic(), None
            self._planned, self._done, self._limit = facts["steps_planned"], facts["steps_done"], facts["max_seconds"]
            size = f"{facts['model']} {facts['width']} × {facts['depth']}, {facts['parameters']} parameters"
            self._screen.show(f"{self._round}{facts['problem']}: {size}, {facts['optimizer']}, seed {facts['seed']}")
        elif what == "plan":
            self._planned = facts
        elif what == "round":
            self._round = f"{facts[0]} of {facts[1]}: "
        elif what == "say":
            self._screen.show(facts)
        elif what == "step":
            self._step(facts)
        elif what == "finish":
            self._screen.clear()

    def _step(self, row: dict[str, Any]) -> None:
        self._rmse = self._rmse if row["rmse"] is None else row["rmse"]
        share = row["iteration"] / max(self._planned, 1)
        if self._limit > 0:
            share = max(share, row["seconds"] / self._limit)
        share = min(share, 1.0)
        elapsed = time.monotonic() - self._began
        left = elapsed * (1 - share) / share if share > 0 else 0.0
        if self._limit > 0:
            left = min(left, max(self._limit - row["seconds"], 0.0))
        filled = round(share * _BAR)
        error = "" if self._rmse is None else f", rMSE {self._rmse:.2e}"
        trained = "".join(f", {name} {value:.5g}" for name, value in row["trained"].items())
        steps = f"{row['iteration']} steps, {_duration(left)} left"
        bar = "━" * filled + " " * (_BAR - filled)
        self._screen.show(f"{bar} {self._round}{steps}, loss {row['loss']:.2e}{error}{trained}")


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02} s"


class _Terminal:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, line: str) -> None:
        import shutil

        columns = shutil.get_terminal_size((_LONGEST, 24)).columns
        self._stream.write("\r\x1b[K" + line[: max(columns - 1, 20)])
        self._stream.flush()

    def clear(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Notebook:
    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, line: str) -> None:
        from IPython.display import display

        content = {"text/plain": line}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def clear(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
