"""Do the notebooks of python/examples run, each to its end and with its pictures? Run by tools/python.py, which names the folder
where the pictures go.
"""

from __future__ import annotations

import base64
import os
import sys
import unittest
from pathlib import Path

import nbformat
from nbclient import NotebookClient

BOOKS = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.ipynb"))
PICTURES = Path(os.environ["LANESCOPE_PICTURES"])


class Notebooks(unittest.TestCase):
    def test_each_runs_to_its_end(self):
        self.assertEqual(len(BOOKS), 3)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for path in BOOKS:
            with self.subTest(path.name):
                book = nbformat.read(path, as_version=4)
                code = [cell for cell in book.cells if cell.cell_type == "code"]
                self.assertFalse(any(cell.outputs for cell in code), "stored outputs are not in the repository")
                NotebookClient(book, timeout=300, kernel_name="python3").execute()
                data = [output.get("data", {}) for cell in code for output in cell.outputs]
                pictures = [one["image/png"] for one in data if "image/png" in one]
                self.assertTrue(pictures)
                for number, picture in enumerate(pictures):
                    (PICTURES / f"{path.stem}_{number}.png").write_bytes(base64.b64decode(picture))


if __name__ == "__main__":
    result = unittest.main(verbosity=1, exit=False).result
    bad = len(result.failures) + len(result.errors)
    print(f"notebooks: {result.testsRun - bad} passed, {bad} failed, 0 skipped", flush=True)
    sys.exit(1 if bad else 0)
