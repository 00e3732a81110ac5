#!/usr/bin/env python3
"""Does words.py draw whole doc comments with their items, as many as asked for, and the same for the same seed? The last
line has the counts."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from words import comments

SOURCE = """//! A module,
//! in two lines.

// No doc comment.
//// No doc comment either.
/// A struct.
#[derive(Debug)]
pub struct One {
    /// A field
    /// of it.
    pub two: u64,
}
"""


def drawn(*arguments):
    """What the program prints, and its exit code."""
    program = [sys.executable, str(Path(__file__).with_name("words.py")), *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class Words(unittest.TestCase):
    def test_is_each_comment_found_whole_with_its_line_and_its_item(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.rs")
            path.write_text(SOURCE, encoding="utf-8")
            found = [(line, item, text) for _, line, item, text in comments(path)]
        self.assertEqual(
            found,
            [
                (1, "the module", ["A module,", "in two lines."]),
                (6, "pub struct One", ["A struct."]),
                (9, "pub two: u64,", ["A field", "of it."]),
            ],
        )

    def test_does_a_seed_give_the_same_ones_and_another_seed_others(self):
        one, again, other = drawn("--seed", "1"), drawn("--seed", "1"), drawn("--seed", "2")
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertEqual(one[0], 0)

    def test_are_as_many_drawn_as_asked_for_and_none_twice(self):
        code, text = drawn("--count", "200")
        places = [line.split("  ")[0] for line in text.splitlines() if line and not line.startswith(" ")][:-1]
        self.assertEqual((code, len(places), len(set(places))), (0, 200, 200))

    def test_is_a_folder_with_too_few_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(drawn("--count", "1", folder)[0], 2)


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Words))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
