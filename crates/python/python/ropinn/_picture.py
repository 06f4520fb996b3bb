"""Pictures that ropinn has drawn itself."""

from __future__ import annotations

import os
from pathlib import Path


class Picture:
    """A PNG; a notebook shows it."""

    def __init__(self, png: bytes) -> None:
        self.png = png

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file."""
        path = Path(path)
        path.write_bytes(self.png)
        return path

    def html(self) -> str:
        """As part of a page that needs no other file and no script."""
        import base64

        return f'<img style="max-width:100%" src="data:image/png;base64,{base64.b64encode(self.png).decode()}">'

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<ropinn.Picture of {len(self.png)} bytes>"
