"""Exceptions and warnings of the package. Their words are those of the command line."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Whatever ropinn refuses, and whatever fails."""


class ProblemError(Error, ValueError):
    """A problem, or an expression, that makes no sense. `line` and `column` tell where in the problem's text, if anywhere."""

    line: int | None = None
    column: int | None = None


class OptionError(Error, ValueError):
    """A keyword, a value or a folder that is refused; nothing was done."""


class RunError(Error, RuntimeError):
    """A run that failed under way, or could not be saved."""


class VerdictError(Error, RuntimeError):
    """A solution whose verdict is worse than required. It is saved all the same: `solution` is what was found."""

    solution: Any


class ForkError(Error, RuntimeError):
    """A forked process that would wait for ever for threads of its parent."""


class RopinnWarning(UserWarning):
    """Worth knowing: a problem that looks ill posed, points outside the domain, a checkpoint that could not be written."""
