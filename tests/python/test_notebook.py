"""The notebook runs, and its outputs are what its text announces."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient


def test_the_notebook_runs() -> None:
    path = Path(__file__).parents[2] / "examples" / "first_steps.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [
        "".join(str(part.get("data", {})) + part.get("text", "") for part in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    assert "object_covered" in outputs[1]
    assert outputs[2].replace("\\n", "").startswith("{'text/plain': \"(True, 1,")
    assert "image/png" in outputs[4]
    assert outputs[5].count("success") >= 3
