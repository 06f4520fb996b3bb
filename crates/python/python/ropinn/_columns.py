"""Arrays under names: readings, references and tabulated coefficients, which a problem takes as files of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import ProblemError


class Columns:
    """Arrays of one broadcast shape, one column each. They are copied here: what happens to them later has no effect."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.names = list(columns)
        try:
            arrays = [np.asarray(column, dtype=np.float64) for column in columns.values()]
        except (TypeError, ValueError) as error:
            raise ProblemError(f"the columns {', '.join(self.names)} must be arrays of numbers: {error}") from None
        try:
            fitted = np.broadcast_arrays(*arrays)
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(array)}" for name, array in zip(self.names, arrays))
            raise ProblemError(f"the columns do not fit together: their shapes are {shapes}") from None
        self.table = np.stack([array.ravel() for array in fitted], axis=1)

    def text(self) -> str:
        """As a file, with numbers that read back exactly."""
        head = ",".join(f'"{name}"' if "," in name or " " in name else name for name in self.names)
        return "\n".join([head, *(",".join(map(repr, row)) for row in self.table.tolist())]) + "\n"


def is_array(given: Any) -> bool:
    """Whether something is an array rather than a number or a formula."""
    return not isinstance(given, (str, Mapping)) and np.ndim(given) > 0
