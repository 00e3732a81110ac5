"""Where the package is, and how a suite ends: with a line of counts, as tools/test.py reads them."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def run(tests):
    """Runs a suite and says how it went; the exit status."""
    result = unittest.TextTestRunner(stream=sys.stdout, descriptions=False, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    passed = result.testsRun - failed - skipped
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return int(failed > 0)


def main():
    """Of one file."""
    sys.exit(run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    sys.exit(run(unittest.defaultTestLoader.discover(str(Path(__file__).resolve().parent))))
