#!/usr/bin/env python3
"""Does tools/layers.py find what is planted in a copy of the Linux driver, and nothing in the driver as it is?"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from layers import RANK, look

DRIVER = Path(__file__).resolve().parent.parent / "driver"


def planted(name, change):
    """The faults of a copy of the driver in which the text of one file was changed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for layer in RANK:
            shutil.copytree(DRIVER / layer, copy / layer)
        file = copy / name
        text = file.read_text() if file.exists() else ""
        assert change(text) != text
        file.write_text(change(text))
        return look(copy)[0]


class Layers(unittest.TestCase):
    def one(self, faults, text):
        self.assertEqual(len(faults), 1, faults)
        self.assertRegex(faults[0], text)

    def test_is_the_driver_in_order(self):
        faults, counts = look(DRIVER)
        self.assertEqual(faults, [])
        self.assertGreater(int(counts.split()[0]), 30)

    def test_is_an_include_that_goes_up_found(self):
        up = '#include "user/ls_user.h"\n'
        self.one(planted("engine/ls_sort.c", lambda text: text.replace("#include", up + "#include", 1)), r"^engine/ls_sort\.c:\d+: includes user/ls_user\.h$")

    def test_is_a_call_that_goes_up_found_where_nothing_is_included(self):
        call = "\nvoid ls_ring_close(struct ls_file *file);\nstatic void ls_closer(struct ls_file *file)\n{\n\tls_ring_close(file);\n}\n"
        faults = planted("engine/ls_channel.c", lambda text: text + call)
        self.assertTrue(any(fault.endswith("ls_ring_close is of ring/ls_ring.c") for fault in faults), faults)

    def test_is_an_address_that_goes_up_found(self):
        call = "\nstatic void *ls_up(void)\n{\n\treturn ls_card_start;\n}\n"
        faults = planted("core/ls_bus.c", lambda text: text + call)
        self.assertRegex(faults[0], r"^core/ls_bus\.c:\d+: ls_card_start is of card/ls_card\.c$")

    def test_do_rings_and_buffers_of_others_not_know_each_other(self):
        call = "\nstatic bool ls_beside(struct ls_channel *ch)\n{\n\treturn ls_lend_can(ch);\n}\n"
        self.one(planted("peer/ls_fence.c", lambda text: text + call), r"ls_lend_can is of ring/ls_lend\.c$")

    def test_is_a_circle_in_a_layer_found(self):
        call = "\nstatic void ls_back(struct ls_channel *ch)\n{\n\tls_restart_renew(ch);\n}\n"
        faults = planted("engine/ls_sort.c", lambda text: text + call)
        self.one(faults, r"^a circle: .*ls_sort\.c calls .*ls_restart\.c|^a circle: .*ls_restart\.c calls .*ls_sort\.c")

    def test_is_a_name_of_another_file_found(self):
        self.one(planted("core/ls_life.c", lambda text: text + "\nvoid ls_channel_hold(struct ls_device *ls)\n{\n}\n"), "does not begin with the name of its file$")

    def test_is_a_definition_in_another_layer_found(self):
        declared = "bool ls_window_exists(struct ls_device *ls);\n\n#endif"
        self.one(planted("core/ls_core.h", lambda text: text.replace("#endif", declared)), r"^core/ls_core\.h:\d+: ls_window_exists is of peer/ls_window\.c$")
        # What the script does not find in any file it would not find the uses of either.
        declared = "bool ls_life_is_good(void);\n\n#endif"
        self.one(planted("core/ls_core.h", lambda text: text.replace("#endif", declared)), r"^core/ls_core\.h: ls_life_is_good is in no file of its layer$")

    def test_is_a_file_outside_of_the_layers_found(self):
        self.one(planted("ls_more.c", lambda _: "\n"), r"^ls_more\.c: in no layer$")

    def test_do_comments_and_strings_not_count(self):
        self.assertEqual(planted("core/ls_bus.c", lambda text: text + '\n/* ls_card_start() */\nstatic const char *ls_said = "ls_card_stop";\n'), [])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Layers))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
