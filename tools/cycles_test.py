#!/usr/bin/env python3
"""Does cycles.py find the import cycles of a crate, and only these? The last line has the counts."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

from cycles import tell


def found(files, files_only=False):
    """What is printed of a crate with these files: the cycles, and how many."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, "src", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            count = tell(Path(folder), files_only)
    told = [line.removeprefix(f"{folder}: ") for line in printed.getvalue().splitlines()]
    cycles = [line for line in told if " in a cycle: " in line]
    assert len(cycles) == count, told
    return cycles


class Cycles(unittest.TestCase):
    def test_is_a_ring_of_files_found_and_a_chain_none(self):
        chain = {"lib.rs": "mod a; mod b; mod c;", "a.rs": "use crate::b::B;", "b.rs": "use crate::c::C; pub struct B;", "c.rs": "pub struct C;"}
        self.assertEqual(found(chain), [])
        ring = {**chain, "c.rs": "use crate::a; pub struct C;"}
        self.assertEqual(found(ring), ["files in a cycle: a, b, c"])

    def test_does_a_path_in_the_code_count_as_a_use_does(self):
        lib = {"lib.rs": "mod a; mod b;", "b.rs": "pub fn f() { crate::a::g(); }"}
        self.assertEqual(found({**lib, "a.rs": "pub fn g() { super::b::f(); }"}), ["files in a cycle: a, b"])
        self.assertEqual(found({**lib, "a.rs": "use crate::b; pub fn g() { b::f(); }"}), ["files in a cycle: a, b"])
        self.assertEqual(found({**lib, "a.rs": "pub fn g() { b::f(); }"}), [], "another crate's b")

    def test_does_what_is_passed_on_count_for_the_file_that_defines_it(self):
        lib = {"lib.rs": "mod a; mod b; pub use a::A; pub use b::*;", "a.rs": "use crate::B; pub struct A;"}
        self.assertEqual(found({**lib, "b.rs": "pub struct B;"}), [])
        self.assertEqual(found({**lib, "b.rs": "use crate::A; pub struct B;"}), ["files in a cycle: a, b"])
        self.assertEqual(found({**lib, "b.rs": "use super::{A as Other}; pub struct B;"}), ["files in a cycle: a, b"])
        glob = {**lib, "b.rs": "use super::*; pub struct B(A);"}
        self.assertEqual(found(glob), ["files in a cycle: a, b, lib"])

    def test_is_a_declared_module_no_import_and_what_a_parent_defines_one(self):
        files = {"lib.rs": "mod a;", "a.rs": "mod b; pub struct A;", "a/b.rs": "use super::A; pub fn f() {}"}
        self.assertEqual(found(files), [])
        files["a.rs"] = "mod b; pub struct A; fn g() { b::f() }"
        self.assertEqual(found(files), ["files in a cycle: a, a/b"])

    def test_are_rooms_that_import_one_another_found_though_no_files_do(self):
        files = {
            "lib.rs": "mod a; mod b;",
            "a.rs": "mod low; mod high;",
            "a/low.rs": "pub struct Low;",
            "a/high.rs": "use crate::b::mid::Mid;",
            "b/mod.rs": "pub mod mid;",
            "b/mid.rs": "use crate::a::low::Low; pub struct Mid;",
        }
        self.assertEqual(found(files), ["rooms in a cycle: a, b"])
        self.assertEqual(found(files, files_only=True), [])

    def test_is_nothing_found_in_tests_comments_and_strings(self):
        lib = {"lib.rs": "mod a; mod b;", "a.rs": "use crate::b::B; pub struct A;"}
        for none in (
            "#[cfg(test)]\nmod tests { use crate::a::A; fn f() { if x { '}' } else { '\\'' } } }",
            "#[cfg(test)] use crate::a::A;",
            "// use crate::a::A;",
            "/* /* */ use crate::a::A; */",
            'const S: &str = "\\" use crate::a::A;";',
            'const S: &str = r#" "crate::a::A" "#;',
        ):
            self.assertEqual(found({**lib, "b.rs": f"pub struct B; {none}"}), [], none)
        after = "pub struct B<'a>(&'a str); #[cfg(test)] mod tests { } use crate::a::A;"
        self.assertEqual(found({**lib, "b.rs": after}), ["files in a cycle: a, b"])

    def test_do_modules_inside_a_file_belong_to_it(self):
        lib = {"lib.rs": "mod a; mod b;", "a.rs": "mod inner { use super::super::b::B; } pub mod c { pub struct C; }"}
        self.assertEqual(found({**lib, "b.rs": "pub struct B;"}), [])
        self.assertEqual(found({**lib, "b.rs": "use crate::a::c::C; pub struct B;"}), ["files in a cycle: a, b"])

    def test_is_a_macro_of_the_file_that_it_is_written_in(self):
        lib = {"lib.rs": "mod a; mod b;", "a.rs": "macro_rules! words { () => { $crate::b::B } }"}
        self.assertEqual(found({**lib, "b.rs": "pub struct B;"}), [])
        self.assertEqual(found({**lib, "b.rs": "pub struct B; crate::words!();"}), ["files in a cycle: a, b"])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Cycles))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
