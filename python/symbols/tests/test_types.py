#!/usr/bin/env python3
"""Are the types of the package whole? The last line has the counts."""

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

import suite

PACKAGE = Path(__file__).resolve().parent.parent


class Types(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_is_mypy_content(self):
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "/dev/null", "lanescope_symbols"]
        done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    suite.main()
