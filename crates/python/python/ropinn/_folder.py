"""Folders that are removed with whoever needs them."""

from __future__ import annotations

import weakref
from pathlib import Path


class TemporaryFolder:
    """A folder that lives as long as this object."""

    def __init__(self) -> None:
        import shutil
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix="ropinn-"))
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
