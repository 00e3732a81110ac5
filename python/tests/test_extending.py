"""Kinds of part of one's own in Python, as docs/extending.md says. Run by test_package.py."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAMERA = ROOT / "examples" / "frame-grabber" / "camera.yaml"
ASK = """
import sys, frame_grabber, lanescope as ls
print(ls.load(sys.argv[1]).run("film", pixels=["55 MB/s", "1 GB/s"], progress=False).to_polars().get_column("bottleneck").to_list())
"""


class Extending(unittest.TestCase):
    def said(self, code: str) -> subprocess.CompletedProcess[str]:
        module = Path(os.environ["LANESCOPE"]).with_name("libframe_grabber_python.so")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy2(module, Path(folder, "frame_grabber.abi3.so"))
            env = {**os.environ, "PYTHONPATH": folder}
            return subprocess.run(
                [sys.executable, "-c", code, str(CAMERA)], env=env, capture_output=True, text=True, check=False
            )

    def test_a_kind_of_another_crate_is_asked_from_python(self):
        answer = self.said(ASK)
        self.assertEqual(answer.stdout.strip(), "['camera', 'camera.pcie -> host.pcie']", answer.stderr)

    def test_without_it_the_kind_is_not_known(self):
        answer = self.said(ASK.replace("frame_grabber, ", ""))
        self.assertIn("example/vga-camera", answer.stderr)
        self.assertIn("LanescopeError", answer.stderr)

    def test_it_says_that_it_comes_first(self):
        answer = self.said("import lanescope, frame_grabber")
        self.assertIn("ImportError: import frame_grabber before lanescope", answer.stderr)
