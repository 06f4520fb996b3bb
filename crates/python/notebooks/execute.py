"""Executes the notebooks beside this file and fails where one of their cells does; nothing is written."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent

for path in sorted(HERE.glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
    print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells")
