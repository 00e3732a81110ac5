#!/usr/bin/env python3
"""Does same.py find what differs, and only that? The last line has the counts."""

import sys
import unittest

from same import differences


def found(old, new, apart=0.0):
    return [(kind, place) for kind, place, _ in differences(old, new, "", apart)]


class Same(unittest.TestCase):
    def test_is_the_same_the_same(self):
        answer = [{"experiment": "write", "at": "a=1", "flows": [{"name": "x", "rate": 1.5, "by": None}]}]
        self.assertEqual(found(answer, answer), [])

    def test_is_a_rate_in_its_last_digit_a_difference(self):
        self.assertEqual(found({"rate": 1.5}, {"rate": 1.5000000000000002}), [("differs", "rate")])
        self.assertEqual(found({"rate": 1.5}, {"rate": 1.5000000000000002}, apart=1e-9), [])
        self.assertEqual(found({"rate": 1.5}, {"rate": None}), [("differs", "rate")])

    def test_is_a_bottleneck_by_another_name_a_difference(self):
        self.assertEqual(found({"bottleneck": {"name": "host"}}, {"bottleneck": {"name": "card"}}), [("differs", "bottleneck.name")])

    def test_is_what_is_gone_a_difference_and_what_is_new_none(self):
        self.assertEqual(found({"a": 1}, {"b": 1}), [("differs", "a"), ("new", "b")])
        old, new = [{"name": "a"}], [{"name": "b"}, {"name": "a"}]
        self.assertEqual(found(old, new), [("new", "b")])
        self.assertEqual(found(new, old), [("differs", "b")])

    def test_are_elements_without_names_compared_by_their_places(self):
        self.assertEqual(found([1, 2], [2, 1]), [("differs", "[0]"), ("differs", "[1]")])
        self.assertEqual(found([1, 2], [1]), [("differs", "")])
        self.assertEqual(found([{"name": "a", "n": 1}, {"name": "a", "n": 2}], [{"name": "a", "n": 1}] * 2), [("differs", "[1].n")])

    def test_is_another_order_a_difference(self):
        self.assertEqual(found([{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]), [("differs", "")])

    def test_are_counts_of_work_and_other_words_told_apart(self):
        self.assertEqual(found({"events": 1}, {"events": 2}), [("other words or work", "events")])
        self.assertEqual(found({"complaint": "a"}, {"complaint": "b"}), [("other words or work", "complaint")])
        self.assertEqual(found({"complaint": "a"}, [1]), [("differs", "")])


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Same))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
